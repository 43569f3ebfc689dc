"""What goes wrong: exceptions with the program's sentence, and an interpreter that lives on."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import macrostep as ms
import pytest


def system(path, stop=1.0):
    s = ms.System(step=0.1, stop=stop)
    s.add(path, "plant")
    return s


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("segfault", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("exit", "ended itself with status 0"),
        ("hang", "no answer within 1 s"),
        ("error", "returned fmi2Error"),
    ],
)
def test_no_fmu_ends_the_interpreter(bad, way, words):
    with pytest.raises(ms.Error, match=words) as caught:
        system(bad(way)).run(call_limit=1)
    e = caught.value
    assert e.unit == "plant" and e.time == pytest.approx(0.5) and e.found
    # What was recorded before is there.
    assert len(e.run) == 6 and e.run.verdict.reason == str(e)


def test_a_crash_in_a_step_is_an_exception(bad):
    with pytest.raises(ms.Error, match="SIGSEGV"), system(bad("segfault")).start() as sim:
        while True:
            sim.step()


def test_a_crash_of_one_fmu_alone(bad):
    with pytest.raises(ms.Error, match="SIGSEGV") as caught:
        ms.simulate(bad("segfault"), step=0.1)
    assert len(caught.value.run) == 6
    assert [f["severity"] for f in ms.check(bad("segfault"))["findings"]].count("error") == 0


def interrupted(call):
    """An interrupt a second later, and how long the call then took in s."""
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        # Where the call has ended before, no other test is interrupted.
        timer.cancel()
        timer.join()
    return time.monotonic() - began


def test_interrupts_end_a_run(bad):
    assert interrupted(lambda: system(bad("hang")).run(call_limit=60)) < 20


def test_an_interrupt_ends_a_long_run_of_a_system_of_the_program():
    interrupted(lambda: ms.open("case-1").run(step=1e-5, stop=900, record=["mass1.x"]))


def test_other_threads_work_beside_a_run():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        ms.open("case-1").run(step=1e-5, stop=5, record=["mass1.x"])
    finally:
        done.set()
        thread.join()
    assert counted[0] > 20


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda f: ms.open("nosuch"), "nosuch"),
        (lambda f: ms.open("nosuch.toml"), "No such file"),
        (lambda f: ms.System().add("nosuch.fmu"), "No such file"),
        (lambda f: ms.System().add("embedded:nosuch"), "has no FMU `nosuch`"),
        (lambda f: ms.open("case-1").run(method="magic"), "invalid value 'magic'"),
        (lambda f: ms.open("case-1").run(nosuch=1), "found the keyword `nosuch`, expected"),
        (lambda f: ms.open("case-1").run(step=-1.0), "invalid value '-1.0'"),
        (lambda f: ms.open("case-1").run(set={"mass1.q": 1.0}), "no variable"),
        (lambda f: ms.open("case-1").run(method="jerk", predict="hold"), "cannot be combined with"),
        (lambda f: ms.System(step=0.1, stop=1).run(), "unit"),
        (lambda f: ms.info("nosuch.fmu"), "No such file"),
        (lambda f: ms.check("nosuch.fmu"), "No such file"),
        (lambda f: ms.simulate("nosuch.fmu"), "No such file"),
    ],
)
def test_bad_input_gets_the_sentence_of_the_program(fmus, call, sentence):
    with pytest.raises(ms.Error) as caught:
        call(fmus)
    assert sentence in str(caught.value)
    assert "--help" not in str(caught.value) and "panicked" not in str(caught.value)


def test_a_wrong_name_is_an_attribute_error(fmus):
    s = ms.System(step=0.1, stop=1)
    a = s.add(fmus / "mass1.fmu")
    with pytest.raises(AttributeError, match="no variable `zz`"):
        a.zz  # noqa: B018
    assert "xi" in dir(a) and "f_c" in a._ipython_key_completions_()
    with pytest.raises(ms.Error, match="neither true nor false"):
        a.xi <= a.x <= a.x  # noqa: B015


def test_divergence_has_time_and_signal(fmus):
    s = ms.System(step=0.5, stop=2000)
    a, b = s.add(fmus / "mass1.fmu"), s.add(fmus / "mass2.fmu")
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    with pytest.raises(ms.Error, match="diverged at t = ") as caught:
        s.run(predict="quadratic", isolate=False)
    e = caught.value
    assert e.time > 0 and e.unit in ("mass1", "mass2") and e.variable.startswith(e.unit) and "finite" in e.expected


def test_the_console_script_is_the_program(script, fmus, tmp_path):
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"macrostep {ms.__version__}"
    wrong = subprocess.run([script, "run", "nosuch"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: ")
    module = subprocess.run([sys.executable, "-m", "macrostep", "systems"], capture_output=True, text=True, check=True)
    assert "case-1" in module.stdout
    # Also where Python does not look beside a file that it starts: verbs that start the program again find the module.
    isolated = [sys.executable, "-m", "macrostep", "run", "case-1", "--stop", "0.01", "--isolate"]
    subprocess.run(isolated, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONSAFEPATH": "1"})


def test_the_console_script_is_watched(script, bad, tmp_path):
    path = tmp_path / "bad.toml"
    system(bad("segfault")).save(path)
    for words, sentence in [([], "was ended by signal 11"), (["--isolate"], "SIGSEGV")]:
        done = subprocess.run([script, "run", str(path), *words], capture_output=True, text=True)
        assert done.returncode == 1 and sentence in done.stderr, done.stderr


def test_errors_travel_between_processes():
    with pytest.raises(ms.Error) as e:
        ms.open("nowhere.toml")
    there = pickle.loads(pickle.dumps(e.value))
    assert type(there) is ms.Error and (str(there), there.usage, there.time) == (str(e.value), e.value.usage, None)
