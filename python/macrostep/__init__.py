"""Couples FMUs for co-simulation (FMI 2.0), with the error of every result.

    import macrostep as ms

    s = ms.System(step=1e-3, stop=10)
    a = s.add("mass1.fmu", m=1.0)
    b = s.add("mass2.fmu")
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    run = s.run(method="waveform:16")
    run["mass1.x"], run.time, run.units

Keywords of `run`, `start`, `verify`, `advise`, `explain`, `graph`, `sweep`, `fit` and `export` are the options of the verbs of the same name, with `_` for `-`:
what `macrostep run --help` says holds here. `macrostep.options` has them with their types.
"""

import os as _os
import sys as _sys

from ._macrostep import Error, __version__
from ._macrostep import started_by as _started_by

_started_by([_sys.executable, _os.path.join(_os.path.dirname(__file__), "__main__.py")] if _sys.executable else [])

from .fmus import check, info, simulate  # noqa: E402
from .runs import Run, Verification  # noqa: E402
from .sweeps import Fit, Sweep  # noqa: E402
from .systems import Connection, Law, Signal, Started, System, Unit, couple, open, systems  # noqa: E402
from .verbs import MacrostepWarning  # noqa: E402

__all__ = [
    "Connection",
    "Error",
    "Fit",
    "Law",
    "MacrostepWarning",
    "Run",
    "Signal",
    "Started",
    "Sweep",
    "System",
    "Unit",
    "Verification",
    "__version__",
    "check",
    "couple",
    "info",
    "open",
    "simulate",
    "systems",
]
