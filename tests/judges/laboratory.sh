#!/bin/sh
# The page of the laboratory in lab/dist, built anew and compared byte by byte. Where WebAssembly cannot be had, or the compiler is another one than that
# of the page, this says so and compares nothing.
set -eu
cd "$(dirname "$0")/../.."
kept=$(sed -n 2p lab/dist/sources.txt)
if [ "$(rustc --version)" != "$kept" ]; then
    echo "not compared: lab/dist was built by $kept, here is $(rustc --version)"
    exit 0
fi
if ! rustup target list --installed | grep -q wasm32-unknown-unknown && ! rustup target add wasm32-unknown-unknown >/dev/null 2>&1; then
    echo "not compared: lab/build needs rustup target add wasm32-unknown-unknown"
    exit 0
fi
out=target/judges/laboratory
lab/build "$out"
for file in laboratory.html sources.txt; do
    cmp "lab/dist/$file" "$out/$file" || {
        echo "lab/dist/$file is not what its sources give; \`lab/build\` builds it anew" >&2
        exit 1
    }
done
echo "1 passed, 0 failed"
