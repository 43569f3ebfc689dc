"""Systems of FMUs, built in Python."""

import builtins
import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from . import _macrostep, fmus, keywords, sweeps, verbs
from .runs import Run, Verification

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Names of variables, or names with their units of measurement.
Names = Union[Sequence[str], Mapping[str, str]]


class Signal:
    """A variable of a unit. `a.x <= b.y` connects the output `b.y` to the input `a.x`; the right side may be scaled: `2 * b.y + 1`."""

    def __init__(self, name: str, factor: float = 1.0, offset: float = 0.0):
        self.name, self.factor, self.offset = name, factor, offset

    def __le__(self, other: "Signal") -> "Connection":
        if not isinstance(other, Signal):
            return NotImplemented
        if (self.factor, self.offset) != (1.0, 0.0):
            raise verbs.error(f"`{self.name}`: found a scaled input, expected factor and offset at the output", True)
        return Connection(self.name, other)

    def __ge__(self, other: "Signal") -> "Connection":
        return NotImplemented if not isinstance(other, Signal) else other <= self

    def __mul__(self, factor: float) -> "Signal":
        return Signal(self.name, self.factor * factor, self.offset * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> "Signal":
        return self * (1.0 / divisor)

    def __neg__(self) -> "Signal":
        return self * -1.0

    def __add__(self, offset: float) -> "Signal":
        return Signal(self.name, self.factor, self.offset + offset)

    __radd__ = __add__

    def __sub__(self, offset: float) -> "Signal":
        return self + -offset

    def __repr__(self) -> str:
        return f"<macrostep.Signal {self.name}>"


class Connection:
    """An input and the output it is connected to."""

    def __init__(self, to: str, source: Signal):
        self.to, self.source = to, source

    def __bool__(self) -> bool:
        raise verbs.error("a connection is neither true nor false: `a <= b <= c` connects nothing", True)

    def __repr__(self) -> str:
        return f"<macrostep.Connection {self.to} <= {self.source.name}>"


class Law:
    """A law in a system; its outputs are attributes."""

    def __init__(self, name: str, outputs: list[str]):
        self._name, self._outputs = name, outputs

    def __getitem__(self, output: str) -> Signal:
        if output not in self._outputs:
            raise verbs.error(f"law `{self._name}`: no output `{output}`; there are `{'`, `'.join(self._outputs)}`", True)
        return Signal(f"{self._name}.{output}")

    def __getattr__(self, output: str) -> Signal:
        if output.startswith("_"):
            raise AttributeError(output)
        try:
            return self[output]
        except _macrostep.Error as e:
            raise AttributeError(str(e)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._outputs]

    def __repr__(self) -> str:
        return f"<macrostep.Law {self._name}: outputs {', '.join(self._outputs)}>"


class Unit:
    """An FMU in a system; its variables are attributes, or `unit["name"]` where a name is not a Python identifier."""

    def __init__(self, system: "System", name: str):
        self._system, self._name = system, name
        self._variables = {v[0]: v for v in system.variables(name)}

    @property
    def name(self) -> str:
        """Its name in the system."""
        return self._name

    def __getitem__(self, variable: str) -> Signal:
        # An array is connected as a whole, or by its elements.
        if variable not in self._variables and f"{variable}[1]" not in self._variables and f"{variable}[1,1]" not in self._variables:
            near = [name for name in self._variables if name.lower().startswith(variable.lower()[:1])] or list(self._variables)
            known = "`, `".join(near[:8])
            raise verbs.error(f"unit `{self._name}`: no variable `{variable}`; there are `{known}`", True)
        return Signal(f"{self._name}.{variable}")

    def __getattr__(self, variable: str) -> Signal:
        if variable.startswith("_"):
            raise AttributeError(variable)
        try:
            return self[variable]
        except _macrostep.Error as e:
            raise AttributeError(str(e)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._variables if name.isidentifier())]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._variables)

    def __repr__(self) -> str:
        def named(causality: str) -> str:
            return ", ".join(v[0] for v in self._variables.values() if v[1] == causality) or "none"

        return f"<macrostep.Unit {self._name}: inputs {named('input')}; outputs {named('output')}>"


class Graph(str):
    """A picture as SVG; shown as such in a notebook."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes it to a file."""
        with builtins.open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Started:
    """A run that is stepped from Python: `with s.start() as sim: sim.step()`."""

    def __init__(self, simulation: _macrostep.Simulation):
        self._simulation = simulation
        #: One macro step, or `step(n)`: n of them.
        self.step = simulation.step
        #: The value of `"UNIT.VARIABLE"` now.
        self.get = simulation.get
        #: Sets an input that nothing is connected to, or a tunable parameter, from the next step on.
        self.set = simulation.set

    @property
    def time(self) -> float:
        """Present time in s."""
        return self._simulation.time

    @property
    def is_over(self) -> bool:
        """Whether the stop time is reached."""
        return self._simulation.is_over

    @property
    def columns(self) -> list[str]:
        """Names of the recorded variables."""
        return self._simulation.columns

    @property
    def scenario(self) -> str:
        """The complete scenario, as TOML."""
        return self._simulation.scenario

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def end(self) -> None:
        """Ends the run in all units."""
        self._simulation.end()

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self.end()
        except _macrostep.Error:
            # What ended the run is the better reason.
            if kind is None:
                raise

    def __repr__(self) -> str:
        return repr(self._simulation)


class System(_macrostep.System):
    """A system of FMUs and the method of its coupling; times are in s.

    >>> s = System(step=1e-3, stop=10)
    >>> a = s.add("mass1.fmu", m=1.0)
    """

    def __getitem__(self, unit: str) -> Unit:
        """A unit by its name."""
        return Unit(self, unit)

    def __iter__(self) -> Iterator[str]:
        return iter(self.unit_names())

    def _ipython_key_completions_(self) -> list[str]:
        return self.unit_names()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for `pickle`: scenario, and parts written in Python, which have to go into a pickle themselves. FMUs stay files."""
        return restored, (type(self), self.toml(), self.name, *self.parts_in_python())

    def add(
        self,
        fmu: "Union[str, os.PathLike[str]]",
        name: Optional[str] = None,
        *,
        start: Optional[dict[str, Any]] = None,
        step: Union[None, str, float, Fraction] = None,
        step_parameter: Optional[str] = None,
        solver_tolerance: Optional[float] = None,
        motions: Optional[list[list[str]]] = None,
        face: Optional[Literal["co-simulation", "model-exchange"]] = None,
        **values: Any,
    ) -> Unit:
        """Adds a unit: an FMU by its file, its folder, or `embedded:NAME`. Start values are keywords, or stand in `start`; `step` is
        its own macro step as a part of H, such as "1/5"; `face` is how it is driven, co-simulation where it offers that."""
        settings = [(key, plain(x)) for key, x in {**(start or {}), **values}.items()]
        added = self.add_fmu(os.fspath(fmu), name, settings, share(step), step_parameter, solver_tolerance, motions, face)
        return Unit(self, added)

    def add_unit(
        self,
        name: str,
        unit: Any,
        inputs: Names,
        outputs: Names,
        *,
        start: Optional[Mapping[str, float]] = None,
        step: Union[None, str, float, Fraction] = None,
        motions: Optional[list[list[str]]] = None,
    ) -> Unit:
        """Adds a unit written in Python: any object with

            do_step(t, h, u) -> y     the outputs at t + h in s, after a step with the inputs u held
            start(t, u) -> y          the outputs at the start; or
            outputs(t, u) -> y        the outputs now, if they follow the inputs at once
            state() -> s, restore(s)  if it cannot go back by a copy of its attributes

        u is a tuple of numbers in the order of `inputs`; y is a number, or as many as there are `outputs`. Both are names, or map
        names to units of measurement: `{"x": "m", "v": "m/s"}`. `start` has values of inputs that nothing is connected to. Every run
        works on a copy of the object. The other arguments are those of `add`.

        An exception in it is an `Error` with unit and time, whose cause is the exception."""
        named, values = measured(inputs), dict(start or {})
        starts = [float(values.pop(key, 0.0)) for key, _ in named]
        if values:
            raise verbs.error(f"unit `{name}`: found a start value of `{next(iter(values))}`, expected those of inputs", True)
        self.add_object(name, unit, named, measured(outputs), starts, share(step), motions)
        return Unit(self, name)

    def law(self, name: str, law: Callable[..., Any], inputs: Sequence[Signal], outputs: Sequence[str] = ("y",)) -> Law:
        """Adds a law written in Python, a relation without memory that the master evaluates: `law(*u)` gives one number for each of
        `outputs`. Its inputs are signals of units, its outputs are connected as those of units are:

        >>> f = s.law("spring", lambda x1, x2: 100.0 * (x1 - x2), [a.x, b.x], ["f"])
        >>> s.connect(a.f <= f.f)

        An exception in it is an `Error` whose cause is the exception."""
        for signal in inputs:
            if not isinstance(signal, Signal) or (signal.factor, signal.offset) != (1.0, 0.0):
                raise verbs.error(f"law `{name}`: found the input {signal!r}, expected a signal without factor", True)
        self.add_law(name, law, [signal.name for signal in inputs], list(outputs))
        return Law(name, list(outputs))

    def connect(
        self,
        *connections: Connection,
        convert_units: bool = True,
        mean: bool = False,
        law: Optional[str] = None,
        round: bool = False,
    ) -> None:
        """Connects outputs to inputs: `s.connect(a.x <= b.y, a.f <= 2 * b.g)`. With `mean` the input gets the mean of the output over
        its unit's step; `law` names the law that the output obeys; with `round` an integer gets the nearest whole number."""
        for c in connections:
            if not isinstance(c, Connection):
                raise verbs.error(f"connect: found {type(c).__name__}, expected connections such as `a.x <= b.y`", True)
            self.connect_ports(c.to, c.source.name, c.source.factor, c.source.offset, convert_units, mean, law, round)

    def run(self, **options: "Unpack[keywords.Run]") -> Run:
        """Runs from start to end. Keywords are the options of `macrostep run`, as `macrostep.options.RunOptions` lists them with their
        types and meanings: method, predict, schedule, correct, step, stop, set={"unit.variable": value}, record, …

        `predictor` is one written in Python, in the place of `predict`: an object with whole numbers `depth`, how many rows it looks at,
        and `degree`, that of the polynomial its values become, and a method `predict(times, values, t)`: the value at `t` of what is
        known at `times`, oldest first, all in s after the start of the step.

        `corrector` is one written in Python, in the place of `correct`: an object with a method `next(x, residual, scale)`. A step is run
        with the guess x of what is consumed in it before it is known, and gives G(x); residual is G(x) - x, scale the size of each unknown
        (never 0). The method gives the next x, until every |residual| / scale is below 1e-12 or 50 runs are made (keys `corrector_tolerance` and
        `corrections_max` of [coupling]). A method `begin(first)`, where there is one, is called before a step; `first` says that nothing
        is known of steps before.

        Raises `Error`, whose `run` has the rows before the failure."""
        keywords.checked("run", options, keywords.Run)
        parts = self.run_parts(verbs.verb(options))
        run = Run(parts)
        run._asked = (self, self.toml(), {**options})
        for own, word in ((options.get("predictor"), "predict"), (options.get("corrector"), "correct")):
            if own is not None:
                run.summary[word] = type(own).__name__
        verbs.warn([*run.remarks, *(f"warning: {text}" for text in run.warnings)])
        if parts["fault"] is not None:
            parts["fault"].run = run
            raise parts["fault"]
        return run

    def start(self, **options: "Unpack[keywords.Run]") -> Started:
        """Initialises a run that Python steps; options as those of `run`."""
        keywords.checked("start", options, keywords.Run)
        simulation, remarks = self.started(verbs.verb(options))
        verbs.warn(remarks)
        return Started(simulation)

    def verify(self, **options: "Unpack[keywords.Verify]") -> Verification:
        """Estimates the error of the result: `macrostep verify`; `tolerance` is the largest error allowed."""
        import json

        keywords.checked("verify", options, keywords.Verify)
        text, table, remarks = self.verified(verbs.verb(options))
        verbs.warn(remarks)
        return Verification(json.loads(text), table)

    def explain(self, runs: bool = True, **options: "Unpack[keywords.Run]") -> str:
        """A description of a run: `macrostep explain`. With `runs=False` the system is not run for its residual energies."""
        keywords.checked("explain", options, keywords.Run)
        text, remarks = self.explained(verbs.verb(options), runs)
        verbs.warn(remarks)
        return text

    def graph(self, **options: "Unpack[keywords.Run]") -> Graph:
        """Units, connections, feed-through, loops and schedule as a picture: `macrostep graph`."""
        keywords.checked("graph", options, keywords.Run)
        text, remarks = self.drawn(verbs.verb(options))
        verbs.warn(remarks)
        return Graph(text)

    def advise(self, tolerance: float, **options: "Unpack[keywords.Advise]") -> dict[str, Any]:
        """The cheapest method and step for a tolerance: the object of `macrostep advise --json`. `advised` in it has the keys of
        `[coupling]` and the step; with `apply=True` it is tried."""
        keywords.checked("advise", options, keywords.Advise)
        with self.written("system.toml") as path:
            words = verbs.words({**self.spared(options), "tolerance": tolerance, **options})
            found: dict[str, Any] = verbs.ask(["advise", path, *words])
            return found

    def sweep(
        self,
        vary: Mapping[str, Any],
        measure: Mapping[str, str],
        *,
        out: "Union[None, str, os.PathLike[str]]" = None,
        client: Any = None,
        parts: Optional[int] = None,
        **options: "Unpack[keywords.Sweep]",
    ) -> sweeps.Sweep:
        """Many runs: `macrostep sweep`. `vary` maps names to values, such as {"a.k": "lin:1:10:20", "step": [1e-2, 1e-3]}, `measure`
        names to expressions, such as {"top": "max(b.x)"}. With `out` the folder is kept, and goes on where it was. With `client`, a
        `dask.distributed.Client`, the runs are made in `parts` by its workers, on which this package is installed; the rows are the same."""
        keywords.checked("sweep", options, keywords.Sweep)
        words = [*sweeps.named("vary", vary), *sweeps.named("measure", measure), *verbs.words({**self.spared(options), **options})]
        kept = os.fspath(out) if out is not None else None
        with self.written("system.toml" if client is None else "system.ssp") as path:
            return sweeps.local(path, words, kept) if client is None else sweeps.spread(client, path, words, parts, kept)

    def fit(self, data: Any, free: Mapping[str, Any], **options: "Unpack[keywords.Fit]") -> sweeps.Fit:
        """Parameters from measured data: `macrostep fit`. `data` is a CSV file, or columns by name (a mapping, or a frame) of which `time`
        in s is one; `free` maps names to bounds, such as {"a.k": (1, 100)}. Options are those of the verb: weights, starts, out, …"""
        keywords.checked("fit", options, keywords.Fit)
        bounds = {name: x if isinstance(x, str) else ":".join(verbs.value(one) for one in x) for name, x in free.items()}
        words = [*sweeps.named("free", bounds), *verbs.words({**self.spared(options), **options})]
        with self.written("system.toml") as path:
            if not isinstance(data, (str, os.PathLike)):
                columns = os.path.join(os.path.dirname(path), "data.csv")
                fmus.write(columns, data)
                data = columns
            return sweeps.Fit(verbs.ask(["fit", path, f"--data={os.fspath(data)}", *words]))

    def export(self, path: "Union[str, os.PathLike[str]]", **options: "Unpack[keywords.Export]") -> None:
        """Writes the system as one FMU: `macrostep export`. Options are those of the verb: inputs, outputs, parameters, method, step, …"""
        keywords.checked("export", options, keywords.Export)
        with self.written("system.toml") as system:
            verbs.program(["export", system, f"--out={os.fspath(path)}", *verbs.words(options)])

    def save(self, path: "Union[str, os.PathLike[str]]") -> list[str]:
        """Writes the scenario: .toml, .ssd or .ssp; the names of the files written."""
        self.only_fmus()
        return self.saved(os.fspath(path))

    def has_foreign(self) -> bool:
        """Whether an FMU is none of those that the program carries."""
        return any(not source.startswith("embedded:") for source in self.sources())

    def spared(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The option that keeps foreign FMUs out of the process that works, unless it is said."""
        return {"isolate": True} if verbs.verb(options)[1] and self.has_foreign() else {}

    def only_fmus(self) -> None:
        """Raises where a part is written in Python, which no file holds."""
        parts = self.in_python()
        if parts:
            raise verbs.error(f"`{parts[0]}`: found a part written in Python, expected FMUs and laws of a scenario; `run`, `start`, "
                              "`verify`, `explain` and `graph` take it", True)

    @contextlib.contextmanager
    def written(self, name: str) -> Iterator[str]:
        """The system in a file that is there for a while."""
        self.only_fmus()
        with tempfile.TemporaryDirectory(prefix="macrostep-") as folder:
            path = os.path.join(folder, name)
            if name.endswith(".toml"):
                with builtins.open(path, "w", encoding="utf-8") as file:
                    file.write(self.toml())
            else:
                self.save(path)
            yield path

    def __repr__(self) -> str:
        return f"<macrostep.System {self.name or 'without a name'}: units {', '.join(self) or 'none'}>"


def share(step: Union[None, str, float, Fraction]) -> Optional[tuple[int, int]]:
    """A part of the macro step as numerator and denominator."""
    part = Fraction(step).limit_denominator(1_000_000) if step is not None else None
    return (part.numerator, part.denominator) if part else None


def measured(names: Names) -> list[tuple[str, str]]:
    """Names with units of measurement, `1` where none is said."""
    return list(names.items()) if isinstance(names, Mapping) else [(name, "1") for name in names]


def plain(x: Any) -> Any:
    """A number or an array of numpy as Python's."""
    return x.tolist() if hasattr(x, "tolist") else x


def restored(kind: type[System], text: str, name: str, units: Any, laws: Any) -> System:
    """The system of `System.__reduce__`."""
    out = kind()
    out.restore(text, name, units, laws)
    return out


def open(system: "Union[str, os.PathLike[str]]") -> System:
    """A system from its file (.toml, .ssd, .ssp), or one that the program carries, by its name: `open("crane")`."""
    out = System()
    out.read(os.fspath(system))
    return out


def couple(*paths: "Union[str, os.PathLike[str]]") -> System:
    """A system of FMUs (.fmu, folders, or `embedded:NAME`), connected as `macrostep new` proposes from the names, units of measurement and derivatives that
    they declare. What was chosen is told as text, what is left to the caller as a `MacrostepWarning`; `print(system.toml())` shows the
    whole, and `connect` changes it. Raises `Error` where an FMU cannot be read."""
    out = System()
    chosen, left = out.propose([os.fspath(path) for path in paths])
    for line in chosen:
        print(f"proposed: {line}")
    for line in left:
        warnings.warn(f"left open: {line}", verbs.MacrostepWarning, stacklevel=2)
    return out


def systems() -> list[dict[str, Any]]:
    """The systems that the program carries."""
    found: list[dict[str, Any]] = verbs.ask(["systems"])
    return found
