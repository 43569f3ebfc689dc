"""Progress of the program, in a terminal and in a notebook."""

import importlib
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Optional

#: Shows how much of all is done; (0, 0) at the end.
Shown = Callable[[int, int], None]


def shown() -> Optional[Shown]:
    """How progress is shown here: a bar in a notebook, a line in a terminal, and nothing elsewhere."""
    kernel = sys.modules.get("ipykernel")
    if kernel is not None and kernel.kernelapp.IPKernelApp.initialized():
        return notebook()
    return terminal if sys.stderr is not None and sys.stderr.isatty() else None


def terminal(done: int, whole: int) -> None:
    """One line that is written anew, and is empty in the end."""
    line = f"{done} of {whole} runs" if whole else ""
    sys.stderr.write(f"\r{line:<40}" + ("" if whole else "\r"))
    sys.stderr.flush()


def notebook() -> Shown:
    """A bar that is drawn anew; in the end it says how many runs there were."""
    page: Any = importlib.import_module("IPython.display")
    handle: list[Any] = []
    last = [0]

    def show(done: int, whole: int) -> None:
        last[0] = whole or last[0]
        bar = f'<progress value="{done}" max="{whole}"></progress> {done} of {whole} runs' if whole else f"{last[0]} runs"
        if handle:
            handle[0].update(page.HTML(bar))
        elif whole:
            handle.append(page.display(page.HTML(bar), display_id=True))

    return show


def followed(process: "subprocess.Popen[bytes]", show: Shown) -> tuple[bytes, bytes]:
    """What a process writes to standard output and to standard error, its lines of progress shown and left out."""
    out: list[bytes] = []
    assert process.stdout is not None and process.stderr is not None
    stdout: IO[bytes] = process.stdout
    reader = threading.Thread(target=lambda: out.append(stdout.read()), daemon=True)
    reader.start()
    lines = []
    has_shown = False
    try:
        for line in process.stderr:
            words = line.split()
            if words[:1] == [b"progress:"] and len(words) == 4:
                show(int(words[1]), int(words[3]))
                has_shown = True
            else:
                lines.append(line)
    finally:
        if has_shown:
            show(0, 0)
    reader.join()
    process.wait()
    return b"".join(out), b"".join(lines)
