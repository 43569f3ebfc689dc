"""Judges FMUs by other people's tools; every verdict is one line, and any fault makes the exit code 1.

usage: judge.py DIR     judges each DIR/NAME.fmu beside DIR/NAME.csv and DIR/NAME.state
       judge.py --resume FMU STATE CSV     a run continued in this process from a serialised state
"""

import csv
import ctypes
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fmpy
import fmpy.validation
from fmpy.fmi2 import FMU2Slave
from lxml import etree

FUNCTIONS = """
    GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
    ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean
    SetString GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate
    GetDirectionalDerivative SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus
    GetRealStatus GetIntegerStatus GetBooleanStatus GetStringStatus
    EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates
    GetDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates
""".split()


class Fault(Exception):
    """A judge's objection."""


class Table:
    """The native run: value references of inputs and outputs, and a row a communication point."""

    def __init__(self, description, path):
        with open(path, newline="") as file:
            names, *rows = csv.reader(file)
        reference = {v.name: v.valueReference for v in description.modelVariables}
        causality = {v.name: v.causality for v in description.modelVariables}
        self.names = names
        self.rows = [[float(x) for x in row] for row in rows]
        self.inputs = [i for i, name in enumerate(names) if causality.get(name) == "input"]
        self.outputs = [i for i, name in enumerate(names) if causality.get(name) == "output"]
        self.input_references = [reference[names[i]] for i in self.inputs]
        self.output_references = [reference[names[i]] for i in self.outputs]
        if not self.outputs:
            raise Fault(f"{path} has no column of an output")


def bits(x):
    return struct.pack("<d", x)


class Run:
    """An instance in FMPy that follows the native run row by row."""

    def __init__(self, fmu, table_path):
        self.folder = fmpy.extract(fmu)
        self.description = fmpy.read_model_description(fmu)
        self.table = Table(self.description, table_path)
        # The macro step of the native run [s].
        self.step_s = float(self.description.defaultExperiment.stepSize)
        self.slave = FMU2Slave(
            guid=self.description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName="judged",
        )
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def follow(self, first, last):
        """Compares the outputs from row `first` to row `last`, bit by bit, and steps between."""
        table = self.table
        for k in range(first, last + 1):
            row = table.rows[k]
            found = self.slave.getReal(table.output_references)
            for value, column in zip(found, table.outputs):
                if bits(value) != bits(row[column]):
                    where = f"`{table.names[column]}` at t = {row[0]} s"
                    raise Fault(f"{where}: found {value!r} in FMPy, expected {row[column]!r} as natively")
            if k < last:
                self.slave.setReal(table.input_references, [row[i] for i in table.inputs])
                self.slave.doStep(row[0], self.step_s)

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()
        shutil.rmtree(self.folder)


def load_state(run, data):
    state = run.slave.deSerializeFMUstate(data)
    run.slave.setFMUState(state)
    run.slave.freeFMUState(state)


def resume(fmu, state, table):
    """The second half of a run, from a state that another process serialised."""
    run = Run(fmu, table)
    load_state(run, Path(state).read_bytes())
    last = len(run.table.rows) - 1
    run.follow(last // 2, last)
    run.close()


def validation(fmu):
    problems = fmpy.validation.validate_fmu(str(fmu))
    if problems:
        raise Fault("; ".join(problems))


def schema(fmu):
    path = Path(fmpy.__file__).parent / "schema" / "fmi2" / "fmi2ModelDescription.xsd"
    rules = etree.XMLSchema(etree.parse(str(path)))
    with zipfile.ZipFile(fmu) as archive, archive.open("modelDescription.xml") as file:
        document = etree.parse(file)
    if not rules.validate(document):
        raise Fault(str(rules.error_log))


def fmutool(fmu):
    tool = Path(sys.executable).parent / "fmutool"
    result = subprocess.run([tool, "-input", fmu, "-check"], capture_output=True, text=True)
    lines = (result.stdout + result.stderr).splitlines()
    bad = [line for line in lines if line.lstrip().startswith(("ERROR", "WARNING", "CRITICAL", "FATAL"))]
    if result.returncode != 0 or bad:
        raise Fault(" ".join(bad) or f"exit code {result.returncode}")
    if not any("seems to be compliant" in line for line in lines):
        raise Fault("it did not say that the FMU is compliant: " + " ".join(lines))


def symbols(fmu):
    """The library exports the functions of both faces and nothing else, and every symbol it needs is found."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(fmu) as archive:
        libraries = [name for name in archive.namelist() if name.startswith("binaries/linux64/")]
        if len(libraries) != 1:
            raise Fault(f"found {libraries}, expected one library in binaries/linux64")
        library = archive.extract(libraries[0], folder)
        listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
        exported = {line.split()[-1] for line in listing.stdout.splitlines()}
        expected = {"fmi2" + name for name in FUNCTIONS}
        if "fmi3DoStep" not in exported:
            raise Fault("the functions of FMI 3.0 are missing")
        exported = {name for name in exported if not name.startswith("fmi3")}
        if exported != expected:
            raise Fault(f"extra {sorted(exported - expected)}, missing {sorted(expected - exported)}")
        needs = subprocess.run(["ldd", "-r", library], capture_output=True, text=True, check=True)
        if "undefined symbol" in needs.stdout + needs.stderr or "not found" in needs.stdout:
            raise Fault(needs.stdout + needs.stderr)
        ctypes.CDLL(library)


def archive(fmu):
    with zipfile.ZipFile(fmu) as file:
        names = file.namelist()
        stamps = {entry.date_time for entry in file.infolist()}
    for needed in ("documentation/index.html", "documentation/licenses/MIT.txt", "model.png", "resources/"):
        if needed not in names:
            raise Fault(f"`{needed}` is missing")
    if names[0] != "modelDescription.xml" or names[1:] != sorted(names[1:]):
        raise Fault(f"entries in no fixed order: {names}")
    if stamps != {(1980, 1, 1, 0, 0, 0)}:
        raise Fault(f"time stamps {stamps}")


def starts(fmu):
    """The start values in the XML are those read in a fresh instance, as early as reading is allowed."""
    description = fmpy.read_model_description(str(fmu))
    run = Run(str(fmu), fmu.with_suffix(".csv"))
    run.slave.reset()
    run.slave.setupExperiment(startTime=0.0)
    run.slave.enterInitializationMode()
    readers = {
        "Real": (run.slave.getReal, float),
        "Integer": (run.slave.getInteger, int),
        "Enumeration": (run.slave.getInteger, int),
        "Boolean": (run.slave.getBoolean, lambda text: text == "true"),
    }
    for v in description.modelVariables:
        if v.start is None or v.type not in readers:
            continue
        read, convert = readers[v.type]
        found = read([v.valueReference])[0]
        if found != convert(v.start):
            raise Fault(f"`{v.name}`: found {found!r}, expected {v.start} as in the XML")
    run.slave.exitInitializationMode()
    run.close()


def defaults(fmu):
    """A run in FMPy's own master without any argument: it doubles the step until there are at most 1000."""
    description = fmpy.read_model_description(str(fmu))
    result = fmpy.simulate_fmu(str(fmu))
    stop_s = float(description.defaultExperiment.stopTime)
    if abs(result["time"][-1] - stop_s) > 1e-9 * stop_s:
        raise Fault(f"the run ended at {result['time'][-1]} s, expected {stop_s} s")


def simulation(fmu):
    """A run in FMPy's own master, step by step as the model recommends."""
    step_s = float(fmpy.read_model_description(str(fmu)).defaultExperiment.stepSize)
    result = fmpy.simulate_fmu(str(fmu), stop_time=200 * step_s, step_size=step_s, output_interval=step_s)
    if len(result) != 201:
        raise Fault(f"found {len(result)} rows, expected 201")


def equality(fmu):
    run = Run(str(fmu), fmu.with_suffix(".csv"))
    run.follow(0, len(run.table.rows) - 1)
    run.close()


def state(fmu):
    """A state serialised here is continued by another process, and so is one that a native unit serialised."""
    table = fmu.with_suffix(".csv")
    run = Run(str(fmu), table)
    run.follow(0, (len(run.table.rows) - 1) // 2)
    memory = run.slave.getFMUState()
    data = run.slave.serializeFMUState(memory)
    run.slave.freeFMUState(memory)
    run.close()
    native = fmu.with_suffix(".state")
    if bytes(data) != native.read_bytes():
        raise Fault("FMPy and a native unit serialise different bytes")
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "state"
        saved.write_bytes(bytes(data))
        command = [sys.executable, __file__, "--resume", fmu, saved, table]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Fault((result.stdout + result.stderr).strip())


def three(fmu):
    """The FMU of FMI 3.0 has no findings, and its outputs in FMPy's own master are those of FMI 2.0 to the bit."""
    newer = fmu.parent / "three" / fmu.name
    findings = fmpy.validation.validate_fmu(str(newer))
    if findings:
        raise Fault(f"found {findings}")
    description = fmpy.read_model_description(str(fmu))
    step_s = float(description.defaultExperiment.stepSize)
    names = [v.name for v in description.modelVariables if v.causality == "output"]
    run = dict(stop_time=20 * step_s, step_size=step_s, output_interval=step_s, output=names)
    older, newer = (fmpy.simulate_fmu(str(file), **run) for file in (fmu, newer))
    if len(older) != 21 or len(newer) != 21:
        raise Fault(f"found {len(older)} and {len(newer)} rows, expected 21")
    for name in names:
        for row, (a, b) in enumerate(zip(older[name], newer[name])):
            if a != b and not (a != a and b != b):
                raise Fault(f"`{name}` in row {row} is {b!r} by FMI 3.0, {a!r} by FMI 2.0")


def exchange(fmu):
    """FMPy's solvers of the equations: CVODE ends where the model's own solver ends, and the error of Euler's method halves with its step."""
    description = fmpy.read_model_description(str(fmu))
    if description.modelExchange is None:
        return
    step_s = float(description.defaultExperiment.stepSize)
    variables = description.modelVariables
    names = [v.name for v in variables if v.causality == "output" and "_node[" not in v.name]
    values = {v.name: 0.01 for v in variables if v.causality == "input"}

    def rows(kind, start=values, parts=1, **more):
        """At the ends of recommended steps; FMPy's Euler makes one step to a row."""
        interval = dict(stop_time=20 * step_s, output_interval=step_s / parts, step_size=step_s / parts)
        return fmpy.simulate_fmu(str(fmu), fmi_type=kind, start_values=start, output=names, **interval, **more)[::parts]

    # Its own solver with inputs that are held, at a hundredth of the step where it takes steps.
    fine = {"micro_step": step_s / 100} if any(v.name == "micro_step" for v in variables) else {}
    own = rows("CoSimulation", {**values, **fine})

    def error(found):
        if len(found) != len(own):
            raise Fault(f"found {len(found)} rows, expected {len(own)}")
        size = {name: float(max(abs(own[name]))) or 1.0 for name in names}
        return max((float(max(abs(found[name] - own[name]))) / size[name], name) for name in names)

    worst, name = error(rows("ModelExchange", solver="CVode", relative_tolerance=1e-10))
    if not worst < 1e-6:
        raise Fault(f"`{name}` of CVODE is off by {worst:.1e} of its largest value, expected less than 1e-6")
    # From the step on with which it is stable: a line is stiff.
    by_euler = lambda parts: error(rows("ModelExchange", parts=parts, solver="Euler"))
    parts, (coarse, name) = 20, by_euler(20)
    while not coarse < 0.1 and parts < 5000:
        parts *= 2
        coarse, name = by_euler(parts)
    fine, _ = by_euler(2 * parts)
    if coarse > 1e-9 and not 1.8 < coarse / fine < 2.2:
        raise Fault(f"`{name}` of Euler's method is off by {coarse:.3e} in {parts} steps a row, and by {fine:.3e} with half the step")


JUDGES = [archive, validation, schema, fmutool, symbols, starts, defaults, simulation, equality, state, exchange, three]


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "--resume":
        resume(*arguments[1:])
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    fmus = sorted(Path(arguments[0]).glob("*.fmu"))
    if not fmus:
        print(f"no FMU in {arguments[0]}", file=sys.stderr)
        return 1
    passed = failed = 0
    for fmu in fmus:
        for judge in JUDGES:
            try:
                judge(fmu)
                passed += 1
                print(f"{fmu.stem:28} {judge.__name__:12} ok")
            except Exception as error:  # whatever a tool throws is its objection
                failed += 1
                print(f"{fmu.stem:28} {judge.__name__:12} FAILED: {type(error).__name__}: {error}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
