"""One FMU alone. The program does the work in a process of its own, so that no FMU ends the interpreter."""

import csv
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import keywords, verbs
from ._macrostep import Error
from .runs import Run

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]


def info(fmu: Path) -> dict[str, Any]:
    """Declarations of an FMU: the object of `macrostep info --json`."""
    found: dict[str, Any] = verbs.ask(["info", os.fspath(fmu)])
    return found


def check(fmu: Path, library: bool = True) -> dict[str, Any]:
    """The FMU against the rules of FMI 2.0.5: the object of `macrostep check --json`, with its `findings`, whether there are errors
    among them or not. With `library=False` the library is left alone.

    Raises `Error` where the FMU cannot be read."""
    found: dict[str, Any] = verbs.ask(["check", os.fspath(fmu), *verbs.words({"no_library": not library})], judges=True)
    return found


def simulate(
    fmu: Path,
    *,
    start: Optional[Mapping[str, Any]] = None,
    input: Any = None,
    isolate: Optional[bool] = None,
    **options: "Unpack[keywords.Simulate]",
) -> Run:
    """Simulates one FMU alone: `macrostep simulate`. `input` is a CSV file, or columns by name (a mapping, or a frame) of which
    `time` in s is one; options are those of the verb: step, stop, start_time, solver_tolerance, output_variable, …"""
    keywords.checked("simulate", options, keywords.Simulate)
    isolates = isolate is not False and sys.platform == "linux"
    with tempfile.TemporaryDirectory(prefix="macrostep-") as folder:
        if input is not None and not isinstance(input, (str, os.PathLike)):
            path = os.path.join(folder, "input.csv")
            write(path, input)
            input = path
        starts = [f"--start={name}={verbs.value(x)}" for name, x in (start or {}).items()]
        words = verbs.words({"input": input, "isolate": isolates, **options})
        failed = None
        try:
            verbs.program(["simulate", os.fspath(fmu), "--out", folder, "--no-pictures", *starts, *words])
        except Error as e:
            failed = e
        result = os.path.join(folder, "trace.csv")
        if failed is not None and not os.path.exists(result):
            raise failed
        run = read(folder, info(fmu))
    if failed is not None:
        failed.run = run
        raise failed
    return run


def write(path: str, columns: Any) -> None:
    """Columns as CSV, `time` first."""
    names = [str(name) for name in columns.keys()]
    if "time" not in names:
        raise verbs.error(f"input: found columns {', '.join(names) or 'none'}, expected `time` in s among them", True)
    names = ["time", *(name for name in names if name != "time")]
    arrays = [np.asarray(columns[name]) for name in names]
    if len({len(a) for a in arrays}) > 1:
        raise verbs.error("input: found columns of unequal length, expected one value for each time", True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(names)
        out.writerows([verbs.value(x) for x in row] for row in zip(*arrays))


def read(folder: str, about: dict[str, Any]) -> Run:
    """The rows, the result and the scenario of a run of one FMU."""
    declared = {v["name"]: v for v in about["variables"]}
    with open(os.path.join(folder, "trace.csv"), newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    names, table = lines[0], lines[1:]
    said = ["{}", ""]
    for i, name in enumerate(["result.json", "scenario.toml"]):
        if os.path.exists(os.path.join(folder, name)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                said[i] = file.read()
    kinds = {name: declared[name]["type"] for name in names[1:]}
    texts = {name: [line[i] for line in table] for i, name in enumerate(names) if kinds.get(name) == "String"}
    number = {"true": 1.0, "false": 0.0}
    values = np.array(
        [[0.0 if name in texts else number.get(x) if x in number else float(x) for name, x in zip(names, line)] for line in table]
    ).reshape(len(table), len(names))
    plain = {"Enumeration": "Integer"}
    columns = [(name, declared[name].get("unit") or "1", plain.get(kinds[name], kinds[name])) for name in names[1:]]
    empty: dict[str, Any] = {"units": [], "power_bonds": [], "warnings": []}
    summary = json.dumps({**empty, **json.loads(said[0])})
    parts = {"columns": columns, "values": values[:, 1:], "texts": texts, "time": values[:, 0].copy()}
    return Run({**parts, "summary": summary, "scenario": said[1], "remarks": []})
