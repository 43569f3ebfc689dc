#!/bin/bash
# Packs the crates that other programs can depend on, in the order of their dependencies, and builds each from its archive alone.
# Nothing is uploaded.
set -euo pipefail
cd "$(dirname "$0")/../.."

# All members that do not say `publish = false`.
mapfile -t crates < <(cargo metadata --no-deps --format-version 1 |
    python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] is None]')
# What was built or unpacked of an archive before counts as current for cargo: a version in a registry does not change. The registry of a dry
# run is a folder, and what is unpacked of a folder lies under a name that begins with a dash.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/publish
# They are built to see that they can be, and not run.
export CARGO_PROFILE_DEV_DEBUG=0
rm -rf "$CARGO_TARGET_DIR" "${CARGO_HOME:-$HOME/.cargo}"/registry/*/-*/macrostep-*
echo "${#crates[@]} crates: ${crates[*]}"
cargo publish --quiet --dry-run --allow-dirty "${crates[@]/#/--package=}"
