#!/bin/sh
# Builds the wheel, installs it into a virtual environment of its own, and runs the tests of this folder and the notebook of docs in it.
# Arguments go to pytest.
# PROFILE is that of the wheel; `PROFILE=dev` is built sooner.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv="$root/target/python"
wheels="$root/target/wheels"

# Tools.
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --requirement "$here/requirements.txt"

# The wheel.
rm -f "$wheels"/macrostep-*.whl
"$venv/bin/maturin" build --quiet --profile "${PROFILE:-release}" --manifest-path "$root/python/Cargo.toml" \
    --interpreter "$venv/bin/python" --out "$wheels"
ls -l "$wheels"
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$wheels"/macrostep-*.whl

# Not from the folder of the sources, whose package would be found first.
cd "$here"
"$venv/bin/python" -m mypy.stubtest macrostep --ignore-missing-stub --ignore-positional-only --ignore-disjoint-bases
"$venv/bin/python" -m mypy --strict "$here/typed.py" "$here/mistyped.py"
(cd "$root/python" && "$venv/bin/python" -m mypy --strict --package macrostep)
"$venv/bin/python" -m pytest --quiet "$@" "$here"
"$venv/bin/python" "$here/notebook.py" "$root/docs/tutorial.ipynb"
