#!/bin/sh
# The crate `fmi` loads our FMUs and steps one. Needs libclang to build (Debian: apt-get install libclang-dev).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
rm -rf "$target/judges/fmus"
. "$root/tests/kit/judge.sh"
example judged "$target/judges/fmus"
# Of FMI 3.0 the crate's schema refuses some things that the standard has: they are taken out of the description of one.
adapted=$target/judges/fmus/adapted
mkdir -p "$adapted"
python3 -m zipfile -e "$target/judges/fmus/three/oscillator1_displacement.fmu" "$adapted"
sed -i -e 's/ unit="[^"]*"//' -e 's/ nominal="[^"]*"//' -e '/<?annotation/d' -e 's/ A="/ a="/' -e 's/ K="/ k="/' "$adapted/modelDescription.xml"
(cd "$adapted" && python3 -m zipfile -c ../adapted.fmu *)
MACROSTEP_JUDGED=$target/judges/fmus CARGO_TARGET_DIR=$target/fmi-crate \
    cargo test --locked --manifest-path "$root/tests/fmi-crate/Cargo.toml"
