#!/bin/sh
# The crate `fmi` loads our FMUs and steps one. Needs libclang to build (Debian: apt-get install libclang-dev).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
rm -rf "$target/judges/fmus"
. "$root/tests/kit/judge.sh"
example judged "$target/judges/fmus"
MACROSTEP_JUDGED=$target/judges/fmus CARGO_TARGET_DIR=$target/fmi-crate \
    cargo test --locked --manifest-path "$root/tests/fmi-crate/Cargo.toml"
