#!/bin/sh
# Runs every fuzz target for some seconds (10 unless told) from the committed seeds. Needs cargo-fuzz:
# `cargo install cargo-fuzz`. Works with a stable compiler. What a run finds beyond the seeds stays in fuzz/corpus.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-10}
for target in archive xml csv calls; do
    mkdir -p "fuzz/corpus/$target"
    RUSTC_BOOTSTRAP=1 cargo fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1
done
