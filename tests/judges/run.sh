#!/bin/sh
# Has our FMUs judged by FMPy, its XML schema and fmutool, and the mechanics of the crane by MuJoCo, in a Python environment of their own inside the target folder.
# The rows that the program converts are read by SciPy and DyMat. Any missing tool is a failure. Needs python3 with venv, nm and ldd.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/judges

. "$root/tests/kit/judge.sh"
environment "$work" "$root/tests/judges/requirements.txt"

rm -rf "$work/fmus"
example judged "$work/fmus"
"$work/venv/bin/python" "$root/tests/judges/judge.py" "$work/fmus"
"$work/venv/bin/python" "$root/tests/judges/mechanics.py" "$work/fmus/crane.fmu"
mkdir -p "$work/formats"
program
"$work/venv/bin/python" "$root/tests/judges/formats.py" "$MACROSTEP" "$work/formats"
