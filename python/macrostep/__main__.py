"""The program `macrostep`: the console script, and the process of an isolated slave."""

import os
import sys

if __package__:
    from ._macrostep import main as _program
    from ._macrostep import started_by
else:
    # Started by its file: the module is beside it, also where Python does not look there by itself (`PYTHONSAFEPATH`).
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from _macrostep import main as _program  # type: ignore[import-not-found,no-redef]
    from _macrostep import started_by  # type: ignore[no-redef]


def main() -> None:
    """Run one verb as `sys.argv` says, and end the process with its exit code."""
    started_by([sys.executable, __file__] if sys.executable else [])
    _program(["macrostep", *sys.argv[1:]])


if __name__ == "__main__":
    main()
