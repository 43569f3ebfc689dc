"""Instructions that a macro step of the program's verbs takes, beside those that were counted before.

    python3 tests/judges/instructions.py           compares with docs/bench/verbs.json, 2 % allowed
    python3 tests/judges/instructions.py --write   writes them there

Valgrind counts the commands of benches/verbs as they are typed, with the program as `cargo build --release` makes it; the difference of a long and a short run is
what the steps take. Processors and load make no difference to it. A run without a power bond has a second
look at the end, whose length follows from the run's up to 45 000 steps: such rows have longer runs, so that it costs both the same, and one row counts it
with the steps.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MACROSTEP") or Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "macrostep"
COUNTED = ROOT / "docs" / "bench" / "verbs.json"
STEP_S = 1e-4
STEPS = (10_000, 20_000)
ALLOWED = 0.02


def count(verb: dict, steps: int) -> int:
    """Instructions of the process that works; another one watches it and has counted, too."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*verb["words"], "--stop", repr(steps * STEP_S), "--json", *(["--out", folder] if verb["rows"] else [])]
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, *words],
            capture_output=True,
            text=True,
            cwd=ROOT / "benches" / "verbs",
        )
    if done.returncode != 0:
        sys.exit(f"{verb['what']}: {done.stderr}")
    return max(int(n) for n in re.findall(r"Collected : (\d+)", done.stderr))


def main() -> None:
    verbs = json.loads((ROOT / "benches" / "verbs" / "verbs.json").read_text())
    found = {}
    for verb in verbs:
        steps = verb.get("steps", STEPS)
        short, long = (count(verb, n) for n in steps)
        found[verb["what"]] = round((long - short) / (steps[1] - steps[0]))
    if "--write" in sys.argv:
        COUNTED.write_text(json.dumps(found, indent=2) + "\n")
        return
    before = json.loads(COUNTED.read_text())
    off = 0
    for what in {**before, **found}:
        a, b = before.get(what), found.get(what)
        is_near = a is not None and b is not None and abs(b / a - 1) <= ALLOWED
        off += not is_near
        print(f"{what}: {b}, before {a}" + ("" if is_near else ", more than 2 % apart"))
    if off:
        sys.exit(f"{off} of {len(found)} verbs take another number of instructions: look why, and count again with --write")


main()
