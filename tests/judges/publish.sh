#!/bin/bash
# Packs the crates that other programs can depend on, in the order of their dependencies, and builds each from its archive alone.
# Nothing is uploaded.
set -euo pipefail
cd "$(dirname "$0")/../.."

# All members that do not say `publish = false`.
mapfile -t crates < <(cargo metadata --no-deps --format-version 1 |
    python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] is None]')
echo "${#crates[@]} crates: ${crates[*]}"
cargo publish --quiet --dry-run --allow-dirty "${crates[@]/#/--package=}"
