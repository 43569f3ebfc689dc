#!/bin/sh
# The documents as a book: built by the version of mdBook that stands here, and read in a real browser, from disk.
set -eu
cd "$(dirname "$0")/../.."
version=0.5.4
root=target/judges/mdbook
mdbook=$(command -v mdbook || echo "$root/bin/mdbook")
if [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$version" ]; then
    cargo install --quiet --locked --root "$root" mdbook@$version
    mdbook=$root/bin/mdbook
fi
rm -rf target/book
"$mdbook" build >/dev/null
python3 tests/judges/book.py target/book target/judges/book
