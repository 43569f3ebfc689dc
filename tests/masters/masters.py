"""The same systems in other masters: differences against ours and times, one line a case and master.

usage: masters.py MACROSTEP CASES WORK

Each case is a scenario that is converted into SSP. Every other master opens that archive (FMUContainer, whose reader of
archives takes one instance of an FMU only, gets the same links in its own format for the chain). Ends with status 1 where a
master is missing, fails, or differs by more than its line allows.
"""

import csv
import ctypes
import glob
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lxml import etree

STEP = 1e-3
CASES = ["f-s", "s-s", "chain", "start"]
SSV = "{http://ssp-standard.org/SSP1/SystemStructureParameterValues}"
SSD = "{http://ssp-standard.org/SSP1/SystemStructureDescription}"
EQUAL = 1e-12

failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text, flush=True)


class Silent:
    """The libraries write to standard output themselves: it leads nowhere while they run."""

    def __enter__(self):
        sys.stdout.flush()
        self.kept, self.nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
        os.dup2(self.nowhere, 1)

    def __exit__(self, *_):
        os.dup2(self.kept, 1)
        os.close(self.kept)
        os.close(self.nowhere)


class System:
    """A case as the other masters see it: archive, units and connections."""

    def __init__(self, name, archive, work):
        self.name, self.archive = name, archive
        self.folder = work / name
        with zipfile.ZipFile(archive) as z:
            z.extractall(self.folder)
        self.ssd = self.folder / "SystemStructure.ssd"
        root = etree.parse(str(self.ssd)).getroot()
        self.units = {c.get("name"): c.get("source") for c in root.iter(SSD + "Component")}
        self.links = [
            (c.get("startElement"), c.get("startConnector"), c.get("endElement"), c.get("endConnector"))
            for c in root.iter(SSD + "Connection")
        ]
        self.starts = {}
        for component in root.iter(SSD + "Component"):
            for parameter in component.iter(SSV + "Parameter"):
                self.starts[component.get("name"), parameter.get("name")] = float(parameter[0].get("value"))
        self.recorded = [(u, v) for u in self.units for v in ("x", "v")]

    def references(self):
        """Value references by unit and variable."""
        from fmpy import read_model_description

        out = {}
        for unit, source in self.units.items():
            description = read_model_description(str(self.folder / source), validate=False)
            for v in description.modelVariables:
                out[unit, v.name] = v.valueReference
        return out


def ours(program, arguments, out):
    """Trace as {(unit, variable): values} and seconds for all steps."""
    done = subprocess.run([program, "run", *arguments, "--json", "--accept-growth", "--no-pictures", "--out", str(out)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    with open(out / "trace.csv") as file:
        rows = list(csv.reader(file))
    data = np.array(rows[1:], dtype=float)
    trace = {tuple(name.split(".", 1)): data[:, i] for i, name in enumerate(rows[0])}
    return trace, json.loads(done.stdout)["wall_s"]


# Each of the masters below gives rows at t = H, 2H, …: {(unit, variable): values}, and seconds for all steps.


def fmpy_ssp(system, steps):
    from fmpy.ssp import simulation

    # Its rows are labelled with the start of the step they are the end of, and it adds up the time: rows count here.
    began = time.perf_counter()
    result = simulation.simulate_ssp(str(system.archive), stop_time=(steps - 0.5) * STEP, step_size=STEP)
    seconds = time.perf_counter() - began
    return {(u, v): np.array(result[f"{u}.{v}"]) for u, v in system.recorded}, seconds


def libcosim(system, steps):
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver

    references = system.references()
    execution = CosimExecution.from_ssp_file(str(system.folder), step_size=round(STEP * 1e9))
    observer = CosimObserver.create_time_series(buffer_size=steps + 10)
    execution.add_observer(observer)
    index = {u: execution.slave_index_from_instance_name(u) for u in system.units}
    for u, v in system.recorded:
        observer.start_time_series(index[u], references[u, v], CosimVariableType.REAL)
    began = time.perf_counter()
    execution.simulate_until(target_time=round(steps * STEP * 1e9))
    seconds = time.perf_counter() - began
    trace = {}
    for u, v in system.recorded:
        _, numbers, values = observer.time_series_real_samples(index[u], references[u, v], from_step=1, sample_count=steps)
        trace[u, v] = np.array(values)
    return trace, seconds


def ecos(system, steps):
    # Its library wants Intel's threads without saying where.
    found = glob.glob(os.path.join(sys.prefix, "lib", "libtbb.so.12"))
    ctypes.CDLL(found[0], mode=ctypes.RTLD_GLOBAL)
    from ecospy.EcosSimulation import EcosSimulation

    with EcosSimulation(STEP, ssp_path=str(system.archive)) as simulation:
        if not simulation.init(0, "initialValues" if system.starts else None):
            raise RuntimeError("initialisation failed")
        names = [f"{u}::{v}" for u, v in system.recorded]
        rows, seconds = [], 0.0
        for _ in range(steps):
            began = time.perf_counter()
            simulation.step(1)
            seconds += time.perf_counter() - began
            rows.append([simulation.get_real(name) for name in names])
        simulation.terminate()
    data = np.array(rows)
    return {key: data[:, i] for i, key in enumerate(system.recorded)}, seconds


def container(system, steps, sequential=False):
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave
    from fmu_manipulation_toolbox.assembly import Assembly

    folder = system.folder / ("sequential" if sequential else "container")
    folder.mkdir()
    names = {u: f"{u}.fmu" for u in system.units}
    for u, source in system.units.items():
        shutil.copy(system.folder / source, folder / names[u])
    description = {
        "name": "container.fmu",
        "fmu": list(names.values()),
        "step_size": STEP,
        "sequential": sequential,
        "auto_link": False,
        "auto_input": False,
        "auto_output": False,
        "link": [[names[a], y, names[b], u] for a, y, b, u in system.links],
        "output": [[names[u], v, f"{u}_{v}"] for u, v in system.recorded],
        "start": [[names[u], v, str(x)] for (u, v), x in system.starts.items()],
    }
    (folder / "container.json").write_text(json.dumps(description))
    Assembly("container.json", fmu_directory=folder).make_fmu(fmi_version=2)
    path = str(folder / "container.fmu")
    described = read_model_description(path, validate=False)
    references = {v.name: v.valueReference for v in described.modelVariables}
    wanted = [references[f"{u}_{v}"] for u, v in system.recorded]
    slave = FMU2Slave(
        guid=described.guid,
        unzipDirectory=extract(path),
        modelIdentifier=described.coSimulation.modelIdentifier,
        instanceName="container",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, stopTime=steps * STEP)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    rows, seconds = [], 0.0
    for n in range(steps):
        began = time.perf_counter()
        slave.doStep(currentCommunicationPoint=n * STEP, communicationStepSize=STEP)
        seconds += time.perf_counter() - began
        rows.append(slave.getReal(wanted))
    slave.terminate()
    slave.freeInstance()
    data = np.array(rows)
    return {key: data[:, i] for i, key in enumerate(system.recorded)}, seconds


MASTERS = [
    ("libcosim", "libcosimpy", libcosim),
    ("FMUContainer", "fmu_manipulation_toolbox", container),
    ("ecos", "ecospy", ecos),
    ("FMPy", "fmpy", fmpy_ssp),
]

SAME = "the same scheme: Jacobi, hold, outputs as reported"


def unscaled(scenario):
    """Connections as they are without their factors."""
    return re.sub(r"\{ from = (\"[^\"]*\")[^}]*\}", r"\1", scenario)


def without_starts(scenario):
    return re.sub(r"^set = .*$", "", scenario, flags=re.M)


# Where another master differs: why, and what ours must do to give the same numbers. That it then does is checked.
DIFFERENT = {
    ("start", "FMUContainer"): ("its links do not scale", unscaled),
    ("start", "FMPy"): ("it ignores ParameterBindings and LinearTransformation", lambda s: without_starts(unscaled(s))),
}


def difference(theirs, reference, steps):
    """Largest difference relative to the largest value of the variable, and where."""
    worst, where = 0.0, ""
    for key, values in theirs.items():
        mine = reference[key][1 : steps + 1]
        if len(values) < steps:
            return float("inf"), f"{len(values)} rows of {steps}"
        scale = np.max(np.abs(mine))
        off = np.abs(values[:steps] - mine)
        relative = float(np.max(off)) / scale if scale > 0 else float(np.max(off))
        if not relative <= worst:
            worst, where = relative, f"{key[0]}.{key[1]} at {(int(np.argmax(off)) + 1) * STEP:g} s"
    return worst, where


def check_archive(program, system, work):
    """The description is valid, opens in FMPy, and runs here without our annotation."""
    from fmpy.ssp import ssd as fmpy_ssd

    schema = Path(fmpy_ssd.__file__).parent / "schema" / "SystemStructureDescription.xsd"
    document = etree.parse(str(system.ssd))
    validator = etree.XMLSchema(etree.parse(str(schema)))
    if not validator.validate(document):
        fail(f"{system.name}: schema: {validator.error_log.last_error}")
    read = fmpy_ssd.read_ssd(str(system.archive))
    if len(read.system.elements) != len(system.units):
        fail(f"{system.name}: FMPy reads {len(read.system.elements)} elements")
    text = system.ssd.read_text()
    stripped, count = re.subn(r"\s*<ssd:Annotations>.*</ssd:Annotations>", "", text, flags=re.S)
    assert count == 1, "one list of annotations"
    bare = work / f"{system.name}-bare.ssp"
    with zipfile.ZipFile(system.archive) as old, zipfile.ZipFile(bare, "w") as new:
        for name in old.namelist():
            new.writestr(name, stripped if name.endswith(".ssd") else old.read(name))
    arguments = [str(bare), "--step", str(STEP), "--sampling", "lagged"]
    return ours(program, arguments, work / f"{system.name}-bare")[0]


def main(program, cases, work):
    logging.disable(logging.WARNING)
    print(f"{'case':6} {'master':24} {'difference':>10}  {'µs/step':>8} {'ours':>6}  why")
    for name in CASES:
        archive = work / f"{name}.ssp"
        subprocess.run([program, "convert", str(cases / f"{name}.toml"), str(archive)], check=True, capture_output=True)
        system = System(name, archive, work)
        reference, our_seconds = ours(program, [str(cases / f"{name}.toml")], work / f"{name}-ours")
        steps = len(reference[system.recorded[0]]) - 1
        bare = check_archive(program, system, work)
        for key in system.recorded:
            if not np.array_equal(bare[key], reference[key]):
                fail(f"{name}: without the annotation {key} differs")
        for title, package, run in MASTERS:
            why, instead = DIFFERENT.get((name, title), (SAME, None))
            try:
                label = f"{title} {version(package)}"
                with Silent():
                    theirs, seconds = run(system, steps)
            except Exception as error:  # a missing or broken master fails the whole
                fail(f"{name}: {title}: {type(error).__name__}: {error}")
                continue
            worst, where = difference(theirs, reference, steps)
            explained = worst
            if instead:
                changed = work / f"{name}-{title}.toml"
                changed.write_text(instead((cases / f"{name}.toml").read_text()))
                explained, _ = difference(theirs, ours(program, [str(changed)], work / f"{name}-{title}")[0], steps)
                why = f"{why}; ours without them differs by {explained:.1e}"
            micro = [1e6 * s / steps for s in (seconds, our_seconds)]
            print(f"{name:6} {label:24} {worst:10.1e}  {micro[0]:8.2f} {micro[1]:6.2f}  {why}", flush=True)
            if not explained <= EQUAL:
                fail(f"{name}: {title} differs by {explained:.1e}, expected at most {EQUAL:.0e}; largest in {where}")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
