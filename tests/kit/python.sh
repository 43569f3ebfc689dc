# A Python environment for scripts of tests and measurements. To be read by `.`, from a script that runs with `set -eu`.

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
