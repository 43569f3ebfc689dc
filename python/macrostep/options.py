"""Keywords of the verbs with their types, as type checkers and editors read them.

Written by a test from the declaration of the options (cli/help/typed.rs); not to be edited.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, TypedDict, Union


class RunOptions(TypedDict, total=False):
    """Keywords of `run`."""

    step: Optional[float]
    """Macro step H in seconds [default: the scenario's]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    solver_tolerance: Optional[float]
    """Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]."""
    method: Optional[Union[Literal["jerk", "waveform", "palindromic"], str]]
    """Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]."""
    predict: Optional[Union[Literal["hold", "linear", "quadratic", "ia0", "h3", "h5", "jerk", "jerk:3", "rates", "mean"], str]]
    """Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R [default: the scenario's]."""
    schedule: Optional[Union[Literal["jacobi", "gauss-seidel", "gauss-seidel-reversed", "palindromic", "palindromic-reversed"], str]]
    """Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and palindromic:A,B,… with an order of the units [default: the scenario's]."""
    correct: Optional[Literal["explicit", "fixed-point", "newton", "newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"]]
    """Corrector, which repeats macro steps [default: the scenario's]."""
    corrector_tolerance: Optional[float]
    """Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    energy: Optional[Literal["monitor", "nepce", "leak"]]
    """Energy correction, for the residual energy of power bonds [default: the scenario's]."""
    control: Optional[Literal["fixed", "error", "ecco"]]
    """Step control, with macro steps up to H [default: the scenario's]."""
    control_tolerance: Optional[float]
    """Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """Apply a parameter set of the scenario after its own; may be repeated [default: none]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """How slaves go back where a method repeats steps."""
    threads: Optional[int]
    """Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    record: Optional[Union[str, Sequence[str]]]
    """Record these variables, UNIT.VARIABLE of any type, where `*` stands for any letters; may be repeated [default: the scenario's, or real outputs except elements of arrays]."""
    record_every: Optional[int]
    """Record every N-th communication point, and the last: the key `every` of `[record]` [default: the scenario's, or 1]."""
    solution: Optional[str]
    """Compare the recorded outputs with known values, and add a column of errors for each: `exact` (a linear system of models of this program), `oscillator` (two masses with the values of the scenario), the name of a built-in system, a file .csv of rows, or the macro step of a finer run in seconds; the key `of` of `[solution]` [default: the scenario's, or none]."""
    accept_unconverged: Optional[bool]
    """Take a result whose macro steps did not all converge."""
    accept_growth: Optional[bool]
    """Take a result whose coupling makes it grow."""


class VerifyOptions(TypedDict, total=False):
    """Keywords of `verify`."""

    step: Optional[float]
    """Macro step H in seconds [default: the scenario's]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    solver_tolerance: Optional[float]
    """Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]."""
    method: Optional[Union[Literal["jerk", "waveform", "palindromic"], str]]
    """Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]."""
    predict: Optional[Union[Literal["hold", "linear", "quadratic", "ia0", "h3", "h5", "jerk", "jerk:3", "rates", "mean"], str]]
    """Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R [default: the scenario's]."""
    schedule: Optional[Union[Literal["jacobi", "gauss-seidel", "gauss-seidel-reversed", "palindromic", "palindromic-reversed"], str]]
    """Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and palindromic:A,B,… with an order of the units [default: the scenario's]."""
    correct: Optional[Literal["explicit", "fixed-point", "newton", "newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"]]
    """Corrector, which repeats macro steps [default: the scenario's]."""
    corrector_tolerance: Optional[float]
    """Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    energy: Optional[Literal["monitor", "nepce", "leak"]]
    """Energy correction, for the residual energy of power bonds [default: the scenario's]."""
    control: Optional[Literal["fixed", "error", "ecco"]]
    """Step control, with macro steps up to H [default: the scenario's]."""
    control_tolerance: Optional[float]
    """Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """Apply a parameter set of the scenario after its own; may be repeated [default: none]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """How slaves go back where a method repeats steps."""
    threads: Optional[int]
    """Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    tolerance: Optional[float]
    """Largest error allowed, relative to the amplitude of each output. If an output has a larger one, smaller steps and other methods are run, and one of each that meets it is named [default: none, errors are shown]."""
    record: Optional[Union[str, Sequence[str]]]
    """Record these variables, UNIT.VARIABLE of any type, where `*` stands for any letters; may be repeated [default: the scenario's, or real outputs except elements of arrays]."""
    record_every: Optional[int]
    """Record every N-th communication point, and the last: the key `every` of `[record]` [default: the scenario's, or 1]."""


class AdviseOptions(TypedDict, total=False):
    """Keywords of `advise`."""

    scenario: Optional[str]
    """The same as SYSTEM."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """For a file: another value, UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """For a file: one of its parameter sets; may be repeated [default: none]."""
    record: Optional[Union[str, Sequence[str]]]
    """Record these variables, UNIT.VARIABLE of any type, where `*` stands for any letters; may be repeated [default: the scenario's, or real outputs except elements of arrays]."""
    record_every: Optional[int]
    """Record every N-th communication point, and the last: the key `every` of `[record]` [default: the scenario's, or 1]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """For a file: how slaves go back where a method repeats steps."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    step: Optional[float]
    """First guess of the macro step in seconds [default: a fiftieth of the run, an eighth where a unit is on another machine]."""
    limit: Optional[float]
    """Time for trials in seconds, at most a sixth of it for one method, a half where a unit is on another machine; methods that are not finished are left out, and named."""
    apply: Optional[bool]
    """Run the advised scheme and compare its error with the predicted one [default: off]."""
    units: Optional[Literal["fmu", "native"]]
    """Kind of the subsystems; growth rates come from native units."""
    out: Optional[Union[str, "os.PathLike[str]"]]
    """Folder for CSV, JSON and pictures; made if missing [default: nothing is written]."""


class SweepOptions(TypedDict, total=False):
    """Keywords of `sweep`."""

    step: Optional[float]
    """Macro step H in seconds [default: the scenario's]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    solver_tolerance: Optional[float]
    """Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]."""
    method: Optional[Union[Literal["jerk", "waveform", "palindromic"], str]]
    """Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]."""
    predict: Optional[Union[Literal["hold", "linear", "quadratic", "ia0", "h3", "h5", "jerk", "jerk:3", "rates", "mean"], str]]
    """Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R [default: the scenario's]."""
    schedule: Optional[Union[Literal["jacobi", "gauss-seidel", "gauss-seidel-reversed", "palindromic", "palindromic-reversed"], str]]
    """Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and palindromic:A,B,… with an order of the units [default: the scenario's]."""
    correct: Optional[Literal["explicit", "fixed-point", "newton", "newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"]]
    """Corrector, which repeats macro steps [default: the scenario's]."""
    corrector_tolerance: Optional[float]
    """Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    energy: Optional[Literal["monitor", "nepce", "leak"]]
    """Energy correction, for the residual energy of power bonds [default: the scenario's]."""
    control: Optional[Literal["fixed", "error", "ecco"]]
    """Step control, with macro steps up to H [default: the scenario's]."""
    control_tolerance: Optional[float]
    """Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """Apply a parameter set of the scenario after its own; may be repeated [default: none]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """How slaves go back where a method repeats steps."""
    threads: Optional[int]
    """Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    design: Optional[Literal["grid", "sobol", "lhs"]]
    """How points are chosen; sobol and lhs need samples=, and ranges without N."""
    samples: Optional[int]
    """Points of a sampled design [default: none]."""
    seed: Optional[int]
    """Seed of a sampled design."""
    table: Optional[Union[str, "os.PathLike[str]"]]
    """Points from a CSV file with a column for each varied name, instead of a design [default: none]."""
    workers: Optional[int]
    """Runs at the same time [default: as many as there are cores; 1 where FMUs from files run in this process]."""
    run_limit: Optional[float]
    """Longest time of one run in seconds; after it the run ends, and its row says `stopped` [default: none]."""
    parquet: Optional[Union[str, "os.PathLike[str]"]]
    """Also write the rows to this file in the Parquet format, after the last run; needs a build with the feature `parquet` [default: none]."""
    no_pictures: Optional[bool]
    """Do not draw the pictures [default: they are drawn]."""


class FitOptions(TypedDict, total=False):
    """Keywords of `fit`."""

    step: Optional[float]
    """Macro step H in seconds [default: the scenario's]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    solver_tolerance: Optional[float]
    """Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]."""
    method: Optional[Union[Literal["jerk", "waveform", "palindromic"], str]]
    """Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]."""
    predict: Optional[Union[Literal["hold", "linear", "quadratic", "ia0", "h3", "h5", "jerk", "jerk:3", "rates", "mean"], str]]
    """Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R [default: the scenario's]."""
    schedule: Optional[Union[Literal["jacobi", "gauss-seidel", "gauss-seidel-reversed", "palindromic", "palindromic-reversed"], str]]
    """Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and palindromic:A,B,… with an order of the units [default: the scenario's]."""
    correct: Optional[Literal["explicit", "fixed-point", "newton", "newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"]]
    """Corrector, which repeats macro steps [default: the scenario's]."""
    corrector_tolerance: Optional[float]
    """Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    energy: Optional[Literal["monitor", "nepce", "leak"]]
    """Energy correction, for the residual energy of power bonds [default: the scenario's]."""
    control: Optional[Literal["fixed", "error", "ecco"]]
    """Step control, with macro steps up to H [default: the scenario's]."""
    control_tolerance: Optional[float]
    """Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """Apply a parameter set of the scenario after its own; may be repeated [default: none]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """How slaves go back where a method repeats steps."""
    threads: Optional[int]
    """Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    weights: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Weight 1/σ of the residuals of a variable; may be repeated [default: the noise is estimated]."""
    time_offset: Optional[float]
    """Added to the times of the data in seconds."""
    starts: Optional[int]
    """Number of points from which a minimum is searched."""
    seed: Optional[int]
    """Seed of the random points that these are chosen from."""
    workers: Optional[int]
    """Runs at the same time [default: as many as there are cores; 1 where FMUs from files run in this process]."""
    out: Optional[Union[str, "os.PathLike[str]"]]
    """Folder for fit.json and the picture; made if missing [default: nothing is written]."""
    no_pictures: Optional[bool]
    """Do not draw the picture [default: it is drawn]."""


class ExportOptions(TypedDict, total=False):
    """Keywords of `export`."""

    step: Optional[float]
    """Macro step H in seconds [default: the scenario's]."""
    stop: Optional[float]
    """End of the run in seconds [default: the scenario's]."""
    solver_tolerance: Optional[float]
    """Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]."""
    method: Optional[Union[Literal["jerk", "waveform", "palindromic"], str]]
    """Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]."""
    predict: Optional[Union[Literal["hold", "linear", "quadratic", "ia0", "h3", "h5", "jerk", "jerk:3", "rates", "mean"], str]]
    """Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R [default: the scenario's]."""
    schedule: Optional[Union[Literal["jacobi", "gauss-seidel", "gauss-seidel-reversed", "palindromic", "palindromic-reversed"], str]]
    """Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and palindromic:A,B,… with an order of the units [default: the scenario's]."""
    correct: Optional[Literal["explicit", "fixed-point", "newton", "newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"]]
    """Corrector, which repeats macro steps [default: the scenario's]."""
    corrector_tolerance: Optional[float]
    """Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    energy: Optional[Literal["monitor", "nepce", "leak"]]
    """Energy correction, for the residual energy of power bonds [default: the scenario's]."""
    control: Optional[Literal["fixed", "error", "ecco"]]
    """Step control, with macro steps up to H [default: the scenario's]."""
    control_tolerance: Optional[float]
    """Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]."""
    set: Optional[Union[str, Sequence[str], Mapping[str, Any]]]
    """Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]."""
    rollback: Optional[Literal["auto", "own", "fork"]]
    """How slaves go back where a method repeats steps."""
    threads: Optional[int]
    """Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]."""
    isolate: Optional[bool]
    """Run each slave in a process of its own, with limits on time and memory [default: off]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    inputs: Optional[Union[str, Sequence[str]]]
    """Inputs of the FMU: UNIT.VARIABLE, where `*` stands for any letters; may be repeated [default: all without a connection inside]."""
    outputs: Optional[Union[str, Sequence[str]]]
    """Outputs of the FMU; may be repeated [default: what `macrostep run` records]."""
    parameters: Optional[Union[str, Sequence[str]]]
    """Parameters of the FMU; may be repeated [default: all]."""
    platforms: Optional[Union[str, "os.PathLike[str]"]]
    """Folder with libraries for other platforms, as for `macrostep fmus --platforms`: the FMU gets the platforms that all FMUs inside have [default: the platform of this machine]."""
    fmi: Optional[Literal["2", "3"]]
    """Version of FMI it is written for; the FMUs inside stay as they are."""
    parameter_set: Optional[Union[str, Sequence[str]]]
    """Apply a parameter set of the scenario after its own; may be repeated [default: none]."""


class SimulateOptions(TypedDict, total=False):
    """Keywords of `simulate`."""

    start_time: Optional[float]
    """Start time in s [default: that of the FMU, or 0]."""
    face: Optional[Union[Literal["co-simulation"], str]]
    """How the FMU is driven: `co-simulation`, by its own steps, or `model-exchange`, by its equations, which are integrated here [default: co-simulation, where the FMU offers it]."""
    output_variable: Optional[Union[str, Sequence[str]]]
    """Record this variable instead of all outputs; may be repeated [default: all outputs]."""
    sampling: Optional[Literal["updated", "lagged"]]
    """Evaluation of feed-through outputs [default: the scenario's]."""
    call_limit: Optional[float]
    """Longest time a call of a slave may take, in s."""
    memory_limit: Optional[int]
    """Largest memory of an isolated slave, in MiB."""
    logging_on: Optional[bool]
    """Show log messages of slaves [default: off]."""
    record_every: Optional[int]
    """Record every N-th communication point, and the last: the key `every` of `[record]` [default: the scenario's, or 1]."""
    solution: Optional[str]
    """Compare the recorded outputs with known values, and add a column of errors for each: `exact` (a linear system of models of this program), `oscillator` (two masses with the values of the scenario), the name of a built-in system, a file .csv of rows, or the macro step of a finer run in seconds; the key `of` of `[solution]` [default: the scenario's, or none]."""
    bundle: Optional[Union[str, "os.PathLike[str]"]]
    """Before the run, copy the scenario with all options and defaults, its FMUs and its input files into this folder, or into this archive .ssp: `macrostep run DIR/scenario.toml` or `macrostep run FILE.ssp` makes the same run on another machine [default: none]."""
    parquet: Optional[Union[str, "os.PathLike[str]"]]
    """Also write the rows to this file in the Parquet format; needs a build with the feature `parquet` [default: none]."""
    mat: Optional[Union[str, "os.PathLike[str]"]]
    """Also write the rows to this file in the MATLAB 4 format of Dymola and OpenModelica [default: none]."""
    real_time: Optional[float]
    """Run with the clock: FACTOR simulated seconds in a second; communication points that are late are counted [default: off; without FACTOR 1]."""
    accept_unconverged: Optional[bool]
    """Accept a result in which some macro steps did not converge, or a joint is torn: exit code 0 instead of 1 [default: off]."""
    checkpoint: Optional[Union[str, "os.PathLike[str]"]]
    """Save the run in this file at intervals, and when it is interrupted [default: not saved]."""
    checkpoint_every: Optional[int]
    """Save it every N steps [default: every 10 s of computing]."""
    resume: Optional[Union[str, "os.PathLike[str]"]]
    """Continue the run saved in this file, with the same options [default: begin at the start]."""
    step: Optional[float]
    """Communication step H in s [default: that of the FMU, or a thousandth of the run]."""
    stop: Optional[float]
    """Stop time in s [default: that of the FMU, or 1 s after the start]."""
    solver_tolerance: Optional[float]
    """Relative tolerance for the FMU's own solver [default: that of the FMU, or none]."""
