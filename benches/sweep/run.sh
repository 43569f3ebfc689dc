#!/bin/sh
# What many runs cost: workers, memory, a bare loop, and peers. Prints tables; `--write` puts them and the picture into docs/bench.
# The peers are installed in a Python environment of their own inside the target folder. MACROSTEP names a program to use instead of
# building one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/many-runs

. "$root/tests/kit/judge.sh"
environment "$work" "$root/benches/sweep/requirements.txt"
if [ -z "${MACROSTEP:-}" ]; then
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" --bin macrostep
    MACROSTEP=$target/release/macrostep
fi
rm -rf "$work/runs"
mkdir "$work/runs"
"$work/venv/bin/python" "$root/benches/sweep/sweep.py" "$MACROSTEP" "$work/runs" "$root" "$@"
