#!/bin/sh
# Builds all fuzz targets once, with the address sanitizer, and runs each for some seconds (10 unless told) from the committed
# seeds, or with `runs=N` N inputs of a fixed sequence. Needs a C++ compiler, for libFuzzer. Works with a stable Rust compiler. What a run finds beyond the seeds
# stays in fuzz/corpus, an input that fails in fuzz/artifacts. FUZZ_TARGET_DIR says where to build (fuzz/target unless told).
set -eu
cd "$(dirname "$0")/.."
case ${1:-10} in
    runs=*) bound="-seed=1 -runs=${1#runs=}" ;;
    *) bound="-max_total_time=${1:-10}" ;;
esac
build=${FUZZ_TARGET_DIR:-fuzz/target}
triple=$(rustc -vV | sed -n 's/^host: //p')
# The flags of `cargo fuzz`, which takes longer to install than the targets take to run: counters and comparisons for libFuzzer, the sanitizer, and checks of
# overflow and debug assertions. With `--target` they are not those of build scripts.
cover="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
cover="$cover -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
RUSTC_BOOTSTRAP=1 RUSTFLAGS="$cover -Zsanitizer=address -Cdebug-assertions=yes --cfg fuzzing" \
    cargo build --locked --release --manifest-path fuzz/Cargo.toml --bins --target "$triple" --target-dir "$build"
for target in archive xml csv calls calls_3 toml ssd; do
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    echo "fuzz target: $target"
    # The same options as `cargo fuzz run`.
    ASAN_OPTIONS=detect_odr_violation=0 "$build/$triple/release/$target" \
        -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "fuzz/seeds/$target" \
        $bound -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1
done
