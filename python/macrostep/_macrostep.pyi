"""The extension module: what the classes of the package stand on."""

import os
from typing import Any, Optional, Union, final

_Unit = tuple[str, Any, list[tuple[str, str]], list[tuple[str, str]], list[float]]
_Law = tuple[str, Any, int]
_Words = tuple[list[str], bool, tuple[Any, Any]]

__version__: str

def main(arguments: list[str]) -> None:
    """Run the program and end the process with its exit code."""

def started_by(command: list[str]) -> None:
    """Say how the program is started again."""

def in_keywords(sentence: str) -> str:
    """A sentence with keywords of Python in the place of options."""

class Error(Exception):
    """What the program would print as an error, with what is known of it."""

    unit: Optional[str]
    """Name of the unit."""
    variable: Optional[str]
    """Name of the variable."""
    time: Optional[float]
    """When, in s."""
    found: Optional[str]
    """What was found."""
    expected: Optional[str]
    """What was expected."""
    usage: bool
    """Whether it is a mistake of the call."""
    run: Any
    """A `Run` with what was recorded before a run failed, or None."""

@final
class Simulation:
    """A run under way."""

    @property
    def time(self) -> float: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def scenario(self) -> str: ...
    def step(self, steps: int = 1) -> None: ...
    def get(self, name: str) -> Any: ...
    def set(self, name: str, value: Any) -> None: ...
    def end(self) -> None: ...

class System:
    """A system of FMUs and how it is run."""

    def __new__(
        cls, step: Optional[float] = None, stop: Optional[float] = None, start: float = 0.0, name: str = ""
    ) -> System: ...
    @property
    def name(self) -> str: ...
    def read(self, system: str) -> None: ...
    def propose(self, fmus: list[str]) -> tuple[list[str], list[str]]: ...
    def include(self, text: str) -> None: ...
    def parts_in_python(self) -> tuple[list[_Unit], list[_Law]]: ...
    def restore(self, text: str, name: str, units: list[_Unit], laws: list[_Law]) -> None: ...
    def toml(self) -> str: ...
    def unit_names(self) -> list[str]: ...
    def sources(self) -> list[str]: ...
    def connections(self) -> list[tuple[str, str]]: ...
    def variables(self, unit: str) -> list[tuple[str, str, str, str, str]]: ...
    def add_fmu(
        self,
        fmu: str,
        name: Optional[str],
        settings: list[tuple[str, Any]],
        step: Optional[tuple[int, int]] = None,
        step_parameter: Optional[str] = None,
        solver_tolerance: Optional[float] = None,
        motions: Optional[list[list[str]]] = None,
        face: Optional[str] = None,
    ) -> str: ...
    def add_object(
        self,
        name: str,
        object: Any,
        inputs: list[tuple[str, str]],
        outputs: list[tuple[str, str]],
        starts: list[float],
        step: Optional[tuple[int, int]] = None,
        motions: Optional[list[list[str]]] = None,
    ) -> None: ...
    def add_law(self, name: str, function: Any, inputs: list[str], outputs: list[str]) -> None: ...
    def in_python(self) -> list[str]: ...
    def connect_ports(
        self,
        to: str,
        source: str,
        factor: float = 1.0,
        offset: float = 0.0,
        convert_units: bool = True,
        mean: bool = False,
        law: Optional[str] = None,
        round: bool = False,
    ) -> None: ...
    def run_parts(self, words: _Words) -> dict[str, Any]: ...
    def started(self, words: _Words) -> tuple[Simulation, list[str]]: ...
    def verified(self, words: _Words) -> tuple[str, str, list[str]]: ...
    def explained(self, words: _Words, runs: bool) -> tuple[str, list[str]]: ...
    def drawn(self, words: _Words) -> tuple[str, list[str]]: ...
    def saved(self, path: Union[str, "os.PathLike[str]"]) -> list[str]: ...
