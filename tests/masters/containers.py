"""Exported systems in other masters: each gives the bits of `macrostep run`, and the pair is exact at 50 outer steps.

usage: containers.py MACROSTEP WORK

Ends with status 1 where a master is missing, fails, or gives other bits.
"""

import csv
import ctypes
import glob
import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

from masters import Silent

# System, options, communication step in s.
CASES = [
    ("hold", "case-1:f-s", ["--predict", "hold", "--step", "1e-3", "--stop", "1"], 1e-3),
    ("ia1", "case-1:f-s", ["--predict", "ia1", "--step", "1e-2", "--stop", "10"], 1e-2),
    ("newton", "case-1:f-s", ["--predict", "h5", "--correct", "newton", "--step", "1e-2", "--stop", "10"], 1e-2),
    ("waveform", "case-1:s-s", ["--method", "waveform:20", "--step", "0.2", "--stop", "10"], 0.2),
    ("circuit", "circuit", ["--correct", "newton", "--step", "1e-3", "--stop", "1"], 1e-3),
    ("crane", "crane", ["--step", "0.016", "--stop", "0.8"], 0.016),
]

failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text, flush=True)


def ours(program, system, options, out):
    """Names and rows of our own run."""
    subprocess.run([program, "run", system, *options, "--no-pictures", "--out", str(out)], check=True, capture_output=True)
    with open(out / "trace.csv") as file:
        names, *rows = list(csv.reader(file))
    return names[1:], np.array(rows, dtype=float)[:, 1:]


class Fmu:
    """An exported system, unpacked."""

    def __init__(self, path):
        self.path, self.folder = str(path), extract(str(path))
        self.description = read_model_description(self.path)
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}


# Each of these gives rows of the outputs `names`, the first at the start.


def by_fmpy(fmu, names, steps, step):
    slave = FMU2Slave(
        guid=fmu.description.guid,
        unzipDirectory=fmu.folder,
        modelIdentifier=fmu.description.coSimulation.modelIdentifier,
        instanceName="container",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, stopTime=steps * step)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    wanted = [fmu.references[name] for name in names]
    rows = [slave.getReal(wanted)]
    for k in range(steps):
        slave.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
        rows.append(slave.getReal(wanted))
    slave.terminate()
    slave.freeInstance()
    return np.array(rows)


def by_libcosim(fmu, names, steps, step):
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    index = execution.add_local_slave(CosimLocalSlave(fmu_path=fmu.path, instance_name="container"))
    observer = CosimObserver.create_time_series(buffer_size=steps + 10)
    execution.add_observer(observer)
    for name in names:
        observer.start_time_series(index, fmu.references[name], CosimVariableType.REAL)
    execution.simulate_until(target_time=round(steps * step * 1e9))
    columns = []
    for name in names:
        reference = fmu.references[name]
        _, _, values = observer.time_series_real_samples(index, reference, from_step=1, sample_count=steps)
        columns.append(list(values))
    return np.array(columns).T


def by_ecos(fmu, names, steps, step):
    # Its library wants Intel's threads without saying where.
    ctypes.CDLL(glob.glob(os.path.join(sys.prefix, "lib", "libtbb.so.12"))[0], mode=ctypes.RTLD_GLOBAL)
    from ecospy.EcosSimulation import EcosSimulation
    from ecospy.EcosSimulationStructure import EcosSimulationStructure

    structure = EcosSimulationStructure()
    structure.add_model("container", fmu.path)
    with EcosSimulation(step, structure=structure) as simulation:
        if not simulation.init(0):
            raise RuntimeError("initialisation failed")
        rows = []
        for _ in range(steps):
            simulation.step(1)
            rows.append([simulation.get_real(f"container::{name}") for name in names])
        simulation.terminate()
    return np.array(rows)


def by_fmucontainer(fmu, names, steps, step):
    """Our container inside a container of FMUContainer, which FMPy steps."""
    from fmu_manipulation_toolbox.assembly import Assembly

    inner, folder = Path(fmu.path), Path(fmu.path).with_suffix("")
    folder.mkdir()
    shutil.copy(inner, folder / inner.name)
    description = {
        "name": "outer.fmu",
        "fmu": [inner.name],
        "step_size": step,
        "auto_link": False,
        "auto_input": True,
        "auto_output": False,
        "output": [[inner.name, name, name] for name in names],
    }
    (folder / "outer.json").write_text(json.dumps(description))
    Assembly("outer.json", fmu_directory=folder).make_fmu(fmi_version=2)
    return by_fmpy(Fmu(folder / "outer.fmu"), names, steps, step)


MASTERS = [("FMPy", by_fmpy), ("libcosim", by_libcosim), ("ecos", by_ecos), ("FMUContainer", by_fmucontainer)]


def judge(fmu, name):
    """FMPy finds nothing, and runs it without an argument."""
    problems = validate_fmu(fmu.path)
    if problems:
        fail(f"{name}: FMPy: {problems[0]}")
    result = simulate_fmu(fmu.path)
    if not np.isclose(result["time"][-1], float(fmu.description.defaultExperiment.stopTime)):
        fail(f"{name}: simulate_fmu ends at {result['time'][-1]} s")


# Systems that are also led by parts of their windows; where windows are shortened values are as near as the method is.
PARTS = {"waveform": 1e-10, "newton": 1e-5, "crane": 0.0}


def judge_parts(fmu, name, names, mine, step):
    """FMPy's simulate_fmu with halves and thirds of a window gives our values at common points."""
    for parts in (2, 3):
        result = simulate_fmu(fmu.path, output_interval=step / parts, output=list(names))
        rows = np.array([[row[name] for name in names] for row in result[::parts]])
        if len(rows) != len(mine):
            fail(f"{name}: {len(rows)} common points with {parts} parts of a window, expected {len(mine)}")
            continue
        scale = np.max(np.abs(mine), axis=0)
        worst = float(np.max(np.abs(rows - mine) / np.where(scale > 0, scale, 1.0)))
        print(f"{name:10} {'FMPy':12} {len(result):6}  {worst:.1e} with 1/{parts} of a window", flush=True)
        if not worst <= PARTS[name]:
            fail(f"{name}: FMPy with 1/{parts} of a window: {worst:.1e} from ours, expected at most {PARTS[name]:.0e}")


def main(program, work):
    logging.disable(logging.WARNING)
    print(f"{'system':10} {'master':12} {'rows':>6}  differing values")
    for name, system, options, step in CASES:
        path = work / f"{name}.fmu"
        subprocess.run([program, "export", system, *options, "--out", str(path)], check=True, capture_output=True)
        names, mine = ours(program, system, options, work / f"{name}-run")
        fmu, steps = Fmu(path), len(mine) - 1
        judge(fmu, name)
        if name in PARTS:
            judge_parts(fmu, name, names, mine, step)
        for title, run in MASTERS:
            try:
                with Silent():
                    rows = run(fmu, names, steps, step)
            except Exception as error:  # a missing or broken master fails the whole
                fail(f"{name}: {title}: {type(error).__name__}: {error}")
                continue
            different = int(np.sum(rows != mine[len(mine) - len(rows) :]))
            print(f"{name:10} {title:12} {len(rows):6}  {different}", flush=True)
            if len(rows) < steps or different:
                fail(f"{name}: {title}: {different} values differ from ours in {len(rows)} rows")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
