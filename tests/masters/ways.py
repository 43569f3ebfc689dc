"""Own FMUs and containers in FMPy, libcosim and ecos, in five ways to step: values are those of our run at common points.

usage: ways.py MACROSTEP WORK [NAME …]

Ways, with the step H of our run and T = 24 H: steps of H, H/2 and H/3; T/500; an irrational part of H. FMPy is led by a loop that adds up
its time and cuts its last step (`h = min(h, T - t)`), in the irrational way by steps of 0.618… H and 2.381… H in turn. libcosim and ecos
know steps of one length: their irrational step is H/sqrt(2), which has no point in common with H but the start, so there our `simulate` with the same step is the
measure. Going back in the middle of a step is tested in Rust, because these masters do not.

A difference is relative to the largest value of the variable, or to a thousandth of the largest of its unit: the rounding of that. In whole steps H it is at most 1e-12, and in all ways where the FMU keeps a
grid of its own (`canHandleVariableCommunicationStepSize` is false). Else steps of another length have another error of the method: at most 4 times
what this variable differs in our runs with H/4 or H/7 and with H, and 1e-9. Of a container these are runs of its system, which know nothing of
the container's steps.

Prints a row for each system and master, differences beside their bounds; ends with status 1 where a master is missing or fails, or a value is another one. With names only
these FMUs are tried.
"""

import csv
import logging
import os
import shutil
import subprocess
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from masters import Silent

POINTS = 24
EQUAL, NEAR, TIMES = 1e-12, 1e-9, 4.0
# libcosim and ecos tell no stop time: times inside a container are then met to 3e-8 of a window (docs/containers.md). In parts of the largest
# change over a quarter of H.
OPEN = 4 * 3e-8
WAYS = ["H", "H/2", "H/3", "T/500", "irrational"]
GOLDEN = 0.5 * (5**0.5 - 1)

# Their step is that of the first communication step where it is not given.
STEP_GIVEN = ["crane", "stop_mass", "incline_block"]

NESTED = """[experiment]
stop = 0.6
step = 1.2e-2
[coupling]
predict = "linear"
[units.inner]
fmu = "inner.fmu"
[units.mass]
fmu = "embedded:oscillator2_force"
[connections]
"mass.f" = "inner.mass1.f_c"
[record]
variables = ["inner.mass1.x", "mass.x", "mass.v"]
"""

CONTAINERS = {
    "hold": ("case-1:f-s", ["--predict", "hold", "--step", "1.2e-3"]),
    "ia1": ("case-1:f-s", ["--predict", "ia1", "--step", "1.2e-2"]),
    "newton": ("case-1:f-s", ["--predict", "h5", "--correct", "newton", "--step", "1.2e-2"]),
    "waveform": ("case-1:s-s", ["--method", "waveform:20", "--step", "0.24"]),
    "circuit": ("circuit", ["--correct", "newton", "--step", "1.2e-5"]),
    "crane-system": ("crane", ["--step", "0.018"]),
    "nested": ("nested.toml", []),
    "isolate": ("case-1:f-s", ["--predict", "linear", "--step", "1.2e-3", "--isolate"]),
    "palindromic": ("case-1:f-s", ["--method", "palindromic", "--step", "1.2e-2"]),
    "control": ("case-1:f-s", ["--control", "error", "--step", "1.2e-2", "--stop", "1.2"]),
}


def call(program, arguments, folder):
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"macrostep {' '.join(arguments)}: {done.stderr.strip()[-500:]}")


def rows_of(path):
    """Names and rows of a CSV file, without the times; columns that are numbers only."""
    with open(path) as file:
        names, *rows = list(csv.reader(file))
    return names[1:], [row[1:] for row in rows]


class Subject:
    """An FMU with its step, what is set, and our rows."""

    def __init__(self, program, path, folder, system):
        from fmpy import read_model_description

        self.program, self.path, self.folder, self.system = program, str(path), folder, system
        self.description = read_model_description(self.path, validate=False)
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        experiment = self.description.defaultExperiment
        # libcosim counts nanoseconds: H/2, H/3 and 24 H/500 are whole ones.
        own = float(experiment.stepSize) if experiment and experiment.stepSize else 1.2e-2
        self.step = max(1, round(own * 1e9 / 3000)) * 3000 / 1e9
        is_real = {v.name for v in self.description.modelVariables if v.type == "Real" and v.causality == "output"}
        # With step control windows end where its errors say.
        is_varied = self.description.coSimulation.canHandleVariableCommunicationStepSize
        self.keeps_grid = not is_varied and Path(path).stem != "control"
        self.start = {"communication_step": self.step} if Path(path).stem in STEP_GIVEN else {}
        self.names, self.mine = self.ours(self.step, is_real)
        self.scale = self.scales()
        # A bound for each variable: some say something of the last step, which differs with its length.
        # Rows of step control are not at points of these.
        is_alone = self.system and not self.keeps_grid and Path(path).stem != "control"
        finely = self.alone if is_alone else self.ours
        _, fine = finely(self.step / 4, is_real)
        self.equal = np.full(len(self.names), EQUAL)
        _, finer = finely(self.step / 7, is_real)
        apart = np.maximum(self.largest(fine[::4] - self.mine), self.largest(finer[::7] - self.mine))
        self.parts = self.equal if self.keeps_grid else NEAR + TIMES * apart
        self.open = NEAR + OPEN * self.largest(np.diff(fine, axis=0))

    def scales(self):
        """What a difference of each variable is relative to."""
        largest, units = np.max(np.abs(self.mine), axis=0), {v.name: v.unit for v in self.description.modelVariables}
        of_unit = {}
        for name, value in zip(self.names, largest):
            of_unit[units[name]] = max(value, of_unit.get(units[name], 0.0))
        return np.array([max(value, 1e-3 * of_unit[units[name]], 1e-300) for name, value in zip(self.names, largest)])

    def largest(self, rows):
        """Of each variable, relative."""
        return np.max(np.abs(rows), axis=0) / self.scale

    def ours(self, step, wanted):
        """Our rows of the FMU by itself up to 24 H."""
        out = self.folder / f"simulate-{step:.12g}"
        starts = [x for name, value in self.start.items() for x in ("--start", f"{name}={value!r}")]
        count = round(POINTS * self.step / step)
        stop = POINTS * self.step if abs(count * step - POINTS * self.step) < 1e-6 * step else (count - 1) * step
        arguments = ["simulate", self.path, "--step", repr(step), "--stop", repr(stop), "--out", str(out), *starts]
        call(self.program, arguments, self.folder)
        names, rows = rows_of(out / "trace.csv")
        kept = [i for i, name in enumerate(names) if name in wanted]
        return [names[i] for i in kept], np.array([[float(row[i]) for i in kept] for row in rows])

    def alone(self, step, wanted):
        """Rows of the system in a container, without the container, up to 24 H."""
        system, options = self.system
        # With another step.
        kept = [x for i, x in enumerate(options) if "--step" not in options[max(0, i - 1) : i + 1]]
        out = self.folder / f"run-{step:.12g}"
        recorded = [x for name in self.names for x in ("--record", name)]
        stop = repr(POINTS * self.step)
        call(self.program, ["run", system, *kept, "--step", repr(step), "--stop", stop, "--no-pictures", "--out", str(out), *recorded], self.folder.parent)
        with open(out / "trace.csv") as file:
            names, *rows = list(csv.reader(file))
        at = [names.index(name) for name in self.names]
        return self.names, np.array([[float(row[i]) for i in at] for row in rows])

    def off(self, rows, expected, bounds):
        """The relative difference that is largest beside its bound, its variable, and the bound."""
        if rows.shape != expected.shape:
            return float("inf"), f"{len(rows)} rows, expected {len(expected)}", 0.0
        found = self.largest(rows - expected)
        # What is not finite is the worst.
        worst = int(np.argmax(np.where(np.isfinite(found), found / bounds, np.inf)))
        return float(found[worst]), self.names[worst], float(bounds[worst])


# Each of these gives rows of the outputs after every step; `lengths` come in turn.


def by_fmpy(subject, lengths, count):
    from fmpy import extract
    from fmpy.fmi2 import FMU2Slave

    folder = extract(subject.path)
    co = subject.description.coSimulation
    slave = FMU2Slave(guid=subject.description.guid, unzipDirectory=folder, modelIdentifier=co.modelIdentifier, instanceName="one")
    slave.instantiate()
    end = POINTS * subject.step if count is None else count * lengths[0]
    slave.setupExperiment(startTime=0.0, stopTime=end)
    for name, value in subject.start.items():
        slave.setReal([subject.references[name]], [value])
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    wanted, t, rows, times = [subject.references[name] for name in subject.names], 0.0, [], []
    # As masters add up their time: what is left at the end may be rounding.
    while t < end:
        h = min(lengths[len(rows) % len(lengths)], end - t)
        slave.doStep(currentCommunicationPoint=t, communicationStepSize=h)
        t += h
        rows.append(slave.getReal(wanted))
        times.append(t)
    slave.terminate()
    slave.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)
    return np.array(times), np.array(rows)


def by_libcosim(subject, lengths, count):
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    step = round(lengths[0] * 1e9)
    execution = CosimExecution.from_step_size(step_size=step)
    index = execution.add_local_slave(CosimLocalSlave(fmu_path=subject.path, instance_name="one"))
    for name, value in subject.start.items():
        execution.real_initial_value(index, subject.references[name], value)
    observer = CosimObserver.create_time_series(buffer_size=count + 10)
    execution.add_observer(observer)
    for name in subject.names:
        observer.start_time_series(index, subject.references[name], CosimVariableType.REAL)
    execution.simulate_until(target_time=count * step)
    columns = []
    for name in subject.names:
        _, _, values = observer.time_series_real_samples(index, subject.references[name], from_step=1, sample_count=count)
        columns.append(list(values))
    return np.arange(1, count + 1) * lengths[0], np.array(columns).T


def by_ecos(subject, lengths, count):
    import ctypes
    import glob

    # Its library wants Intel's threads without saying where.
    ctypes.CDLL(glob.glob(os.path.join(sys.prefix, "lib", "libtbb.so.12"))[0], mode=ctypes.RTLD_GLOBAL)
    from ecospy.EcosSimulation import EcosSimulation
    from ecospy.EcosSimulationStructure import EcosSimulationStructure

    structure = EcosSimulationStructure()
    structure.add_model("one", subject.path)
    if subject.start:
        structure.add_parameter_set("given", {f"one::{name}": value for name, value in subject.start.items()})
    with EcosSimulation(lengths[0], structure=structure) as simulation:
        if not simulation.init(0, "given" if subject.start else None):
            raise RuntimeError("initialisation failed")
        rows = []
        for _ in range(count):
            simulation.step(1)
            rows.append([simulation.get_real(f"one::{name}") for name in subject.names])
        simulation.terminate()
    return np.arange(1, count + 1) * lengths[0], np.array(rows)


MASTERS = {"FMPy": by_fmpy, "libcosim": by_libcosim, "ecos": by_ecos}


def plan(subject, way, is_fixed):
    """Lengths of steps in turn, and how many there are."""
    whole = {"H": 1, "H/2": 2, "H/3": 3}
    if way in whole:
        return [subject.step / whole[way]], POINTS * whole[way]
    if way == "T/500":
        return [POINTS * subject.step / 500], 500
    if is_fixed:
        step = round(subject.step / 2**0.5 * 1e9) / 1e9
        return [step], round(POINTS * subject.step / step) - 1
    return [GOLDEN * subject.step, (3 - GOLDEN) * subject.step], None


def compared(subject, way, title):
    """The largest difference, its variable, the bound, and how many points are common."""
    is_fixed = title != "FMPy"
    lengths, count = plan(subject, way, is_fixed)
    with Silent():
        times, rows = MASTERS[title](subject, lengths, None if title == "FMPy" else count)
    if way == "irrational" and is_fixed:
        _, expected = subject.ours(lengths[0], set(subject.names))
        return subject.off(rows, expected[1 : count + 1], subject.open)
    at = times / subject.step
    common = np.abs(at - np.round(at)) < 1e-6
    # A remainder of rounding ends at the same point once more: the first one counts.
    points, first = np.unique(np.round(at[common]).astype(int), return_index=True)
    expected = 4 if way == "T/500" else POINTS // 3 if way == "irrational" else POINTS
    if len(points) != expected:
        return float("inf"), f"{len(points)} common points, expected {expected}", 0.0
    return subject.off(rows[common][first], subject.mine[points], subject.equal if way == "H" else subject.parts)


def judge(program, name, path, folder, system):
    """Rows of the table for one FMU, and failures."""
    logging.disable(logging.WARNING)
    table, failures = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        subject = Subject(program, path, folder, system)
    except Exception as error:
        return [], [f"{name}: {type(error).__name__}: {error}"]
    for title in MASTERS:
        cells = []
        for way in WAYS:
            try:
                off, where, bound = compared(subject, way, title)
                cells.append(f"{off:10.1e} /{bound:8.1e}")
                if not off <= bound:
                    failures.append(f"{name}: {title}: {way}: {off:.1e} from ours in {where}, expected at most {bound:.1e}")
            except Exception as error:
                cells.append(f"{'FAILED':>20}")
                failures.append(f"{name}: {title}: {way}: {type(error).__name__}: {error} {traceback.format_exc(limit=-1)}")
        table.append(f"{name:22} {title:9} {' '.join(cells)}")
    return table, failures


def subjects(program, work, chosen):
    """Own FMUs and containers: name, file, and of a container its system with options."""
    call(program, ["fmus", "--out", str(work / "own")], work)
    listed = [(path.stem, path, None) for path in sorted((work / "own").glob("*.fmu"))]
    call(program, ["export", "case-1:f-s", "--step", "1.2e-2", "--out", "inner.fmu"], work)
    (work / "nested.toml").write_text(NESTED)
    for name, (system, options) in CONTAINERS.items():
        call(program, ["export", system, *options, "--out", f"{name}.fmu"], work)
        listed.append((name, work / f"{name}.fmu", (system, options)))
    return [(name, path, system) for name, path, system in listed if not chosen or name in chosen]


def main(program, work, chosen):
    began = time.perf_counter()
    listed = subjects(program, work, chosen)
    print(f"{'FMU':22} {'master':9} {' '.join(f'{way:>20}' for way in WAYS)}", flush=True)
    failures = []
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        runs = [(name, pool.submit(judge, program, name, path, work / name, system)) for name, path, system in listed]
        for name, run in runs:
            # A master that crashes takes its process along.
            try:
                table, failed = run.result(timeout=300)
            except Exception as error:
                table, failed = [], [f"{name}: {type(error).__name__}: {error}"]
            print("\n".join(table), flush=True)
            failures += failed
    for failure in failures:
        print("FAILED:", failure)
    runs = len(listed) * len(MASTERS) * len(WAYS)
    print(f"{len(listed)} FMUs × {len(MASTERS)} masters × {len(WAYS)} ways: {runs} runs, {len(failures)} failures, {time.perf_counter() - began:.0f} s")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), sys.argv[3:])
