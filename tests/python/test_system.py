"""Systems: built in Python, every number that of the program."""

import csv
import json

import macrostep as ms
import numpy as np
import pytest


def build(fmus):
    s = ms.System(step=1e-2, stop=1)
    a = s.add(fmus / "mass1.fmu", m=1.5)
    b = s.add(fmus / "mass2.fmu")
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    return s


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}


def compare(run, folder):
    """All columns, to the last bit."""
    trace = columns(folder / "trace.csv")
    assert list(trace) == ["time", *run.columns]
    for name, values in trace.items():
        assert np.array_equal(run[name].view(np.int64), values.view(np.int64)), name


@pytest.mark.parametrize("options", [{}, {"correct": "newton", "predict": "linear"}, {"predict": "linear", "schedule": "gauss-seidel"}])
def test_a_run_has_the_numbers_of_the_program(fmus, tmp_path, program, options):
    s = build(fmus)
    run = s.run(**options)
    s.save(tmp_path / "both.toml")
    words = [f"--{name}={word}" for name, word in options.items()]
    said = json.loads(program("run", tmp_path / "both.toml", "--out", tmp_path / "out", "--json", "--no-pictures", *words))
    compare(run, tmp_path / "out")
    differ = {"wall_s", "units"}
    assert {k: v for k, v in run.summary.items() if k not in differ} == {k: v for k, v in said.items() if k not in differ}
    assert run.do_steps == {unit["name"]: unit["do_steps"] for unit in said["units"]}
    assert [unit["kind"] for unit in run.summary["units"]] == ["isolated", "isolated"]


def test_columns_are_views(fmus):
    run = build(fmus).run()
    x = run["mass1.x"]
    assert x.base is not None and np.shares_memory(x, run["mass1.x"]) and len(x) == len(run.time) == len(run) == 101
    assert run.units["mass1.x"] == "m" and run.units["time"] == "s"
    assert list(run.frame())[:2] == ["time", run.columns[0]]
    assert "<svg" in run._repr_html_()
    with pytest.raises(KeyError, match="no column `mass1.q`"):
        run["mass1.q"]


def test_a_run_is_a_dict_of_columns(fmus):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    run = build(fmus).run()
    assert list(run) == list(run.keys()) == ["time", *run.columns] and "time" in run and "mass1.q" not in run and run
    for frame in (pandas.DataFrame(run), polars.DataFrame(run)):
        assert list(frame.columns) == list(run) and len(frame) == len(run)
        assert all(np.array_equal(frame[name].to_numpy(), run[name]) for name in run)
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert np.array_equal(data["mass1.x"].sel(time=1.0), run["mass1.x"][-1]) and data["mass1.x"].attrs["units"] == "m"


def test_a_run_is_plotted(fmus, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    run = build(fmus).run()
    axes = run.plot("mass1.x", "mass2.x", "mass1.v").axes
    assert [axis.get_ylabel() for axis in axes] == ["m", "m/s"]
    assert [line.get_label() for line in axes[0].lines] == ["mass1.x", "mass2.x"]
    assert np.array_equal(axes[1].lines[0].get_ydata(), run["mass1.v"])


def test_a_run_is_verified_with_its_own_method(fmus):
    s = build(fmus)
    held, linear = s.run(), s.run(predict="linear")
    assert linear.verify() == s.verify(predict="linear") != held.verify() == s.verify()
    s.connect(s["mass2"].f <= 2 * s["mass1"].f_c)
    with pytest.raises(ms.Error, match="changed since"):
        held.verify()


def test_isolated_or_not_makes_no_difference(fmus):
    s = build(fmus)
    isolated, here = s.run(), s.run(isolate=False)
    assert [unit["kind"] for unit in here.summary["units"]] == ["fmu", "fmu"]
    assert np.array_equal(isolated["mass1.x"], here["mass1.x"])


def test_systems_of_the_program_by_name(tmp_path, program):
    s = ms.open("case-1")
    run = s.run(stop=0.1, set={"mass1.m": 2.0})
    program("run", "case-1", "--stop=0.1", "--set=mass1.m=2.0", "--out", tmp_path, "--no-pictures")
    compare(run, tmp_path)
    assert [unit["kind"] for unit in run.summary["units"]] == ["fmu", "fmu"]
    assert "case-1" in [system["name"] for system in ms.systems()]


def test_steps_one_by_one_are_the_run(fmus):
    s = build(fmus)
    run = s.run()
    with s.start() as sim:
        values = [sim.get("mass1.x")]
        while not sim.is_over:
            sim.step()
            values.append(sim["mass1.x"])
        assert sim.time == run.time[-1]
        with pytest.raises(ms.Error, match="the run is over"):
            sim.step()
    assert np.array_equal(values, run["mass1.x"])
    with pytest.raises(ms.Error, match="was ended"):
        sim.step()


def test_steps_at_once_are_the_run(fmus):
    s = build(fmus)
    run = s.run()
    with s.start() as sim:
        sim.step(7)
        assert sim["mass1.x"] == run["mass1.x"][7]
        # Those that are left are made before it is said that there are no more.
        with pytest.raises(ms.Error, match="the run is over"):
            sim.step(10**9)
        assert (sim.time, sim["mass1.x"]) == (run.time[-1], run["mass1.x"][-1])


def test_values_are_set_between_steps(fmus):
    s = build(fmus)
    with s.start() as sim:
        sim.step(10)
        before = sim["mass2.v"]
        sim["mass2.f_ext"] = 1e6
        sim.step()
        assert sim["mass2.v"] > before + 1.0
        with pytest.raises(ms.Error, match="found a connected input") as caught:
            sim["mass2.f"] = 1.0
        assert (caught.value.unit, caught.value.variable) == ("mass2", "mass2.f")
        with pytest.raises(ms.Error, match="no variable `q`"):
            sim["mass2.q"]


def test_connections_are_scaled(fmus):
    s = ms.System(step=1e-2, stop=0.1)
    a, b = s.add(fmus / "mass1.fmu"), s.add(fmus / "mass2.fmu")
    s.connect(a.xi <= 2 * b.x + 1, b.f <= -a.f_c / 2)
    assert "factor = 2.0, offset = 1.0" in s.toml() and "factor = -0.5" in s.toml()
    with pytest.raises(ms.Error, match="found a scaled input"):
        2 * a.xi <= b.x


def test_arrays_go_as_a_whole():
    s = ms.System(step=1e-2, stop=0.1)
    a, b = s.add("embedded:spring_field", "a", k=2.0, u=np.full(501, 0.25)), s.add("embedded:spring_field", "b")
    run = s.run(record=["a.F[*]"])
    # Springs are vertical: the second of each node's three directions.
    assert len(run.columns) == 501 and [abs(float(run[f"a.F[{k}]"][-1])) for k in (1, 2, 3, 500)] == [0, 0.5, 0, 0.5]
    # Elements meet elements: forces feed no displacements.
    s.connect(b.u <= a.F)
    with pytest.raises(ms.Error, match=r"`a.F\[1\]` is in `N`, `b.u\[1\]` in `m`"):
        s.run()


def test_verify_explain_graph_advise_are_those_of_the_program(fmus, tmp_path, program):
    s = build(fmus)
    path = tmp_path / "both.toml"
    s.save(path)
    verified = s.verify(tolerance=1e-1)
    assert dict(verified) == json.loads(program("verify", path, "--tolerance=0.1", "--json", code=0 if verified.is_met else 3))
    assert str(verified).startswith(verified.verdict)
    explained = program("explain", path, "--no-run").replace(str(path), "SYSTEM")
    assert s.explain(runs=False, isolate=False).strip() == explained.strip()
    program("graph", path, "--out", tmp_path / "both.svg")
    assert s.graph(isolate=False).strip() == (tmp_path / "both.svg").read_text().strip()


def test_the_effective_scenario_gives_the_same_run(fmus, tmp_path):
    run = build(fmus).run(correct="newton")
    path = fmus / "effective.toml"
    path.write_text(run.scenario)
    assert np.array_equal(ms.open(path).run()["mass1.x"], run["mass1.x"])


def test_ssp_holds_the_fmus(fmus, tmp_path):
    s = build(fmus)
    assert s.save(tmp_path / "both.ssp") == [str(tmp_path / "both.ssp")]
    assert np.array_equal(ms.open(tmp_path / "both.ssp").run()["mass1.x"], s.run()["mass1.x"])


def test_tables_of_a_scenario_are_included(fmus):
    s = build(fmus)
    s.include('[parameters.heavy]\n"mass1.m" = 3.0\n')
    assert not np.array_equal(s.run(parameters=["heavy"])["mass1.x"], s.run()["mass1.x"])


def test_columns_are_an_arrow_stream(fmus):
    polars = pytest.importorskip("polars")
    run = build(fmus).run()
    frame = polars.DataFrame(run)
    assert frame.columns == ["time", *run.columns]
    for name in frame.columns:
        assert np.array_equal(frame[name].to_numpy(), run[name]), name
