#!/bin/bash
# Packs the crates that other programs can depend on, as for a registry, and checks that each compiles from what is in its archive alone, with the others from
# theirs. Nothing is uploaded.
set -euo pipefail
cd "$(dirname "$0")/../.."
# All members that do not say `publish = false`.
mapfile -t crates < <(cargo metadata --no-deps --format-version 1 |
    python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] is None]')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/publish
archives=$CARGO_TARGET_DIR/package
rm -rf "$archives"
echo "${#crates[@]} crates: ${crates[*]}"
for do in package "publish --dry-run"; do
    # shellcheck disable=SC2086
    cargo $do --quiet --no-verify --allow-dirty "${crates[@]/#/--package=}"
done
# Side by side they are a workspace in which each finds the others. Its compiler only checks: that a crate lacks a file, or names one outside, is seen without
# a program being made.
cd "$archives"
{
    printf '[workspace]\nresolver = "3"\nmembers = ["macrostep-*"]\n\n[patch.crates-io]\n'
    for archive in *.crate; do
        # With the times of now: those in an archive are always the same, and what was compiled before would count as current.
        tar xmf "$archive"
        folder=${archive%.crate}
        echo "${folder%-*} = { path = \"$folder\" }"
    done
} >Cargo.toml
[ "$(ls -d macrostep-*/ | wc -l)" -eq "${#crates[@]}" ] || { echo "archives: $(ls -d ./*.crate), expected those of ${crates[*]}" >&2; exit 1; }
cargo check --quiet --workspace
