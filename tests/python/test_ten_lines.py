"""The lines that the package's page begins with, as they are typed, on FMU files of the program."""

import shutil

import numpy as np
import pytest

import macrostep as ms


def test_two_fmus_and_an_answer(fmus, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(fmus / "oscillator1_displacement.fmu", "mass1.fmu")
    shutil.copy(fmus / "oscillator2_force.fmu", "mass2.fmu")

    s = ms.System(step=1e-3, stop=1)
    a = s.add("mass1.fmu", m=1.0)
    b = s.add("mass2.fmu")
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    run = s.run(method="waveform:16")
    # As a loop that is solved at each communication point says, but for its extrapolation.
    newton = s.run(predict="quadratic", correct="newton")
    assert np.allclose(run["mass1.x"], newton["mass1.x"], rtol=0, atol=1e-5)
    assert len(run.time) == 1001
    with s.start() as sim:
        while sim.time < 0.01:
            sim.step()
    s.save("both.toml")
    program("run", "both.toml", "--method", "waveform:16", "--stop", "0.1")
    s.export("both.fmu")
    assert (tmp_path / "both.fmu").stat().st_size > 0


def test_two_fmus_are_coupled_as_is_proposed(fmus, capsys):
    s = ms.couple(fmus / "oscillator1_displacement.fmu", fmus / "oscillator2_force.fmu")
    assert "`oscillator2_force.f` = `oscillator1_displacement.f_c`" in capsys.readouterr().out
    assert len(s.run(stop=0.1).time) == 101
    # What is left to the caller is a warning, and what is no FMU an error.
    with pytest.warns(ms.MacrostepWarning, match="left open: `oscillator1_force.f`"):
        ms.couple(fmus / "oscillator1_force.fmu", fmus / "oscillator2_force.fmu")
    with pytest.raises(ms.Error, match="no FMU"):
        ms.couple("pair.toml")
