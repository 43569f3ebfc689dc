# What scripts of tests and measurements share. To be read by `.`, from a script that runs with `set -eu` and has set `root` and `target`.

# environment FOLDER REQUIREMENTS: FOLDER/venv has what the file lists; it is made anew when the list has changed.
environment() {
    mkdir -p "$1"
    if ! cmp -s "$2" "$1/installed.txt"; then
        rm -rf "$1/venv"
        python3 -m venv "$1/venv"
        "$1/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$2"
        cp "$2" "$1/installed.txt"
    fi
}

# program: MACROSTEP is the program that is judged. Where it is not set, the release program with all features is built.
program() {
    if [ -z "${MACROSTEP:-}" ]; then
        cargo build --quiet --release --features full --manifest-path "$root/Cargo.toml" --bin macrostep
        MACROSTEP=$target/release/macrostep
    fi
}

# example NAME ARGUMENT…: runs an example, as `cargo test --workspace` has built it.
example() {
    cargo build --quiet --workspace --manifest-path "$root/Cargo.toml" --example "$1"
    "$target/debug/examples/$@"
}
