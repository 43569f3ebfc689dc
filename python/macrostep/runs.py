"""Results of a run."""

import html
import json
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import verbs
from ._macrostep import in_keywords
from .tables import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import keywords

KINDS = {"Real": np.float64, "Integer": np.int64, "Boolean": np.bool_, "String": object}


class Verdict(str):
    """`ok`, `doubtful`, `growing` or `failed`: `run.verdict == "ok"`."""

    #: Why it is not better; empty where it is ok.
    reason: str
    #: The number in the reason, or None.
    found: Optional[float]

    def __new__(cls, said: dict[str, Any]) -> "Verdict":
        verdict = super().__new__(cls, said["grade"])
        verdict.reason, verdict.found = in_keywords(said["reason"]), said["found"]
        return verdict


class Run(Table, dict):  # type: ignore[type-arg]
    """Rows of a run. `run["mass1.x"]` is a column, `run.time` the time of each row in s; both are views, not copies, where the
    variable is Real. It is a dict of the columns, `time` first, so that `pandas.DataFrame(run)` and `polars.DataFrame(run)` read it;
    `len(run)` is the number of rows."""

    def __init__(self, parts: dict[str, Any]):
        self._kinds = {name: kind for name, _, kind in parts["columns"]}
        self._places = {name: i for i, (name, _, _) in enumerate(parts["columns"])}
        self._values = parts["values"]
        self._texts = parts["texts"]
        #: Time of each row in s.
        self.time: np.ndarray = parts["time"]
        #: Unit of measurement of each column, `1` where it has none.
        self.units: dict[str, str] = {"time": "s", **{name: unit for name, unit, _ in parts["columns"]}}
        #: The object that `macrostep run --json` prints.
        self.summary: dict[str, Any] = json.loads(parts["summary"])
        #: The scenario with everything said, as TOML: running it again gives the same numbers.
        self.scenario: str = parts["scenario"]
        #: Notes and warnings of the run.
        self.remarks: list[str] = parts["remarks"]
        # What judges this run: the system as it was, and the options of the run.
        self._asked: Optional[tuple[Any, str, dict[str, Any]]] = None
        super().__init__({"time": self.time, **{name: self[name] for name in self._places}})

    @property
    def columns(self) -> list[str]:
        """Names of the columns, without `time`."""
        return list(self._places)

    @property
    def warnings(self) -> list[str]:
        """Warnings of the run."""
        return [in_keywords(text) for text in self.summary["warnings"]]

    @property
    def verdict(self) -> Verdict:
        """What the run is worth: `ok`, `doubtful`, `growing` or `failed`, with the reason and a number."""
        # One FMU alone is not coupled.
        grade = "failed" if self.summary.get("error") else "ok"
        return Verdict(self.summary.get("verdict", {"grade": grade, "reason": self.summary.get("error") or "", "found": None}))

    @property
    def do_steps(self) -> dict[str, int]:
        """Calls of fmi2DoStep of each unit."""
        return {unit["name"]: unit["do_steps"] for unit in self.summary["units"]}

    @property
    def final(self) -> dict[str, Any]:
        """Values at the end."""
        found: dict[str, Any] = self.summary["final"]
        return found

    @property
    def power_bonds(self) -> list[dict[str, Any]]:
        """Residual energy of each power bond in J."""
        found: list[dict[str, Any]] = self.summary["power_bonds"]
        return found

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time":
            return self.time
        if name not in self._places:
            near = ", ".join(f"`{n}`" for n in list(self._places)[:8])
            raise KeyError(f"no column `{name}`; there are {near}{' …' if len(self._places) > 8 else ''}")
        kind = self._kinds[name]
        if kind == "String":
            return np.array(self._texts[name], dtype=object)
        column: np.ndarray = self._values[:, self._places[name]]
        return column if kind == "Real" else column.astype(KINDS[kind])

    def __len__(self) -> int:
        return len(self.time)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__  # type: ignore[assignment]

    def verify(self, **options: "Unpack[keywords.Verify]") -> "Verification":
        """Estimates the error of this run, with its method and step: `macrostep verify` with the options of the run and these.

        Raises `Error` where the system was changed since, or is one FMU alone."""
        if self._asked is None:
            raise verbs.error("verify: a run of one FMU alone has no coupling; `s.verify()` judges systems", True)
        system, asked, words = self._asked
        if system.toml() != asked:
            raise verbs.error("verify: the system was changed since this run; run it again", True)
        # What belongs to a run only.
        ran = {k: v for k, v in words.items() if k not in ("error", "accept_unconverged", "accept_growth")}
        return system.verify(**{**ran, **options})  # type: ignore[no-any-return]

    def to_xarray(self) -> Any:
        """An xarray.Dataset with the coordinate `time` and the units of measurement as attributes; needs the package xarray."""
        import xarray  # type: ignore[import-untyped,import-not-found,unused-ignore]

        values = {name: ("time", self[name], {"units": self.units[name]}) for name in self._places}
        return xarray.Dataset(values, coords={"time": ("time", self.time, {"units": "s"})})

    def plot(self, *names: str) -> Any:
        """Curves of these columns, of all that are numbers without names, one field for each unit of measurement; needs the package
        matplotlib. Returns its figure."""
        import matplotlib.pyplot as pyplot  # type: ignore[import-untyped,import-not-found,unused-ignore]

        shown = names or [name for name, kind in self._kinds.items() if kind != "String"]
        fields = list(dict.fromkeys(self.units[name] for name in shown))
        figure, axes = pyplot.subplots(len(fields), sharex=True, squeeze=False, layout="constrained")
        for name in shown:
            axes[fields.index(self.units[name])][0].plot(self.time, self[name], label=name)
        for axis, unit in zip(axes[:, 0], fields):
            axis.set_ylabel(unit)
            axis.legend()
        axes[-1][0].set_xlabel("time in s")
        return figure

    def _ipython_key_completions_(self) -> list[str]:
        return ["time", *self._places]

    def dict(self) -> dict[str, np.ndarray]:
        """All columns by name, `time` first."""
        return {"time": self.time, **{name: self[name] for name in self._places}}

    def __repr__(self) -> str:
        name = self.summary["scenario"] or "system"
        end = f"to t = {self.time[-1]:g} s" if len(self) else "before its first row"
        return f"<macrostep.Run of {name}, {len(self)} rows {end}, {len(self._places)} columns>"

    def _repr_html_(self) -> str:
        return page(self)


class Verification(dict[str, Any]):
    """The object of `macrostep verify --json`; printed, its verdict and table."""

    def __init__(self, values: dict[str, Any], table: str):
        super().__init__(values)
        self._table = table

    @property
    def verdict(self) -> str:
        """One line: the worst output, and a step or method that meets the tolerance."""
        return str(self["verdict"])

    @property
    def is_met(self) -> Optional[bool]:
        """Whether the tolerance is met."""
        found: Optional[bool] = self["is_met"]
        return found

    def __str__(self) -> str:
        return self._table

    __repr__ = __str__


#: Points of a curve in a notebook.
POINTS = 600
#: Curves in a notebook.
CURVES = 6
COLOURS = ["#1f6fb2", "#c8501e", "#2e8b57", "#8a4fb0", "#a0761b", "#607080"]


def page(run: Run) -> str:
    """Head line, a small chart for each of the first columns, and warnings."""
    parts = [f"<p><b>{html.escape(run.summary['scenario'] or 'system')}</b> · {len(run)} rows · {method(run.summary)}</p>"]
    error = run.summary.get("error")
    parts += [f"<p><b>error:</b> {html.escape(in_keywords(error))}</p>"] if error else []
    parts += [f"<p>warning: {html.escape(text)}</p>" for text in run.warnings]
    reals = [name for name in run.columns if run._kinds[name] == "Real"]
    for i, name in enumerate(reals[:CURVES]):
        parts.append(chart(run.time, run[name], f"{name} [{run.units[name]}]", COLOURS[i % len(COLOURS)]))
    if len(reals) > CURVES:
        parts.append(f"<p>and {len(reals) - CURVES} more columns</p>")
    return "".join(parts)


def method(summary: dict[str, Any]) -> str:
    words = [summary.get("method"), summary["schedule"], summary["predict"], summary["correct"]]
    return html.escape(" · ".join(str(word) for word in words if word) + f" · H = {summary['step_s']:g} s")


def chart(time: np.ndarray, values: np.ndarray, title: str, colour: str) -> str:
    """A curve as SVG, reduced to the smallest and the largest value of each part."""
    width, height = 420, 110
    finite = np.isfinite(values)
    if not finite.any():
        return f"<p>{html.escape(title)}: no finite value</p>"
    time, values = time[finite], values[finite]
    if len(time) > 2 * POINTS:
        edges = np.linspace(0, len(time), POINTS + 1).astype(int)
        picked = [i for a, b in zip(edges[:-1], edges[1:]) for i in sorted({a + values[a:b].argmin(), a + values[a:b].argmax()})]
        time, values = time[picked], values[picked]
    low, high = float(values.min()), float(values.max())
    span_s, span = float(time[-1] - time[0]) or 1.0, (high - low) or 1.0
    x, y = (time - time[0]) / span_s * width, (1 - (values - low) / span) * (height - 4) + 2
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    return (
        f'<figure style="display:inline-block;margin:4px 12px 4px 0"><figcaption style="font-size:12px">{html.escape(title)}: '
        f"{low:.6g} to {high:.6g}</figcaption>"
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">'
        f'<polyline fill="none" stroke="{colour}" stroke-width="1.3" points="{points}"/></svg></figure>'
    )
