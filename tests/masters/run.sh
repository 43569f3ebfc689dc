#!/bin/sh
# Runs the same systems here and in four other masters, and prints their differences and times side by side. The masters
# are installed in a Python environment of their own inside the target folder; a missing one is a failure. Needs python3
# with venv. MACROSTEP names a program to use instead of building one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/masters

. "$root/tests/kit/judge.sh"
environment "$work" "$root/tests/masters/requirements.txt"
program
rm -rf "$work/runs"
mkdir "$work/runs"
"$work/venv/bin/python" "$root/tests/masters/masters.py" "$MACROSTEP" "$root/tests/masters/cases" "$work/runs"
mkdir "$work/runs/containers"
"$work/venv/bin/python" "$root/tests/masters/containers.py" "$MACROSTEP" "$work/runs/containers"
mkdir "$work/runs/ways"
"$work/venv/bin/python" "$root/tests/masters/ways.py" "$MACROSTEP" "$work/runs/ways"
mkdir "$work/runs/components"
"$work/venv/bin/python" "$root/tests/masters/components.py" "$MACROSTEP" "$root/examples/systems" "$work/runs/components"
