"""One FMU by itself."""

import csv
import json

import macrostep as ms
import numpy as np


def test_simulate_has_the_numbers_of_the_program(fmus, tmp_path, program):
    fmu = fmus / "mass2.fmu"
    frame = {"time": [0.0, 0.5, 1.0], "f": [0.0, 50.0, -20.0]}
    run = ms.simulate(fmu, start={"m": 2.0}, input=frame, step=0.01, stop=1.0)
    (tmp_path / "input.csv").write_text("time,f\n0.0,0.0\n0.5,50.0\n1.0,-20.0\n")
    words = ["--start=m=2.0", "--input", tmp_path / "input.csv", "--step=0.01", "--stop=1.0", "--out", tmp_path]
    program("simulate", fmu, *words)
    with open(tmp_path / "trace.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["time", *run.columns] and len(rows) == len(run) + 1
    for i, name in enumerate(rows[0]):
        assert np.array_equal(run[name], [float(row[i]) for row in rows[1:]]), name
    assert run.units["x"] == "m"


def test_info_and_check_are_those_of_the_program(fmus, program):
    fmu = fmus / "mass1.fmu"
    assert ms.info(fmu) == json.loads(program("info", fmu, "--json"))
    checked = ms.check(fmu)
    assert checked == json.loads(program("check", fmu, "--json")) and checked["errors"] == 0
