"""Keywords, errors in the words of Python, copies of systems for other processes, and progress."""

import multiprocessing
import os
import pickle
import subprocess
import sys

import macrostep as ms
import numpy as np
import pytest


class Body:
    """A mass that a force moves."""

    def __init__(self, mass):
        self.mass, self.x, self.v = mass, 0.1, 0.0

    def start(self, t, u):
        return self.x, self.v

    def do_step(self, t, h, u):
        self.v += h * u[0] / self.mass
        self.x += h * self.v
        return self.x, self.v


def spring(x):
    return -7.0 * x


def pair(fmus):
    s = ms.System(step=1e-2, stop=1, name="pair")
    a = s.add(fmus / "mass1.fmu", m=1.5)
    b = s.add(fmus / "mass2.fmu")
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    return s


def hung():
    """A unit and a law in Python."""
    s = ms.System(step=1e-2, stop=1)
    b = s.add_unit("body", Body(2.0), {"f": "N"}, {"x": "m", "v": "m/s"})
    f = s.law("spring", spring, [b.x], ["f"])
    s.connect(b.f <= f.f)
    return s


def of_stiffness(system, k):
    """What a process of a pool does."""
    return system.run(set={"mass1.k": k})


@pytest.mark.parametrize(
    "call, word, near",
    [
        (lambda s: s.run(prediction="linear"), "prediction", ".*`predict`"),
        (lambda s: s.verify(tolerence=1e-3), "tolerence", "`tolerance`"),
        (lambda s: s.verify(junit="x.xml"), "junit", "one of"),
        (lambda s: s.sweep({"step": [1e-2]}, {"top": "max(mass1.x)"}, seeds=1), "seeds", "`seed`"),
        (lambda s: s.advise(1e-3, steps=1), "steps", "`step`"),
    ],
)
def test_a_wrong_keyword_is_refused_with_the_nearest_one(fmus, call, word, near):
    with pytest.raises(ms.Error, match=f"found the keyword `{word}`, expected {near}") as caught:
        call(pair(fmus))
    assert caught.value.usage


@pytest.mark.parametrize(
    "options, said",
    [({"correct": "newtom"}, "'correct"), ({"step": -1.0}, "'step"), ({"control_tolerance": -1.0}, "'control_tolerance")],
)
def test_errors_name_keywords(fmus, options, said):
    with pytest.raises(ms.Error) as caught:
        pair(fmus).run(**options)
    assert said in str(caught.value) and "--" not in str(caught.value)
    # The same from a verb in a process of its own.
    with pytest.raises(ms.Error) as caught:
        pair(fmus).export("never.fmu", method="jirk")
    assert "--" not in str(caught.value)


def test_a_system_goes_into_a_pickle(fmus):
    for s in (pair(fmus), hung()):
        copy = pickle.loads(pickle.dumps(s))
        assert copy.toml() == s.toml() and copy.name == s.name and list(copy) == list(s)
        run, again = s.run(), copy.run()
        assert run.columns == again.columns and all(np.array_equal(run[name], again[name]) for name in run.columns)
    # A run too, with the system that it judges itself by.
    run = pickle.loads(pickle.dumps(pair(fmus).run()))
    assert run.units["mass1.x"] == "m" and run.verify()["verdict"]
    # What pickle refuses is refused.
    s = hung()
    s.law("other", lambda x: x, [s["body"].x], ["f"])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(s)


def test_processes_of_a_pool_run_copies(fmus):
    s = pair(fmus)
    stiffness = [5.0, 10.0, 15.0]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        runs = pool.starmap(of_stiffness, [(s, k) for k in stiffness])
    for k, run in zip(stiffness, runs):
        assert np.array_equal(run["mass1.x"], s.run(set={"mass1.k": k})["mass1.x"])
    assert runs[0]["mass1.x"][-1] != runs[2]["mass1.x"][-1]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_sweep_shows_its_progress_in_a_terminal(fmus, tmp_path):
    text = f"""
import macrostep as ms
s = ms.System(step=1e-2, stop=1)
a, b = s.add({str(fmus / "mass1.fmu")!r}), s.add({str(fmus / "mass2.fmu")!r})
s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
print(len(s.sweep({{"mass1.k": "lin:5:15:6"}}, {{"top": "max(mass1.x)"}})))
"""
    ours, theirs = os.openpty()
    done = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.stdout.strip() == b"6" and "6 of 6 runs" in shown and shown.endswith("\r")
    # Elsewhere there is none.
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, cwd=tmp_path, check=True)
    assert b"runs" not in done.stderr
