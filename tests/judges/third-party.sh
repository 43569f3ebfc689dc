#!/bin/sh
# Runs FMUs of other makers in ours, in this process and isolated, and holds the results against FMPy's own run of the same
# file: by pythonfmu and unifmu (Python inside), fmi-export (Rust), FMUContainer and FMPy (other FMUs inside). Needs python3 with
# venv, the shared library of that Python, which the program finds for pythonfmu's FMUs, and libclang for fmi-export.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/third-party

. "$root/tests/kit/judge.sh"
environment "$work" "$root/tests/judges/third-party.txt"

program
"$work/venv/bin/python" "$root/tests/judges/third_party.py" "$MACROSTEP" "$work"
