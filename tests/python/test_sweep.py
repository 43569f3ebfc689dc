"""Sweeps, fits and exports: the numbers of the program, here and on the workers of a cluster."""

import csv
import json
import os
import signal
import threading
import time
from pathlib import Path

import macrostep as ms
import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "fit"
VARY = {"left.k": "lin:5:15:6", "right.c": [0.1, 0.2, 0.4]}
MEASURE = {"top": "max(right.x)", "late": "crossing(left.x, 9)"}


@pytest.fixture
def pair() -> ms.System:
    return ms.open(EXAMPLE / "pair.toml")


@pytest.fixture
def rows(tmp_path, program) -> bytes:
    """What the program writes for the same."""
    words = ["--vary=left.k=lin:5:15:6", "--vary=right.c=0.1,0.2,0.4", "--measure=top=max(right.x)", "--measure=late=crossing(left.x, 9)"]
    program("sweep", EXAMPLE / "pair.toml", *words, "--out", tmp_path / "program", "--no-pictures")
    return (tmp_path / "program" / "runs.csv").read_bytes()


def test_a_sweep_is_that_of_the_program(pair, rows, tmp_path):
    sweep = pair.sweep(VARY, MEASURE, out=tmp_path / "python")
    assert (tmp_path / "python" / "runs.csv").read_bytes() == rows
    # The columns are the fields of the file.
    lines = list(csv.reader(rows.decode().splitlines()))
    assert sweep.columns == lines[0] == ["left.k", "right.c", "top", "late", "status"]
    assert len(sweep) == 18 and list(sweep["top"]) == [float(line[2]) for line in lines[1:]]
    assert np.isnan(sweep["late"]).all() and set(sweep.status) == {"undefined: late"}
    assert sweep.summary["statuses"] == {"undefined": 18} and "<svg" in sweep._repr_html_()
    assert list(sweep.frame().columns) == sweep.columns


def test_a_cluster_gives_the_same_rows_and_a_lost_worker_none_twice(pair, rows, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert pair.sweep(VARY, MEASURE, client=client, parts=7, out=tmp_path / "all").columns[0] == "left.k"
        assert (tmp_path / "all" / "runs.csv").read_bytes() == rows
        # One worker dies under its work; the nanny starts another one.
        done = {}
        made = threading.Thread(
            target=lambda: done.update(sweep=pair.sweep(VARY, MEASURE, client=client, parts=9, out=tmp_path / "lost"))
        )
        pid = next(iter(client.run(os.getpid).values()))
        made.start()
        began = time.monotonic()
        while not any(client.processing().values()) and time.monotonic() - began < 30:
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        made.join(timeout=120)
        assert len(done["sweep"]) == 18
        assert (tmp_path / "lost" / "runs.csv").read_bytes() == rows
        # What the program refuses is raised here, with its sentence.
        with pytest.raises(ms.Error, match="no variable `kk`"):
            pair.sweep({"left.kk": [1.0]}, MEASURE, client=client, parts=2)


def test_a_fit_is_that_of_the_program(pair, program):
    free = {"left.k": (1, 100), "right.k": "3:300"}
    found = pair.fit(EXAMPLE / "measured.csv", free, starts=1, workers=1)
    words = ["--free=left.k=1:100", "--free=right.k=3:300", "--starts=1", "--workers=1", "--json"]
    said = json.loads(program("fit", EXAMPLE / "pair.toml", "--data", EXAMPLE / "measured.csv", *words))
    assert found["parameters"] == said["parameters"]
    assert list(found.values_by_name) == ["left.k", "right.k"] and "left.k" in str(found)


def test_data_may_be_columns(pair):
    # The error of the coupling at the fit's own step, 3e-5 of `k`, is taken out of the estimate; the data are from a tenth of that step.
    run = pair.run(set={"left.k": 12.0}, step=1e-3)
    found = pair.fit({"time": run.time, "left.x": run["left.x"]}, {"left.k": (5, 20)}, starts=1)
    assert found.values_by_name["left.k"] == pytest.approx(12.0, rel=1e-5)


def test_bad_sweeps_and_fits_say_the_programs_sentence(pair):
    with pytest.raises(ms.Error, match="no variable `kk`"):
        pair.sweep({"left.kk": [1.0]}, MEASURE)
    with pytest.raises(ms.Error, match="expected `time`"):
        pair.fit({"left.x": [1.0]}, {"left.k": (5, 20)})


def test_an_export_runs_as_one_fmu(pair, tmp_path):
    pair.export(tmp_path / "pair.fmu", step=1e-2)
    one, run = ms.simulate(tmp_path / "pair.fmu"), pair.run(step=1e-2)
    assert np.array_equal(one["left.x"], run["left.x"])
