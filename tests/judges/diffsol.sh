#!/bin/sh
# The crate `diffsol` solves stiff equations beside our integrator: its errors, and how many steps both take.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/diffsol \
    cargo test --locked --manifest-path "$root/tests/diffsol/Cargo.toml" -- --nocapture
