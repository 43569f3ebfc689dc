"""FMUs of other makers in our master: made here, run by FMPy and by ours, compared."""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import fmpy
import fmpy.fmi2
from fmpy.container_fmu.cli import create_container_fmu
from fmpy.container_fmu.config import Component, Configuration, Connection
from fmpy.model_description import CoSimulation, DefaultExperiment, ModelDescription, ModelVariable, Unknown

SPRING = '''
from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Integer, Real, String


class Spring(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u, self.x, self.steps, self.label, self.odd = 1.0, 0.0, 0, "start", False
        self.register_variable(Real("u", causality=Fmi2Causality.input))
        self.register_variable(Real("x", causality=Fmi2Causality.output))
        self.register_variable(Integer("steps", causality=Fmi2Causality.output))
        self.register_variable(Boolean("odd", causality=Fmi2Causality.output))
        self.register_variable(String("label", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        self.x += step_size * self.u
        self.steps += 1
        self.odd = self.steps % 2 == 1
        self.label = f"step {self.steps}"
        return True
'''

# A line of pythonfmu FMUs: name, options of the build, and what its `do_step` does more.
PYTHON = [("Spring", []), ("Kept", ["--handle-state", "--serialize-state"]), ("Alone", ["--only-one-per-process"]),
          ("Regular", ["--no-variable-step"]), ("Inside", ["--no-external-tool"])]

# What a UniFMU FMU does in a step, in the place of nothing.
ADDED = """        self.real_a += 0.1 * step_size
        self.integer_a += 3
        self.boolean_a = self.integer_a % 2 == 1
        self.string_a += "x"
        self._update_outputs()
"""

# The same in FMI 3.0, with a line of its FMUs.
THREE = SPRING.replace("pythonfmu", "pythonfmu3").replace("Fmi2", "Fmi3").replace("Real", "Float64").replace("Integer", "Int32")
PYTHON_3 = [("Three", []), ("ThreeKept", ["--handle-state", "--serialize-state"]), ("ThreeAlone", ["--only-one-per-process"])]

# The spring between a mass and the ground; the speed of the mass goes in, the displacement comes out.
PYTHON_SPRING = """
[experiment]
stop = 2.0
step = 1e-2
[units.spring]
fmu = "Spring.fmu"
[units.mass]
fmu = "embedded:oscillator2_force"
set = { integrator = "exact", m = 1.0, k = 20.0, c = 0.5, x0 = 1.0, v0 = 0.0 }
[connections]
"spring.u" = "mass.v"
"mass.f" = { from = "spring.x", factor = -30.0 }
[record]
variables = ["spring.x", "mass.x", "mass.v"]
"""

LINKS = [("oscillator2_force", "x", "oscillator1_displacement", "xi"),
         ("oscillator2_force", "v", "oscillator1_displacement", "xi_dot"),
         ("oscillator1_displacement", "f_c", "oscillator2_force", "f")]
OUTPUTS = [("oscillator1_displacement", "x", "x1"), ("oscillator2_force", "x", "x2")]


def tool(name):
    return Path(sys.executable).parent / name


def by_pythonfmu(work, builder="pythonfmu", code=SPRING, line=PYTHON):
    for name, options in line:
        (work / f"{name.lower()}.py").write_text(code.replace("class Spring", f"class {name}"))
        command = [tool(builder), "build", "-f", work / f"{name.lower()}.py", "-d", work, *options]
        subprocess.run(command, check=True)
        yield work / f"{name}.fmu"


def by_pythonfmu3(work):
    return by_pythonfmu(work, "pythonfmu3", THREE, PYTHON_3)


def by_fmi_export(work):
    """A crate that another crate makes an FMU of FMI 3.0 of, with a terminal."""
    crate = Path(__file__).parents[1] / "fmi-crate"
    target = Path(os.environ.get("CARGO_TARGET_DIR", crate.parents[1] / "target")) / "fmi-crate"
    folder = work / "exported"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "binaries/x86_64-linux").mkdir(parents=True)
    (folder / "terminalsAndIcons").mkdir()
    # What is linted elsewhere is compiled as it is.
    plain = {name: value for name, value in os.environ.items() if name != "RUSTC_WORKSPACE_WRAPPER"}
    command = ["cargo", "run", "--quiet", "--locked", "--manifest-path", crate / "mass/Cargo.toml", "--", folder]
    subprocess.run(command, check=True, env={**plain, "CARGO_TARGET_DIR": str(target)})
    shutil.move(folder / "terminalsAndIcons.xml", folder / "terminalsAndIcons")
    shutil.copy(target / "debug/libexported.so", folder / "binaries/x86_64-linux/exported.so")
    yield zipped(folder)


def by_unifmu(work):
    """Their Python is a process of its own, which is reached by a queue of messages or by remote calls."""
    for backend in ("zmq", "grpc"):
        folder = work / f"unifmu_{backend}"
        # It writes into no folder of a run before.
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([tool("unifmu"), "generate", "python", folder], check=True, stdout=subprocess.DEVNULL)
        launch, model = folder / "resources/launch.toml", folder / "resources/model.py"
        launch.write_text(launch.read_text().replace('backend = "grpc"', f'backend = "{backend}"'))
        text = model.read_text()
        head = "    def do_step(self, current_time, step_size, no_step_prior):\n"
        assert head in text
        model.write_text(text.replace(head, head + ADDED))
        yield zipped(folder)


def zipped(folder):
    fmu = folder.with_name(folder.name + ".fmu")
    with zipfile.ZipFile(fmu, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return fmu


def by_fmucontainer(work):
    """Two coupled masses, the same with all parameters and enumerations of the FMUs inside, and one FMU alone."""
    pair = {"name": "pair.fmu", "fmu": [f"{name}.fmu" for name in ("oscillator1_displacement", "oscillator2_force")],
            "link": [[f"{a}.fmu", x, f"{b}.fmu", y] for a, x, b, y in LINKS],
            "output": [[f"{a}.fmu", x, y] for a, x, y in OUTPUTS],
            "auto_link": False, "auto_input": False, "auto_output": False, "auto_parameter": False, "step_size": 1e-3}
    chosen = {**pair, "name": "chosen.fmu", "auto_parameter": True}
    single = {**pair, "name": "single.fmu", "fmu": ["oscillator1_force.fmu"], "link": [], "output": [], "auto_input": True, "auto_output": True}
    for one in (pair, chosen, single):
        name = Path(one["name"]).stem
        (work / f"{name}.json").write_text(json.dumps(one))
        command = [tool("fmucontainer"), "-fmu-directory", work, "-container", f"{name}.json:0.001"]
        # It warns of each output that nobody takes.
        subprocess.run(command, check=True, capture_output=True)
        yield work / f"{name}.fmu"


def by_fmpy(work):
    components, variables = {}, {}
    for name in ("oscillator1_displacement", "oscillator2_force"):
        description = fmpy.read_model_description(work / f"{name}.fmu")
        components[name] = Component(name, work / f"{name}.fmu", description)
        variables[name] = {v.name: v for v in description.modelVariables}
        for variable in description.modelVariables:
            # FMPy 0.3.32 writes types of connections as FMI 2 names them, its container reads those of FMI 3.
            variable.type = {"Real": "Float64"}.get(variable.type, variable.type)
    connections = [Connection(components[a], [variables[a][x]], components[b], [variables[b][y]]) for a, x, b, y in LINKS]
    mappings, outputs = {}, []
    for a, x, y in OUTPUTS:
        variable = ModelVariable(name=y, type="Real", valueReference=0, causality="output", variability="continuous")
        mappings[variable] = [(components[a], variables[a][x])]
        outputs.append(variable)
    description = ModelDescription(
        fmiVersion="2.0", modelName="container", instantiationToken="{container}", modelVariables=outputs,
        coSimulation=CoSimulation(modelIdentifier="container_fmu", fixedInternalStepSize=1e-3),
        defaultExperiment=DefaultExperiment(), outputs=[Unknown(variable=v) for v in outputs])
    folder = work / "container"
    folder.mkdir(exist_ok=True)
    configuration = Configuration(False, description, list(components.values()), connections, mappings)
    create_container_fmu(configuration, folder, work / "container.fmu")
    yield work / "container.fmu"


def theirs(fmu, step, stop):
    # All of it: FMPy itself unpacks a part, and FMUs of UniFMU read their description again.
    folder = fmu.parent / "unpacked" / fmu.stem
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder)
    result = fmpy.simulate_fmu(str(folder), stop_time=stop, step_size=step, output_interval=step, fmi_type="CoSimulation",
                               validate=False)
    return list(result.dtype.names), [[float(x) for x in row] for row in result]


# Where the program finds Python: the environment that this runs in, active as in a shell.
ACTIVE = {**os.environ, "VIRTUAL_ENV": sys.prefix, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def ours(program, fmu, step, stop, work, isolate):
    out = work / "out"
    command = [program, "simulate", fmu, "--step", str(step), "--stop", str(stop), "--out", out, "--json"]
    done = subprocess.run(command + ["--isolate"] * isolate, env=ACTIVE, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-600:])
    with open(out / "trace.csv", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def advised(program, fmu, text, work):
    """Measured over predicted error of what `advise` says of a mass and an FMU of another maker."""
    system = work / "system.toml"
    system.write_text(text)
    # Going back by fork is slow in an FMU with Python inside, and not what is looked at here.
    command = [program, "advise", system, "--tolerance", "1e-2", "--rollback", "own", "--apply", "--json"]
    found = json.loads(subprocess.run(command, check=True, env=ACTIVE, stdout=subprocess.PIPE).stdout)
    return found["advised"], found["measured_error"] / found["predicted_error"]


# Errors in Python code: name, what stands in the place of a line, the variable of the environment that makes it fail, and what is to be told.
ERRORS = [
    ("Broken", ("        self.steps += 1", '        self.far()\n\n    def far(self):\n        raise ValueError("too far" * 60)'), {},
     ["Traceback", "in do_step", "self.far()", "in far", "ValueError: " + "too far" * 60]),
    ("Unborn", ("        self.register_variable(Real(\"u\"", "        assert 'FAILS' not in os.environ, 'no' * 200\n        self.register_variable(Real(\"u\""), {"FAILS": "1"},
     ["Traceback", "in __init__", "AssertionError: " + "no" * 200]),
    ("Lacking", ("\n\nclass", "\n\nif 'FAILS' in os.environ:\n    import absent_package\n\n\nclass"), {"FAILS": "1"},
     ["Traceback", "lacking.py", "import absent_package", "ModuleNotFoundError: No module named 'absent_package'"]),
]


def told(program, work):
    """What is said of errors in Python code, and where there is no Python or no package."""
    for name, (old, new), _, _ in ERRORS:
        code = "import os\n" + SPRING.replace("class Spring", f"class {name}").replace(old, new, 1)
        (work / f"{name.lower()}.py").write_text(code)
        subprocess.run([tool("pythonfmu"), "build", "-f", work / f"{name.lower()}.py", "-d", work], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", work / "bare"], check=True)
    bare, nowhere = work / "bare/bin/python3", {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"} | {"PATH": "/nonexistent"}
    # What the Python of UniFMU wrote is all that is known of its error: the FMU itself waits for ever.
    fails = work / "unifmu_fails"
    shutil.rmtree(fails, ignore_errors=True)
    shutil.copytree(work / "unifmu_zmq", fails)
    model = fails / "resources/model.py"
    model.write_text(model.read_text().replace(ADDED, '        raise ValueError("too far")\n'))
    zipped(fails)
    cases = [(f"{name}.fmu", {**ACTIVE, **more}, option, words) for name, _, more, words in ERRORS for option in ([], ["--isolate"], ["--json"])]
    cases += [("Spring.fmu", nowhere, [], ["looked for the key `python`"]), ("Spring.fmu", nowhere, ["--python", sys.executable], None)]
    cases += [("unifmu_zmq.fmu", ACTIVE, ["--python", bare], ["`pyzmq`", "No module named 'zmq'"]),
              ("unifmu_grpc.fmu", ACTIVE, ["--python", bare, "--isolate"], ["`grpcio protobuf`", "No module named 'grpc'"]),
              ("unifmu_fails.fmu", ACTIVE, ["--isolate", "--call-limit", "5", "--json"], ["no answer within 5 s", "it wrote last: ", "Traceback", "in do_step", "ValueError: too far"])]
    for fmu, environment, more, words in cases:
        command = [program, "simulate", work / fmu, "--step", "0.25", "--stop", "1", "--out", work / "out", *more]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20)
        said = json.loads(run.stdout)["error"] if "--json" in more and run.stdout.strip() else run.stderr
        good = run.returncode == (1 if words else 0) and all(word in said for word in words or [])
        yield good, f"{fmu} {' '.join(map(str, more))}: {'exit code 0' if words is None else words[-1][:60]}{'' if good else ': ' + said}"


def by_hand(work, step, stop):
    """Ends of FMPy's own fixed-point iteration of the mass and the spring with state: inputs of a step are what the other one has at its end."""
    slaves, references = [], []
    for name in ("Kept", "oscillator2_force"):
        described, folder = fmpy.read_model_description(work / f"{name}.fmu", validate=False), fmpy.extract(work / f"{name}.fmu")
        slave = fmpy.fmi2.FMU2Slave(guid=described.guid, unzipDirectory=folder, modelIdentifier=described.coSimulation.modelIdentifier, instanceName=name)
        slave.instantiate()
        slave.setupExperiment(startTime=0.0, stopTime=stop)
        slaves.append(slave)
        references.append({v.name: v.valueReference for v in described.modelVariables})
    (spring, mass), (of_spring, of_mass) = slaves, references
    mass.setInteger([of_mass["integrator"]], [3])
    mass.setReal([of_mass[name] for name in ("m", "k", "c", "x0", "v0")], [1.0, 20.0, 0.5, 1.0, 0.0])
    for slave in slaves:
        slave.enterInitializationMode()
        slave.exitInitializationMode()
    speed, force = 0.0, 0.0
    for window in range(round(stop / step)):
        states = [slave.getFMUstate() for slave in slaves]
        for _ in range(100):
            for slave, state in zip(slaves, states):
                slave.setFMUstate(state)
            spring.setReal([of_spring["u"]], [speed])
            mass.setReal([of_mass["f"]], [force])
            for slave in slaves:
                slave.doStep(currentCommunicationPoint=window * step, communicationStepSize=step)
            before, speed, force = (speed, force), mass.getReal([of_mass["v"]])[0], -30.0 * spring.getReal([of_spring["x"]])[0]
            if max(abs(speed - before[0]), abs(force - before[1])) < 1e-14:
                break
        for slave, state in zip(slaves, states):
            slave.freeFMUstate(state)
    return [spring.getReal([of_spring["x"]])[0], mass.getReal([of_mass["x"]])[0], speed]


def gone_back(program, work):
    """Methods that repeat steps, with an FMU by pythonfmu that has a state: beside FMPy's iteration, and beside the solution of both as one system."""
    step, stop = 0.05, 2.0
    text = PYTHON_SPRING.replace("Spring.fmu", "Kept.fmu").replace("step = 1e-2", f"step = {step}\n[coupling]\ncorrector_tolerance = 1e-13")
    (work / "kept.toml").write_text(text)

    def ends(*method):
        out = work / "kept"
        command = [program, "run", work / "kept.toml", "--no-pictures", "--rollback", "own", "--out", out, *method]
        subprocess.run(command, check=True, env=ACTIVE, capture_output=True)
        return [float(x) for x in (out / "trace.csv").read_text().splitlines()[-1].split(",")[1:]]

    def off(found, expected):
        return max(abs(a - b) for a, b in zip(found, expected, strict=True))

    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as process:
        reference = process.submit(by_hand, work, step, stop).result()
    for method in ("fixed-point", "newton"):
        found = off(ends("--correct", method), reference)
        yield found <= 1e-10, f"{method} with an FMU by pythonfmu that goes back: {found:.1e} from FMPy's iteration"
    # x'' + 0.5 x' + 20 x + 30 (x - 1) = 0, x(0) = 1.
    w, a = math.sqrt(50.0 - 0.0625), 0.4 * math.exp(-0.25 * stop)
    x, v = 0.6 + a * (math.cos(w * stop) + 0.25 / w * math.sin(w * stop)), -a * 50.0 / w * math.sin(w * stop)
    errors = [off(ends("--method", f"waveform:{nodes}"), [x - 1.0, x, v]) for nodes in (8, 16)]
    # The spring holds its input between nodes: of order 2 in their distance.
    good = errors[1] <= 1e-4 and errors[0] / errors[1] >= 3.0
    yield good, f"waveform:8 and 16 with it: {errors[0]:.1e} and {errors[1]:.1e} from the solution"


def verbs(program, fmu, step, stop, names, work):
    """The verbs besides `simulate`, each with what was said where it did not end as it should."""
    system = work / "verbs.toml"
    recorded = json.dumps([f"unit.{name}" for name in names])
    system.write_text(f'[experiment]\nstop = {stop}\nstep = {step}\n[units.unit]\nfmu = "{fmu.name}"\n[record]\nvariables = {recorded}\n')
    out = ["--out", work / "verbs"]
    runs = ["run", system, "--no-pictures", *out, "--json"]
    sweep = ["sweep", system, "--vary", f"step={step},{2 * step}", "--measure", f"top=max(unit.{names[0]})", "--workers", "1", "--no-pictures", *out, "--json"]
    commands = [["info", fmu, "--json"], ["check", fmu, "--json"], runs, [*runs, "--isolate"], [*sweep, "--isolate"], sweep]
    for command in commands:
        # A description of others may break rules: `check` then ends with 1 and says which.
        expected = (0, 1) if command[0] == "check" else (0,)
        shutil.rmtree(work / "verbs", ignore_errors=True)
        done = subprocess.run([program, *command], env=ACTIVE, capture_output=True, text=True)
        if done.returncode not in expected or not done.stdout.strip():
            yield f"{fmu.name}: {' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr[-400:]}"
        if command[0] == "sweep" and done.returncode == 0 and json.loads(done.stdout).get("ok", 2) != 2:
            yield f"{fmu.name}: sweep: {done.stdout[-400:]}"


def apart(*arguments):
    """`theirs` in a process of its own: libraries of several tools in one process spoil each other's memory in FMPy."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as process:
        return process.submit(theirs, *arguments).result()


def compared(program, fmu, step, work):
    """Largest difference from FMPy's rows, in process and isolated, and the names that both have."""
    names, reference = apart(fmu, step, 1)
    worst = 0.0
    for isolate in (False, True):
        columns, rows = ours(program, fmu, step, 1, work, isolate)
        shared = [(columns.index(n), names.index(n)) for n in names if n in columns]
        number = {"true": 1.0, "false": 0.0}
        differences = [abs(float(number.get(a[i], a[i])) - b[j]) for a, b in zip(rows, reference) for i, j in shared]
        # NaN is a difference, too.
        moves = len({tuple(row[1:]) for row in rows}) > 1
        if len(rows) != len(reference) or len(shared) < 2 or not moves or not all(d <= 1e-12 for d in differences):
            where = "isolated" if isolate else "in process"
            raise RuntimeError(f"{where}: {len(rows)} rows of {len(shared)} columns (FMPy {len(reference)}), difference {max(differences, default=0.0)}")
        worst = max(worst, *differences)
    return worst, [columns[i] for i, _ in shared if columns[i] != "time"]


TOOLS = [("pythonfmu", by_pythonfmu, 0.25), ("pythonfmu3", by_pythonfmu3, 0.25), ("fmi-export", by_fmi_export, 1e-2), ("unifmu", by_unifmu, 0.25), ("FMUContainer", by_fmucontainer, 1e-3),
         ("FMPy container", by_fmpy, 1e-3)]


def main():
    program, work = Path(sys.argv[1]), Path(sys.argv[2])
    subprocess.run([program, "fmus", "--out", work], check=True, stdout=subprocess.DEVNULL)
    os.environ["PATH"] = ACTIVE["PATH"]
    failed, total, table = False, 0, []
    for name, make, step in TOOLS:
        made, ran, same, worst = 0, 0, 0, 0.0
        for fmu in make(work):
            made += 1
            try:
                difference, names = compared(program, fmu, step, work)
            except (RuntimeError, ValueError) as reason:
                print(f"{fmu.name}: {reason}")
                continue
            same, worst = same + 1, max(worst, difference)
            wrong = list(verbs(program, fmu, step, 1 if step > 0.1 else 0.02, names, work))
            print("\n".join(wrong), end="\n" if wrong else "")
            ran += not wrong
        table.append((name, made, ran, same, f"{worst:.1e}"))
        failed |= not made == ran == same
        total += made
    failed |= total < 15
    for good, line in [*told(program, work), *gone_back(program, work)]:
        failed |= not good
        print(line)
    method, ratio = advised(program, work / "Spring.fmu", PYTHON_SPRING, work)
    good = 0.5 <= ratio <= 2.0
    failed |= not good
    print(f"advise with an FMU by pythonfmu: {method}, measured/predicted {ratio:.2f}{'' if good else ': OUT OF BOUNDS'}")
    print(f"{'tool':<16}{'FMUs':>6}{'ran':>6}{'same rows as FMPy':>20}{'largest difference':>20}")
    for name, made, ran, same, worst in table:
        print(f"{name:<16}{made:>6}{ran:>6}{same:>20}{worst:>20}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
