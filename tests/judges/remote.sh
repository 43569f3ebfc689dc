#!/bin/sh
# Has units on other machines judged, over Zenoh on the loop-back address: the lints and tests of `remote/`, which is a workspace of its own, then remote.py.
# With `build` it ends before remote.py, which needs the program.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
manifest=$root/remote/Cargo.toml
work=$target/judges

# Its crates are many, so they are compiled once: what has the lints compiles the program and its tests too.
export CARGO_INCREMENTAL=0
judged() {
    verb=$1
    shift
    CARGO_TARGET_DIR=$target/remote RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings cargo "$verb" --quiet --locked --manifest-path "$manifest" "$@"
}
cargo fmt --manifest-path "$manifest" --check
judged test
judged build
[ "${1:-}" != build ] || exit 0

. "$root/tests/kit/judge.sh"
environment "$work/remote-python" "$root/tests/judges/remote.txt"

# The program finds `macrostep-remote` on the path.
program
PATH=$target/remote/debug:$PATH "$work/remote-python/venv/bin/python" "$root/tests/judges/remote.py" "$MACROSTEP" "$work/remote"
