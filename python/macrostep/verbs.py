"""Keywords as words of the command line, and the program in a process of its own."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from . import progress
from ._macrostep import Error, in_keywords


class MacrostepWarning(UserWarning):
    """What the program would print as a warning."""


def value(x: Any) -> str:
    """A value as the command line has it."""
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, float):
        return repr(float(x))
    # Numbers of numpy are no Python numbers.
    if hasattr(x, "item") and not isinstance(x, str):
        return value(x.item())
    return os.fspath(x) if isinstance(x, os.PathLike) else str(x)


def quoted(x: Any) -> str:
    """A value after `--set`, where a text stands in quotes so that it stays one."""
    return f'"{x}"' if isinstance(x, str) else value(x)


def words(options: Mapping[str, Any]) -> list[str]:
    """Options as words: a list is one option again and again, a mapping gives NAME=VALUE, True is the option alone."""
    out = []
    for key, given in options.items():
        option = "--" + key.replace("_", "-")
        if given is None or given is False:
            continue
        if given is True:
            out.append(option)
        elif isinstance(given, Mapping):
            out += [f"{option}={name}={quoted(x)}" for name, x in given.items()]
        elif isinstance(given, Iterable) and not isinstance(given, (str, bytes, os.PathLike)):
            out += [f"{option}={value(x)}" for x in given]
        else:
            out.append(f"{option}={value(given)}")
    return out


def verb(options: Mapping[str, Any]) -> tuple[list[str], bool, tuple[Any, Any]]:
    """Words of a verb, whether foreign FMUs are kept out of this process (unless `isolate=False` says otherwise), and a predictor and a
    corrector that are written in Python."""
    rest = {name: x for name, x in options.items() if name not in ("predictor", "corrector")}
    is_spared = options.get("isolate") is not False and sys.platform == "linux"
    return words(rest), is_spared, (options.get("predictor"), options.get("corrector"))


def warn(remarks: Iterable[str]) -> None:
    """Passes warnings on; notes stay where they are."""
    for remark in remarks:
        if remark.startswith("warning: "):
            warnings.warn(in_keywords(remark.removeprefix("warning: ")), MacrostepWarning, stacklevel=3)


def program(arguments: list[str], judges: bool = False) -> str:
    """Runs the program and gives its standard output; what it calls an error is raised. A verb that judges ends with another exit code
    than 0 where its verdict is bad, and has printed it."""
    script = os.path.join(os.path.dirname(__file__), "__main__.py")
    if not sys.executable:
        raise error("the file of the interpreter is not known, and cannot start the program")
    shown = progress.shown()
    with subprocess.Popen(
        [sys.executable, script, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "MACROSTEP_PROGRESS": "1"} if shown else None,
    ) as process:
        try:
            if shown:
                out, err = progress.followed(process, shown)
            else:
                out, err = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    lines = err.decode(errors="replace").splitlines()
    warn(line for line in lines if line.startswith("warning: "))
    if process.returncode == 0 or (judges and out.strip()):
        return out.decode()
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    raise error(in_keywords("\n".join(errors)) or f"the program ended with exit code {process.returncode}", process.returncode == 2)


def ask(arguments: list[str], judges: bool = False) -> Any:
    """Runs the program with `--json` and gives the object it prints."""
    return json.loads(program([*arguments, "--json"], judges))


def error(sentence: str, usage: bool = False) -> Error:
    """An error with what its sentence says."""
    out = Error(sentence)
    first = sentence.splitlines()[0] if sentence else ""
    out.unit = between(first, "unit `", "`")
    out.variable = between(first, "variable `", "`")
    out.found = between(first, "found ", ", expected ")
    out.expected = between(first, "expected ", ";")
    time = between(first, " at t = ", " s")
    out.time = float(time) if time is not None else None
    out.usage = usage
    out.run = None
    return out


def between(text: str, before: str, behind: str) -> Optional[str]:
    """What stands between two texts, or from the first to the end."""
    _, found, rest = text.partition(before)
    return rest.partition(behind)[0] if found else None
