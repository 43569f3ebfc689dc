"""Keywords of the functions: the options of the verbs, and what only Python has."""

import difflib
from collections.abc import Iterable
from typing import Any, Optional, Protocol

from . import verbs
from .options import AdviseOptions, ExportOptions, FitOptions, RunOptions, SimulateOptions, SweepOptions, VerifyOptions

__all__ = ["Advise", "Corrector", "Export", "Fit", "Predictor", "Run", "Simulate", "Sweep", "Verify", "checked"]


class Predictor(Protocol):
    """A predictor written in Python."""

    #: Rows it looks at, from 1 to 64.
    depth: int
    #: Degree of the polynomial that its values become.
    degree: int

    def predict(self, times: tuple[float, ...], values: tuple[float, ...], t: float) -> float:
        """The value at `t` of what is known at `times`, oldest first, in s after the start of the step."""


class Corrector(Protocol):
    """A corrector written in Python."""

    def next(self, x: Any, residual: Any, scale: Any) -> Any:
        """The next guess, from the guess `x`, the residual G(x) - x and the size of each unknown."""


class Run(RunOptions, total=False):
    """Keywords of `run`, `start`, `explain` and `graph`."""

    predictor: Optional[Predictor]
    """A predictor written in Python, in the place of `predict`."""
    corrector: Optional[Corrector]
    """A corrector written in Python, in the place of `correct`."""


class Verify(VerifyOptions, total=False):
    """Keywords of `verify`."""

    predictor: Optional[Predictor]
    """A predictor written in Python, in the place of `predict`."""
    corrector: Optional[Corrector]
    """A corrector written in Python, in the place of `correct`."""


class Advise(AdviseOptions, total=False):
    """Keywords of `advise`."""


class Export(ExportOptions, total=False):
    """Keywords of `export`."""


class Fit(FitOptions, total=False):
    """Keywords of `fit`."""


class Simulate(SimulateOptions, total=False):
    """Keywords of `simulate`."""


class Sweep(SweepOptions, total=False):
    """Keywords of `sweep`."""


def checked(function: str, options: Iterable[str], known: type) -> None:
    """Raises `Error` where a keyword is none of those of a function, with the nearest one."""
    names = known.__annotations__
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, 2, 0.5)
            said = "expected " + (" or ".join(f"`{word}`" for word in near) if near else f"one of {', '.join(sorted(names))}")
            raise verbs.error(f"{function}: found the keyword `{name}`, {said}", True)
