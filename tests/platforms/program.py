"""Runs the program for Windows under wine beside the one of this machine: the same commands, the same rows, the same answers.

    program.py PROGRAM COMMAND

PROGRAM is the program of this machine, COMMAND the one that runs the other, as `wine target/x86_64-pc-windows-gnu/debug/macrostep.exe`. Paths go to
the other with backslashes, half of them with the letter of a drive, and text files with the line ends of Windows. Exit code 1 where an exit code, a
line that is printed, or a byte of the rows differs.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SYSTEM = """
[experiment]
stop = 0.5
step = 1e-3

[units.left]
fmu = 'fmus/oscillator1_displacement.fmu'

[units.right]
fmu = 'fmus/oscillator2_force.fmu'

[inputs]
pull = "pull.csv"

[connections]
"left.xi" = "right.x"
"left.xi_dot" = "right.v"
"right.f" = "left.f_c"
"left.f_ext" = "pull.force"
"""

PULL = "time,force\n0,0\n0.1,20\n0.3,-5\n0.5,0\n"

FORCE = "time,f\n0,0\n0.5,50\n1,-20\n"

# Words that name a file begin with `@`, or with `@@` where the whole path is given. Some commands must fail, with a sentence.
COMMANDS = [
    "fmus --out @fmus",
    "info @fmus/crane.fmu",
    "info @@fmus/oscillator1_displacement.fmu --json",
    "check @fmus/oscillator1_displacement.fmu",
    "check @@fmus/crane.fmu --json",
    "check @@fmus/nowhere.fmu",
    "simulate @fmus/oscillator2_force.fmu --start m=2 --input @force.csv --step 0.01 --stop 1 --out @@force",
    "simulate @@fmus/flexible_body.fmu --stop 0.1 --out @alone",
    "run @system.toml --out @hold",
    "run @@system.toml --predict h5 --correct newton --step 1e-2 --out @@newton",
    "run @system.toml --method waveform:8 --step 5e-2 --out @waves",
    "run @@hold/scenario.toml --out @again",
    "run @system.toml --bundle @bundle --out @@bundled",
    "run @nowhere/system.toml",
    "run @@system.toml --out @@force.csv/below",
    "run actuator --stop 0.05 --out @actuator",
    "convert @system.toml @@system.ssp",
    "run @system.ssp --out @ssp",
    "explain @@system.toml",
    "verify @system.toml --tolerance 1e-2",
    "export @system.toml --out @@pair.fmu",
    "check @pair.fmu",
    "simulate @@pair.fmu --step 1e-2 --stop 0.1 --out @pair",
    "oscillator --stop 1",
]

# What needs Linux, and is refused with this sentence elsewhere.
REFUSED = {
    "run @system.toml --isolate": "isolated slaves need Linux",
    "run @system.toml --step 1e-2 --correct newton --rollback fork": "isolated slaves need Linux",
}

# What is different by right: libraries, times, sizes, and the words of the system for a file that is missing.
DIFFERENT = re.compile(r"(?:File|Path) not found\.|No such file or directory|Not a directory|linux64|win64|\.so\b|\.dll\b|\b[0-9.]+ (?:ms|µs|s)\b|[0-9.]+ ?(?:MB|kB)")

def words(command, folder, is_other):
    """The words of a command as its machine has them."""
    found = []
    for word in command.split():
        path = word.lstrip("@")
        marks = len(word) - len(path)
        if marks == 2:
            path = f"{'Z:' if is_other else ''}{folder}/{path}"
        found.append(path.replace("/", "\\") if is_other and marks else path)
    return found


def called(command, folder):
    """A command in a folder; Python under wine wants a pipe as its standard input."""
    return subprocess.run(command, input=b"", capture_output=True, cwd=folder, timeout=1200)


def answer(run, folder):
    """Exit code and what was printed, with paths in one notation."""
    told = (run.stdout + run.stderr).decode("utf-8", "replace")
    told = told.replace("\r\n", "\n").replace("\\\\", "/").replace("\\", "/").replace(f"Z:{folder}/", "").replace(f"{folder}/", "")
    return [f"exit code {run.returncode}", *(DIFFERENT.sub("*", line.rstrip()) for line in told.splitlines())]


def rows(folder):
    """The files of rows below a folder; those in `resources` are copies of what was given."""
    files = sorted(path for path in folder.rglob("*.csv") if path.parent != folder and path.parent.name != "resources")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def main(program, other):
    failed = 0
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        folders = [pathlib.Path(here).resolve(), pathlib.Path(there).resolve()]
        for name, text in {"system.toml": SYSTEM, "pull.csv": PULL, "force.csv": FORCE}.items():
            (folders[0] / name).write_bytes(text.encode())
            # As an editor on Windows writes it.
            text = text.replace("'fmus/", "'fmus\\") if name == "system.toml" else text
            (folders[1] / name).write_bytes(text.replace("\n", "\r\n").encode())
        for command in COMMANDS:
            told = []
            for start, folder in zip(([program], shlex.split(other)), folders):
                is_other = folder == folders[1]
                run = called([*start, *words(command, folder, is_other)], folder)
                told.append(answer(run, folder))
            right, found = told
            verdict = f"{right[0]}, {len(right) - 1} lines"
            if right != found:
                failed += 1
                lines = [(a, b) for a, b in zip(right, found) if a != b] or [(f"{len(right)} lines", f"{len(found)} lines")]
                verdict = "DIFFERS\n" + "\n".join(f"    expected {a}\n    found    {b}" for a, b in lines[:6])
            print(f"{command:88} {verdict}", flush=True)
        for command, sentence in REFUSED.items():
            run = called([*shlex.split(other), *words(command, folders[1], True)], folders[1])
            is_refused = run.returncode != 0 and sentence in run.stderr.decode("utf-8", "replace")
            failed += not is_refused
            print(f"{command:88} {f'refused: {sentence}' if is_refused else f'NOT REFUSED: {run}'}")
        expected, found = map(rows, folders)
        for name in sorted({*expected, *found}):
            is_equal = expected.get(name) == found.get(name)
            failed += not is_equal
            print(f"{name:40} {'the same bytes' if is_equal else 'OTHER BYTES'}, {len(expected.get(name, b''))}")
    print(f"{len(COMMANDS) + len(REFUSED) + len({*expected, *found}) - failed} passed, {failed} failed")
    return 1 if failed or not expected else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]))
