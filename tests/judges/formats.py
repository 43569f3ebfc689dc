"""Reads the rows that the program converts with the readers of other makers: SciPy and DyMat for the MATLAB 4 format."""

import csv
import pathlib
import subprocess
import sys

import DyMat
import numpy as np
from scipy.io import loadmat


def main(program: str, folder: str) -> None:
    work = pathlib.Path(folder)
    out, mat = work / "run", work / "pair.mat"
    subprocess.run(
        [program, "run", "case-1", "--stop", "1", "--out", out, "--mat", mat, "--no-pictures"],
        check=True, stdout=subprocess.DEVNULL,
    )
    with open(out / "trace.csv", newline="") as file:
        rows = list(csv.reader(file))
    names, values = rows[0], np.array(rows[1:], dtype=float)

    # SciPy: the matrices as they are.
    raw = loadmat(mat)
    assert raw["Aclass"][0] == "Atrajectory" and raw["Aclass"][3].strip() == "binTrans", raw["Aclass"]
    assert np.array_equal(raw["data_2"].T, values), "data_2 is not the rows"

    # DyMat: each variable by its name over its time, as plotting tools take it.
    read = DyMat.DyMatFile(str(mat))
    assert sorted(read.names()) == sorted(n for n in names if n != "time"), read.names()
    for name in names[1:]:
        column = names.index(name)
        assert np.array_equal(read.abscissa(name, valuesOnly=True), values[:, 0]), name
        assert np.array_equal(read.data(name), values[:, column]), name
    assert "[m/s]" in read.description("mass1.v"), read.description("mass1.v")
    print(f"MATLAB 4: SciPy and DyMat read {len(values)} rows of {len(names) - 1} variables to the bit")


if __name__ == "__main__":
    main(*sys.argv[1:])
