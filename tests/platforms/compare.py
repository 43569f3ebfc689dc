"""Runs the libraries of FMUs for several platforms and compares their outputs bit by bit.

    compare.py FMUS PLATFORM=COMMAND...

FMUS is a folder of archives; COMMAND runs `trace` (trace.c) for the platform. The first platform is what the others are held
against. Exit code 1 where a library is missing, fails or gives other bits; models in BOUND take sine, cosine and arcs from the C library,
whose last bit is not the same everywhere, and may differ by that part of the largest value of an output, or of its unit where that is more.
"""

import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

STEPS = 100
BOUND = {"crane": 1e-9, "rod_hinged": 1e-15, "waveform": 1e-13}


def variables(description):
    """Lines for `trace`: real inputs, which move slowly from their start values, and real outputs."""
    lines = []
    for variable in description.find("ModelVariables"):
        real, reference = variable.find("Real"), variable.get("valueReference")
        if real is None:
            continue
        if variable.get("causality") == "input":
            start = float(real.get("start", "0"))
            lines.append(f"in {reference} {start!r} {1e-5 * (len(lines) % 7 + 1)!r}")
        elif variable.get("causality") == "output":
            lines.append(f"out {reference}")
    return lines


def trace(folder, platform, command, description, lines):
    """What `trace` prints for the library of a platform, or a sentence that says why there is nothing."""
    unit = description.find("CoSimulation").get("modelIdentifier")
    found = sorted((folder / "binaries" / platform).glob(f"{unit}.*"))
    if not found:
        return None, "no library"
    experiment = description.find("DefaultExperiment")
    step = experiment.get("stepSize", "1e-3") if experiment is not None else "1e-3"
    drive = "Z:" if platform.startswith("win") else ""
    words = [drive + str(found[0]), description.get("guid"), f"file:///{drive}{folder / 'resources'}".replace("////", "///")]
    run = subprocess.run(
        [*shlex.split(command), *words, step, str(STEPS)], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600
    )
    if run.returncode:
        return None, f"exit code {run.returncode}: {run.stderr.strip().splitlines()[-1:]}"
    return run.stdout.split("\n"), ""


def difference(rows, expected):
    """The largest difference of an output as a part of its largest value or its unit; infinite where the traces are not of one length."""
    value = lambda word: struct.unpack(">d", bytes.fromhex(word))[0]
    columns = [list(zip(*(map(value, row.split()[1:]) for row in trace if row))) for trace in (rows, expected)]
    if len(rows) != len(expected):
        return float("inf")
    worst = 0.0
    for found, right in zip(*columns):
        scale = max(1.0, *map(abs, right))
        worst = max(worst, max(abs(a - b) / scale for a, b in zip(found, right)))
    return worst


def main(fmus, commands):
    failed = 0
    for path in sorted(pathlib.Path(fmus).glob("*.fmu")):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            zipfile.ZipFile(path).extractall(folder)
            (folder / "resources").mkdir(exist_ok=True)
            description = xml.parse(folder / "modelDescription.xml").getroot()
            lines = variables(description)
            told, expected = [], None
            for platform, command in commands:
                rows, reason = trace(folder, platform, command, description, lines)
                if rows is None:
                    told.append(f"{platform}: {reason}")
                    failed += 1
                elif expected is None:
                    expected = rows
                elif rows != expected:
                    first = next((k for k, (a, b) in enumerate(zip(rows, expected)) if a != b), "the last")
                    largest, bound = difference(rows, expected), BOUND.get(path.stem, 0.0)
                    told.append(f"{platform}: other bits from step {first} on, by {largest:.1e}, bound {bound}")
                    failed += not largest <= bound
            print(f"{path.stem:28} {'; '.join(told) or f'equal bits, {STEPS} steps'}", flush=True)
    names = ", ".join(platform for platform, _ in commands)
    print(f"{names}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]))
