#!/bin/sh
# Builds all fuzz targets once, with the address sanitizer, and runs each for some seconds (10 unless told) from the committed
# seeds, or with `runs=N` N inputs of a fixed sequence. Needs cargo-fuzz: `cargo install cargo-fuzz`. Works with a stable compiler. What a run finds beyond the seeds stays
# in fuzz/corpus, an input that fails in fuzz/artifacts. FUZZ_TARGET_DIR says where to build (fuzz/target unless told).
set -eu
cd "$(dirname "$0")/.."
case ${1:-10} in
    runs=*) bound="-seed=1 -runs=${1#runs=}" ;;
    *) bound="-max_total_time=${1:-10}" ;;
esac
build=${FUZZ_TARGET_DIR:-fuzz/target}
triple=$(rustc -vV | sed -n 's/^host: //p')
RUSTC_BOOTSTRAP=1 cargo fuzz build --target-dir "$build"
for target in archive xml csv calls calls_3 toml ssd; do
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    echo "fuzz target: $target"
    # The same options as `cargo fuzz run`.
    ASAN_OPTIONS=detect_odr_violation=0 "$build/$triple/release/$target" \
        -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "fuzz/seeds/$target" \
        $bound -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1
done
