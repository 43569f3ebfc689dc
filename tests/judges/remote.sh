#!/bin/sh
# Has units on other machines judged, over Zenoh on the loop-back address: the lints and tests of `remote/`, which is a workspace of its own, then remote.py.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
manifest=$root/remote/Cargo.toml

# Its crates are many: compiled once.
export CARGO_INCREMENTAL=0
cargo fmt --manifest-path "$manifest" --check
CARGO_TARGET_DIR=$target/remote cargo clippy --quiet --locked --manifest-path "$manifest" --all-targets -- -D warnings
CARGO_TARGET_DIR=$target/remote cargo test --quiet --locked --manifest-path "$manifest"
CARGO_TARGET_DIR=$target/remote cargo build --quiet --locked --manifest-path "$manifest"

# The program finds `macrostep-remote` on the path.
macrostep=${MACROSTEP:-}
if [ -z "$macrostep" ]; then
    cargo build --quiet --release --features full --manifest-path "$root/Cargo.toml"
    macrostep=$target/release/macrostep
fi
PATH=$target/remote/debug:$PATH python3 "$root/tests/judges/remote.py" "$macrostep" "$target/judges/remote"
