#!/bin/bash
# Stands in for rustdoc while cargo tests the examples of documentation: `RUSTDOC=$PWD/tests/kit/rustdoc.sh DOCS=FOLDER cargo test --workspace`.
# It makes the pages of the same crate first, in FOLDER, with warnings as errors. `cargo doc` would look at all dependencies a second time.
set -euo pipefail
# The arguments without those of a test.
pages=() is_test= before=
for argument in "$@"; do
    case $before/$argument in
    */--test) is_test=yes ;;
    --test-run-directory/* | --test-args/* | */--test-run-directory | */--test-args) ;;
    *) pages+=("$argument") ;;
    esac
    before=$argument
done
if [ "$is_test" ]; then
    rustdoc "${pages[@]}" --out-dir "$DOCS" --document-private-items --deny warnings
fi
exec rustdoc "$@"
