#!/bin/sh
# A thousand instances of each of our FMUs, fewer of large ones and in FMI 3.0, and a tenth of them under valgrind: no invalid access, nothing
# lost, not even possibly. Needs valgrind; its absence is a failure.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
command -v valgrind >/dev/null || { echo "valgrind is not installed (Debian: apt-get install valgrind)" >&2; exit 1; }
# With symbols, by which the suppressions know what they mean.
. "$root/tests/kit/judge.sh"
example instances
valgrind --quiet --suppressions="$root/tests/judges/valgrind.supp" --leak-check=full --show-leak-kinds=definite,indirect,possible \
    --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=1 "$target/debug/examples/instances" 100
echo "valgrind: no error and no leak"
