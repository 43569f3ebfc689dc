#!/usr/bin/env python3
"""CPU time of a build from an empty target folder: of everything together, and of each crate.

    python3 benches/build/measure.py [--target DIR] [--keep] [-- COMMAND]

COMMAND is `cargo run --release -- --out DIR/out` unless another is given. Packages are fetched before, and do not count. CPU time is
user + system of the command and all processes it starts (compilers, linkers, build scripts, the program itself), as the kernel counts
it: it depends little on what else the machine does, unlike the time on the clock. The times of single crates come from a small program
that cargo, and the cargo that builds the FMUs, call in place of rustc.

The last line is JSON with the sums: `cpu_s`, `rustc_cpu_s`, `crates`, `target_mb`, `wall_s`.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

# In place of rustc: notes user time, system time, kind and name of the crate. A line is short enough to be written in one piece.
WRAPPER = """#!/bin/bash
name= kind=lib folder=
while [ "$#" -gt 0 ] && arguments+=("$1"); do
    case $1 in
    --crate-name) name=$2 ;;
    --crate-type) kind=$2 ;;
    --out-dir) folder=$2 ;;
    esac
    shift
done
[ -z "$name" ] || [ "$name" = ___ ] && exec "$REAL_RUSTC" "${arguments[@]}"
case $folder in */fmu/*) kind="$kind of FMUs" ;; esac
"$REAL_RUSTC" "${arguments[@]}"
code=$?
# In this shell: another one has times of its own.
times >"$CRATES_FILE.$$"
{ read -r _ && read -r user system; } <"$CRATES_FILE.$$"
rm -f "$CRATES_FILE.$$"
echo "$user $system $name $kind" >>"$CRATES_FILE"
exit $code
"""


def seconds(text):
    """`1m2.345s` as seconds."""
    minutes, rest = text.rstrip("s").split("m")
    return 60 * float(minutes) + float(rest)


def size_mb(folder):
    """Length of all files in a folder; a file with several names counts once."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            files[status.st_ino] = status.st_blocks * 512
    return sum(files.values()) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", type=pathlib.Path, help="empty folder [default: a new one in the folder for temporary files]")
    parser.add_argument("--keep", action="store_true", help="do not remove the target folder")
    parser.add_argument("--rows", type=int, default=25, help="crates shown, the longest first [default: 25]")
    parser.add_argument("command", nargs="*", help="what is measured")
    arguments = parser.parse_args()
    target = arguments.target or pathlib.Path(tempfile.mkdtemp(prefix="macrostep-build-"))
    if target.exists() and any(target.iterdir()):
        sys.exit(f"{target} is not empty: a build from there is not measured from its beginning")
    target.mkdir(parents=True, exist_ok=True)
    command = arguments.command or ["cargo", "run", "--release", "--", "--out", str(target / "out")]

    # Packages, and where the real compiler is.
    subprocess.run(["cargo", "fetch", "--quiet", "--locked"], check=True)
    found = subprocess.run(["rustup", "which", "rustc"], capture_output=True, text=True, check=False)
    compiler = found.stdout.strip() or shutil.which("rustc")
    with tempfile.TemporaryDirectory() as folder:
        wrapper = pathlib.Path(folder) / "rustc"
        wrapper.write_text(WRAPPER)
        wrapper.chmod(0o755)
        lines = pathlib.Path(folder) / "crates"
        lines.touch()
        environment = dict(os.environ, CARGO_TARGET_DIR=str(target), RUSTC=str(wrapper), REAL_RUSTC=compiler, CRATES_FILE=str(lines))
        environment.pop("RUSTC_WRAPPER", None)
        began = time.monotonic()
        code = subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode
        wall_s = time.monotonic() - began
        rows = [line.split(" ", 3) for line in lines.read_text().splitlines()]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)

    # Libraries of a name, its build script and the libraries for FMUs are told apart.
    crates = collections.Counter()
    for user, system, name, kind in rows:
        crates[f"{name} ({kind})"] += seconds(user) + seconds(system)
    print("| crate | CPU s |\n|---|---|")
    for name, cpu_s in crates.most_common(arguments.rows):
        print(f"| {name} | {cpu_s:.1f} |")
    total = {
        "cpu_s": round(used.ru_utime + used.ru_stime, 1),
        "rustc_cpu_s": round(sum(crates.values()), 1),
        "crates": len(crates),
        "target_mb": round(size_mb(target)),
        "wall_s": round(wall_s),
    }
    print(json.dumps(total))
    if not arguments.keep and arguments.target is None:
        shutil.rmtree(target)
    return code


if __name__ == "__main__":
    sys.exit(main())
