"""FMUs of other makers in our master: made here, run by FMPy and by ours, compared."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import fmpy
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


def by_pythonfmu(work):
    (work / "spring.py").write_text(SPRING)
    subprocess.run([Path(sys.executable).parent / "pythonfmu", "build", "-f", work / "spring.py", "-d", work], check=True)
    return work / "Spring.fmu"


def by_fmucontainer(work):
    pair = {"name": "pair.fmu", "fmu": [f"{name}.fmu" for name in ("oscillator1_displacement", "oscillator2_force")],
            "link": [[f"{a}.fmu", x, f"{b}.fmu", y] for a, x, b, y in LINKS],
            "output": [[f"{a}.fmu", x, y] for a, x, y in OUTPUTS],
            "auto_link": False, "auto_input": False, "auto_output": False, "auto_parameter": False, "step_size": 1e-3}
    (work / "pair.json").write_text(json.dumps(pair))
    tool = Path(sys.executable).parent / "fmucontainer"
    subprocess.run([tool, "-fmu-directory", work, "-container", "pair.json:0.001"], check=True)
    return work / "pair.fmu"


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
    return work / "container.fmu"


def theirs(fmu, step, stop):
    result = fmpy.simulate_fmu(fmu, stop_time=stop, step_size=step, output_interval=step, fmi_type="CoSimulation",
                               validate=False)
    return list(result.dtype.names), [[float(x) for x in row] for row in result]


# Where the program finds Python: the environment that this runs in, active as in a shell.
ACTIVE = {**os.environ, "VIRTUAL_ENV": sys.prefix}


def ours(program, fmu, step, stop, work, isolate):
    out = work / "out"
    command = [program, "simulate", fmu, "--step", str(step), "--stop", str(stop), "--out", out, "--json"]
    subprocess.run(command + ["--isolate"] * isolate, check=True, env=ACTIVE, stdout=subprocess.DEVNULL)
    with open(out / "result.csv", newline="") as file:
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


def told(program, work):
    """What is said of an error in Python code, and where there is no Python."""
    code = SPRING.replace("class Spring", "class Broken").replace("        self.steps += 1", '        raise ValueError("too far")')
    (work / "broken.py").write_text(code)
    build = [Path(sys.executable).parent / "pythonfmu", "build", "-f", work / "broken.py", "-d", work]
    subprocess.run(build, check=True)
    nowhere = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"} | {"PATH": "/nonexistent"}
    cases = [("Broken.fmu", ACTIVE, [], "ValueError('too far')"), ("Broken.fmu", ACTIVE, ["--isolate"], "ValueError('too far')"),
             ("Spring.fmu", nowhere, [], "looked for `--python PATH`"), ("Spring.fmu", nowhere, ["--python", sys.executable], None)]
    for fmu, environment, more, words in cases:
        command = [program, "simulate", work / fmu, "--step", "0.25", "--stop", "1", "--out", work / "out", *more]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        good = run.returncode == (1 if words else 0) and (words or "") in run.stderr
        yield good, f"{fmu} {' '.join(map(str, more))}: {'exit code 0' if words is None else words}{'' if good else ': ' + run.stderr}"


def main():
    program, work = Path(sys.argv[1]), Path(sys.argv[2])
    subprocess.run([program, "fmus", "--out", work], check=True, stdout=subprocess.DEVNULL)
    failed = False
    for made_by, make, step in (("pythonfmu", by_pythonfmu, 0.25), ("FMUContainer", by_fmucontainer, 1e-3),
                                ("FMPy container", by_fmpy, 1e-3)):
        fmu = make(work)
        names, reference = theirs(fmu, step, 1)
        for isolate in (False, True):
            columns, rows = ours(program, fmu, step, 1, work, isolate)
            shared = [(columns.index(n), names.index(n)) for n in names if n in columns]
            number = {"true": 1.0, "false": 0.0}
            worst = max(abs(float(number.get(a[i], a[i])) - b[j]) for a, b in zip(rows, reference) for i, j in shared)
            good = len(rows) == len(reference) and worst <= 1e-12 and len(shared) > 1
            failed |= not good
            where = "isolated" if isolate else "in process"
            print(f"{made_by}, {where}: {len(rows)} rows (FMPy {len(reference)}), largest difference {worst:.1e}"
                  f"{'' if good else ': DIFFERS'}")
    for good, line in told(program, work):
        failed |= not good
        print(line)
    method, ratio = advised(program, work / "Spring.fmu", PYTHON_SPRING, work)
    good = 0.5 <= ratio <= 2.0
    failed |= not good
    print(f"advise with an FMU by pythonfmu: {method}, measured/predicted {ratio:.2f}{'' if good else ': OUT OF BOUNDS'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
