"""What a wheel does, on a platform without a test tool: prints what the wheels of all platforms must print. `elsewhere.py FOLDER`, for files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import macrostep as ms

# Python under wine cannot begin with NUL as its standard input.
subprocess.DEVNULL = subprocess.PIPE

# The kernel starts no program of another processor: a script that calls the emulator does.
sys.executable = os.environ.get("PYTHON_BY_EMULATOR", sys.executable)

folder = Path(sys.argv[1])
# Relative names, so that no folder is printed.
os.chdir(folder)


def show(what: str, run: ms.Run) -> None:
    """Length, time and the last row to the last bit."""
    last = " ".join(f"{name} {float(run[name][-1]).hex()}" for name in run.columns)
    print(f"{what}: {len(run)} rows to {float(run.time[-1]).hex()}, {last}")


class Body:
    """A mass on which a force acts."""

    def __init__(self, mass: float) -> None:
        self.mass, self.x, self.v = mass, 0.0, 0.0

    def start(self, t, u):
        return self.x, self.v

    def do_step(self, t, h, u):
        self.v += h * u[0] / self.mass
        self.x += h * self.v
        return self.x, self.v


# Two FMUs from files, coupled by three methods. Processes of their own are for Linux on its own machine.
s = ms.System(step=1e-2, stop=0.5)
a, b = s.add("fmus/oscillator1_displacement.fmu", "a"), s.add("fmus/oscillator2_force.fmu", "b", m=2.0)
s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
for options in ({}, {"schedule": "gauss-seidel", "predict": "linear"}, {"predict": "h5", "correct": "newton"}):
    show(f"run {options}", s.run(record=["a.x", "b.v"], isolate=False, **options))

# Step by step, and a unit written in Python.
with s.start(isolate=False) as sim:
    sim.step(10)
    print("stepped", sim.time, sim.get("a.x").hex())
p = ms.System(step=1e-2, stop=0.5)
c = p.add("fmus/oscillator1_displacement.fmu", "c")
d = p.add_unit("d", Body(2.0), {"f": "N"}, {"x": "m", "v": "m/s"})
p.connect(d.f <= c.f_c, c.xi <= d.x, c.xi_dot <= d.v)
show("a unit in Python", p.run(record=["c.x", "d.v"], correct="newton", isolate=False))

# Files: a scenario, a container, a table.
s.save("both.toml")
show("saved and read", ms.open("both.toml").run(record=["a.x", "b.v"], isolate=False))
s.export("both.fmu")
show("a container", ms.simulate("both.fmu", step=1e-2, stop=0.5, isolate=False))
ends = {"time": np.array([0.0, 0.5, 1.0]), "f": np.array([0.0, 50.0, -20.0])}
show("one FMU", ms.simulate("fmus/oscillator2_force.fmu", start={"m": 2.0}, input=ends, step=0.01, stop=1.0, isolate=False))

# What an FMU says of itself, and an error.
print("check", ms.check("fmus/crane.fmu")["errors"], "info", len(ms.info("fmus/crane.fmu")["variables"]))
try:
    s.run(set={"a.nothing": 1.0}, isolate=False)
except ms.Error as e:
    print(type(e).__name__, e.unit, e.variable, e)
