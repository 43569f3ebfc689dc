"""Many runs of the oscillator pair (s-s, Jacobi, hold, H = 1 ms, 1000 steps): workers, memory, a bare loop, and peers.

usage: sweep.py MACROSTEP WORK ROOT [--write]
"""

import csv
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import fmpy
import joblib
import matplotlib
import numpy as np
from fmpy.fmi2 import FMU2Slave

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

PROGRAM, WORK, ROOT = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
CORES = os.cpu_count() or 1
STEPS = 1000
NAMES = ["oscillator1_displacement", "oscillator2_displacement"]
VARIABLES = ["xi", "xi_dot", "x", "v", "micro_step", "integrator"]


def scenario(sources):
    """The pair, its FMUs from files or from the program."""
    set_ = 'set = { integrator = "semi_implicit_euler", micro_step = 1e-4, f_ext = 0.0 }'
    units = "".join(f'[units.{unit}]\nfmu = "{source}"\n{set_}\n' for unit, source in zip(["left", "right"], sources))
    links = [("left.xi", "right.x"), ("left.xi_dot", "right.v"), ("right.xi", "left.x"), ("right.xi_dot", "left.v")]
    connections = "".join(f'"{a}" = "{b}"\n' for a, b in links)
    return f'[experiment]\nstop = 1.0\nstep = 1e-3\n[coupling]\npredict = "hold"\n{units}[connections]\n{connections}'


def cost(words, **options):
    """Wall and CPU time [s], memory [MiB] and output of a program and its children."""
    out = WORK / "out.txt"
    began = time.perf_counter()
    with open(out, "w") as file:
        child = subprocess.Popen([str(w) for w in words], cwd=WORK, stdout=file, stderr=subprocess.DEVNULL, **options)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{words}: status {status}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read_text()


count = 0


def sweep(system, runs, *more):
    """A sweep over the stiffness of one mass into a folder of its own."""
    global count
    count += 1
    words = [PROGRAM, "sweep", system, "--vary", f"left.k=lin:5:15:{runs}", "--measure", "top=max(right.x)", "--out", f"sweep{count}", "--json", *more]
    wall_s, cpu_s, memory_mib, text = cost(words)
    return wall_s, cpu_s, memory_mib, json.loads(text)


def workers():
    """Time of 10 000 runs by the number of workers."""
    rows, runs = [], 10_000
    for n in sorted({1, CORES, *(2**i for i in range(10) if 2**i <= CORES)}):
        best = min((sweep("pair.toml", runs, "--workers", n, "--no-pictures")[:2] for _ in range(3)), key=lambda row: row[0])
        rows.append((n, *best))
    first = rows[0][1]
    return [(n, wall_s, cpu_s, first / wall_s, first / wall_s / n) for n, wall_s, cpu_s in rows]


def memory():
    """Largest resident set [MiB] by the number of runs, which are short; of the last one with its pictures."""
    rows = []
    for runs, more in [(1000, []), (100_000, []), (1_000_000, [])]:
        wall_s, cpu_s, memory_mib, _ = sweep("pair.toml", runs, "--stop", "0.01", *more)
        rows.append((runs, cpu_s, memory_mib))
    # The rows are there: they are read, and drawn, once more.
    words = [PROGRAM, "sweep", "pair.toml", "--stop", "0.01", "--vary", "left.k=lin:5:15:1000000", "--measure", "top=max(right.x)", "--out", f"sweep{count}"]
    _, cpu_s, memory_mib, _ = cost(words)
    return rows, (cpu_s, memory_mib)


def without_state(folder):
    """The FMUs as files that can neither save nor restore their state."""
    cost([PROGRAM, "fmus", "--out", "fmus"])
    for name in NAMES:
        source, target = zipfile.ZipFile(WORK / "fmus" / f"{name}.fmu"), zipfile.ZipFile(folder / f"{name}.fmu", "w", zipfile.ZIP_DEFLATED)
        for entry in source.namelist():
            content = source.read(entry)
            if entry == "modelDescription.xml":
                for word in [b'canGetAndSetFMUstate="true"', b'canSerializeFMUstate="true"']:
                    content = content.replace(word, b"")
            target.writestr(entry, content)
        target.close()


def unpacked(folder):
    """Descriptions and folders of the unpacked FMUs."""
    found = []
    for name in NAMES:
        path = fmpy.extract(str(folder / f"{name}.fmu"), str(folder / name))
        description = fmpy.read_model_description(path, validate=False)
        references = {v.name: v.valueReference for v in description.modelVariables}
        found.append((description.guid, description.coSimulation.modelIdentifier, path, references))
    return found


def bare(fmus, runs):
    """CPU time of the same steps by hand."""
    program = WORK / "bare"
    subprocess.run(["cc", "-O2", "-w", "-o", program, ROOT / "benches/sweep/bare.c", "-ldl"], check=True)
    libraries = [word for guid, model, path, _ in fmus for word in (f"{path}/binaries/linux64/{model}.so", guid)]
    references = [known[name] for *_, known in fmus for name in VARIABLES]
    return cost([program, runs, STEPS, *libraries, *references])[1]


def foreign(fmus, folder):
    """1000 runs of the pair without state saving, beside their steps by hand."""
    (WORK / "files.toml").write_text(scenario([f"{folder.name}/{name}.fmu" for name in NAMES]))
    pairs = [(sweep("files.toml", 1000, "--workers", 1, "--no-pictures")[1], bare(fmus, 1000)) for _ in range(5)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def fmpy_runs(fmus, stiffness):
    """Largest position of the right mass for each stiffness of the left one by a loop in Python over FMPy's calls, and its CPU time [s]."""
    began = time.process_time()
    slaves = [FMU2Slave(guid=guid, modelIdentifier=model, unzipDirectory=path, instanceName=model) for guid, model, path, _ in fmus]
    for slave in slaves:
        slave.instantiate()
    a, b = slaves
    known = [references for *_, references in fmus]
    inputs, outputs = [[[k[n] for n in names] for k in known] for names in (["xi", "xi_dot"], ["x", "v"])]
    found = []
    for i, k in enumerate(stiffness):
        for slave, k_of in zip(slaves, known):
            if i > 0:
                slave.reset()
            slave.setReal([k_of["micro_step"]], [1e-4])
            slave.setInteger([k_of["integrator"]], [1])
        a.setReal([known[0]["k"]], [k])
        for slave in slaves:
            slave.setupExperiment(startTime=0.0)
            slave.enterInitializationMode()
            slave.exitInitializationMode()
        y, z, top = a.getReal(outputs[0]), b.getReal(outputs[1]), -np.inf
        top = max(top, z[0])
        for n in range(STEPS):
            a.setReal(inputs[0], z)
            b.setReal(inputs[1], y)
            a.doStep(n * 1e-3, 1e-3)
            b.doStep(n * 1e-3, 1e-3)
            y, z = a.getReal(outputs[0]), b.getReal(outputs[1])
            top = max(top, z[0])
        found.append(top)
    for slave in slaves:
        slave.freeInstance()
    return found, time.process_time() - began


def peers(fmus):
    """Time a run, with all cores where one can use them, and the largest difference of a measure to ours."""
    runs = 10_000
    wall_s, cpu_s, *_ = sweep("pair.toml", runs, "--no-pictures")
    with open(WORK / f"sweep{count}" / "runs.csv", newline="") as file:
        ours = [(float(row["left.k"]), float(row["top"])) for row in csv.DictReader(file)]
    rows = [(f"`macrostep sweep`, {CORES} workers", runs, wall_s / runs, cpu_s / runs, 0.0)]
    some = ours[:: runs // 200]
    stiffness = [k for k, _ in some]

    def row(name, timed):
        began = time.perf_counter()
        found, used_s = timed()
        wall_s, n = time.perf_counter() - began, len(found)
        off = max(abs(x - top) for x, (_, top) in zip(found, some))
        rows.append((name, n, wall_s / n, used_s / n, off))

    row("FMPy, a loop over its calls", lambda: fmpy_runs(fmus, stiffness))
    parts = [stiffness[i::CORES] for i in range(CORES)]

    def spread():
        done = joblib.Parallel(n_jobs=CORES)(joblib.delayed(fmpy_runs)(fmus, part) for part in parts)
        found = [done[i % CORES][0][i // CORES] for i in range(len(stiffness))]
        return found, sum(used_s for _, used_s in done)

    row(f"FMPy with joblib, {CORES} processes", spread)
    few = stiffness[:20]

    def shell():
        found, used_s = [], 0.0
        for k in few:
            words = [PROGRAM, "run", "pair.toml", "--set", f"left.k={k!r}", "--record", "right.x", "--out", "one", "--no-pictures"]
            used_s += cost(words)[1]
            with open(WORK / "one" / "trace.csv", newline="") as file:
                found.append(max(float(line["right.x"]) for line in csv.DictReader(file)))
        return found, used_s

    row("`macrostep run` in a loop", shell)
    return rows


def table(head, rows):
    """As Markdown."""
    lines = [head, ["-" * max(3, len(name)) for name in head], *rows]
    return "\n".join("| " + " | ".join(str(x) for x in line) + " |" for line in lines) + "\n"


def picture(rows, path):
    """Efficiency over workers, beside what the CPU time alone would give."""
    plt.rcParams["svg.hashsalt"] = "macrostep"
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    n = [row[0] for row in rows]
    axes.plot(n, [row[4] for row in rows], "o-", label="by wall clock")
    axes.plot(n, [rows[0][2] / row[2] for row in rows], "s--", label="by CPU time")
    axes.set(xlabel="workers", ylabel="efficiency", ylim=(0, 1.1), xticks=n, title="10 000 runs of the pair, 1000 steps each")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")
    figure.savefig(path, metadata={"Date": None})


def main():
    (WORK / "pair.toml").write_text(scenario([f"embedded:{name}" for name in NAMES]))
    folder = WORK / "files"
    folder.mkdir()
    without_state(folder)
    fmus = unpacked(folder)
    by_workers = workers()
    by_runs, (drawn_s, drawn_mib) = memory()
    swept_s, bare_s = foreign(fmus, folder)
    beside = peers(fmus)
    text = f"""# Many runs

Printed by `sh benches/sweep/run.sh --write`, on a machine with {CORES} cores (load {os.getloadavg()[0]:.1f} at the end). The pair of masses by
displacements, held, 1000 macro steps of 1 ms with ten micro steps each.

## Workers

10 000 runs. Efficiency is the time with one worker by that with n, by n; ![efficiency](sweep.svg)

{table(["workers", "wall [s]", "CPU [s]", "faster by", "efficiency"], [(n, f"{w:.2f}", f"{c:.2f}", f"{s:.2f}", f"{e:.2f}") for n, w, c, s, e in by_workers])}
## Memory

Runs of ten macro steps, all rows summed up and drawn at the end.

{table(["runs", "CPU [s]", "memory [MiB]"], [(n, f"{c:.1f}", f"{m:.0f}") for n, c, m in by_runs])}
The rows of the last one read and drawn once more: {drawn_s:.1f} s of CPU, {drawn_mib:.0f} MiB.

## Beside the bare steps

1000 runs of the pair from files that cannot save their state, one worker: {swept_s:.3f} s of CPU, all of the program. The same steps in a loop
written by hand over the functions of the same FMUs: {bare_s:.3f} s. Ratio {swept_s / bare_s:.2f}.

## Peers

One measure, the largest position of the right mass, for some values of a stiffness; FMUs are unpacked and loaded once.

{table(["how", "runs", "a run [ms]", "its CPU [ms]", "largest difference [m]"], [(name, n, f"{1e3 * t:.3f}", f"{1e3 * c:.3f}", f"{off:.1e}" if off else "0") for name, n, t, c, off in beside])}"""
    print(text)
    if "--write" in sys.argv:
        (ROOT / "docs/bench/sweep.md").write_text(text)
        picture(by_workers, ROOT / "docs/bench/sweep.svg")


main()
