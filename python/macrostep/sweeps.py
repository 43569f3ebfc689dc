"""Many runs of one system: sweeps and fits, here or on the workers of a Dask cluster."""

import csv
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

import numpy as np

from . import verbs
from .tables import Table

#: What a part of a sweep is: rows, and what they are rows of.
FILES = ("runs.csv", "sweep.json")
#: Parts a thread of a cluster gets: more than one, so that nobody waits long for the slowest.
PARTS = 4


class Sweep(Table):
    """Rows of a sweep: a column for each varied name, one for each measure, and `status`. A column is a numpy array, of numbers where
    all its fields are numbers (an empty field is NaN), of text otherwise."""

    def __init__(self, rows: str, summary: dict[str, Any], picture: Optional[str]):
        with open(rows, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        self._columns = {name: column([line[i] for line in lines[1:]], name) for i, name in enumerate(lines[0])}
        #: The object that `macrostep sweep --json` prints.
        self.summary = summary
        #: Measures over what is varied, as SVG; None where there is none.
        self.picture = picture

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    @property
    def status(self) -> np.ndarray:
        """How each run has ended: `ok`, or the reason."""
        return self["status"]

    @property
    def indices(self) -> list[dict[str, Any]]:
        """Sobol indices of each measure, of a sampled design."""
        found: list[dict[str, Any]] = self.summary.get("indices", [])
        return found

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise KeyError(f"no column `{name}`; there are {', '.join(f'`{n}`' for n in self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self["status"])

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def dict(self) -> dict[str, np.ndarray]:
        """All columns by name."""
        return dict(self._columns)

    def __repr__(self) -> str:
        return f"<macrostep.Sweep of {len(self)} runs, {int((self.status == 'ok').sum())} of them ok: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return self.picture or ""


def column(fields: list[str], name: str) -> np.ndarray:
    """Numbers where all fields are, else texts."""
    try:
        if name != "status":
            return np.array([float(x) if x else np.nan for x in fields])
    except ValueError:
        pass
    return np.array(fields, dtype=object)


def named(option: str, values: Mapping[str, Any]) -> list[str]:
    """`--option=NAME=VALUES` for each name: a text as it is, values with commas between them."""

    def text(x: Any) -> str:
        several = isinstance(x, Iterable) and not isinstance(x, (str, bytes))
        return ",".join(verbs.value(one) for one in x) if several else verbs.value(x)

    return [f"--{option}={name}={text(x)}" for name, x in values.items()]


def read(folder: str, summary: dict[str, Any]) -> Sweep:
    """The table and the picture in a folder of a sweep."""
    picture = os.path.join(folder, "measures.svg")
    shown = None
    if os.path.exists(picture):
        with open(picture, encoding="utf-8") as file:
            shown = file.read()
    return Sweep(os.path.join(folder, "runs.csv"), summary, shown)


def local(system: str, words: list[str], out: Optional[str]) -> Sweep:
    """A sweep by the program on this machine."""
    with tempfile.TemporaryDirectory(prefix="macrostep_") as scratch:
        folder = out or scratch
        return read(folder, verbs.ask(["sweep", system, *words, f"--out={folder}"]))


def spread(client: Any, system: str, words: list[str], parts: Optional[int], out: Optional[str]) -> Sweep:
    """The same in parts on the workers of a cluster (`dask.distributed.Client`). A part of a worker that is lost is made again by another
    one; its rows count once, because a part comes back whole or not at all."""
    with open(system, "rb") as file:
        archive = file.read()
    digest = hashlib.sha256(archive).hexdigest()
    count = parts or PARTS * max(1, sum(client.nthreads().values()))
    # The archive travels once to each worker that asks for it.
    shared = client.scatter(archive, hash=True)
    tasks = [client.submit(part, shared, digest, words, i, count, pure=False) for i in range(1, count + 1)]
    try:
        done = client.gather(tasks)
    finally:
        client.cancel(tasks)
    with tempfile.TemporaryDirectory(prefix="macrostep_") as scratch:
        folders = [os.path.join(scratch, str(i)) for i in range(count)]
        for folder, files in zip(folders, done):
            os.mkdir(folder)
            for name, content in files.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
        folder = out or os.path.join(scratch, "all")
        return read(folder, verbs.ask(["sweep", system, *(f"--merge={part}" for part in folders), f"--out={folder}"]))


def part(archive: bytes, digest: str, words: list[str], number: int, count: int) -> dict[str, bytes]:
    """One part, on a worker: its files. The system is written to a new folder that only the own user can open, from the bytes that came
    with the task, so that no file that somebody else has put into the temporary folder is run. The folder is removed in the end."""
    found = hashlib.sha256(archive).hexdigest()
    if found != digest:
        raise ValueError(f"part {number} of {count}: the system that came has SHA-256 {found}, expected {digest}: submit the sweep again")
    # `mkdtemp` makes a folder that was not there, with rights for the own user only.
    with tempfile.TemporaryDirectory(prefix="macrostep_") as home:
        path, folder = os.path.join(home, "system.ssp"), os.path.join(home, "part")
        with open(path, "xb") as file:
            file.write(archive)
        verbs.ask(["sweep", path, *words, "--no-pictures", f"--shard={number}/{count}", f"--out={folder}"])
        return {name: content(os.path.join(folder, name)) for name in FILES}


def content(path: str) -> bytes:
    """A file as bytes."""
    with open(path, "rb") as file:
        return file.read()


class Fit(dict[str, Any]):
    """The object of `macrostep fit --json`: `parameters` with `name`, `value`, `fitted`, `sigma`, `confidence` and `coupling_error`, the
    covariance and the rest. Printed, it is a table."""

    @property
    def values_by_name(self) -> dict[str, float]:
        """The values without the error of the coupling, for `run(set=…)`."""
        return {one["name"]: one["value"] for one in self["parameters"]}

    def __str__(self) -> str:
        lines = [f"{'parameter':<24}{'value':>16}{'sigma':>12}{'coupling':>12}"]
        for one in self["parameters"]:
            errors = [x if x is not None else float("nan") for x in (one["sigma"], one["coupling_error"])]
            lines.append(f"{one['name']:<24}{one['value']:>16.8g}{errors[0]:>12.2e}{errors[1]:>12.2e}")
        return "\n".join(lines)

    __repr__ = __str__

