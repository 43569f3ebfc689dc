#!/bin/sh
# Has flexible bodies and the reduced interface judged: CalculiX on the examples of the text, FMPy as another master of the
# reduced beam. Any missing tool is a failure. Needs ccx (Debian: calculix-ccx 2.20 or later), python3 with venv, and what
# run.sh installs.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/judges

command -v ccx >/dev/null || { echo "ccx is missing: apt-get install calculix-ccx" >&2; exit 1; }
cargo test --quiet --workspace --manifest-path "$root/Cargo.toml" --test calculix -- --ignored --nocapture

. "$root/tests/kit/judge.sh"
environment "$work" "$root/tests/judges/requirements.txt"
program
rm -rf "$work/interface"
"$MACROSTEP" fmus --out "$work/interface"
example interface --step 1e-3 --out "$work/interface" >/dev/null
"$work/venv/bin/python" "$root/tests/judges/interface.py" "$work/interface" "$work/interface/deflections.csv"
