"""Units, laws, predictors and correctors written in Python: the numbers of what they stand for, and exceptions that come back."""

import macrostep as ms
import numpy as np
import pytest

H = 1e-2


class Mass:
    """The second mass of the oscillator, driven by a force: one step of semi-implicit Euler."""

    def __init__(self, **of):
        self.m, self.k, self.c = of["m"], of["k"], of["c"]
        self.x, self.v = of["x0"], of["v0"]

    def start(self, t, u):
        return self.x, self.v

    def do_step(self, t, h, u):
        a = (0.0 - self.k * self.x - self.c * self.v - u[0] * -1.0) / self.m
        self.v = self.v + h * a
        self.x = self.x + h * self.v
        return self.x, self.v


class Told(Mass):
    """The same with a state of its own words."""

    __slots__ = ()

    def state(self):
        return (self.x, self.v)

    def restore(self, state):
        self.x, self.v = state


def starts(fmu):
    return {v["name"]: v["start"] for v in ms.info(fmu)["variables"] if v["causality"] == "parameter"}


def pair(fmus, second):
    s = ms.System(step=H, stop=1)
    a = s.add(fmus / "mass1.fmu", micro_step=H)
    if second is None:
        b = s.add(fmus / "mass2.fmu", micro_step=H, integrator="semi_implicit_euler")
    else:
        b = s.add_unit("mass2", second(**starts(fmus / "mass2.fmu")), {"f": "N"}, {"x": "m", "v": "m/s"})
    s.connect(a.xi <= b.x, a.xi_dot <= b.v, b.f <= a.f_c)
    return s


@pytest.mark.parametrize("options", [{}, {"schedule": "gauss-seidel"}, {"correct": "fixed-point"}, {"correct": "newton"}])
@pytest.mark.parametrize("unit", [Mass, Told])
def test_a_unit_has_the_bits_of_the_fmu(fmus, unit, options):
    here, there = pair(fmus, unit).run(**options), pair(fmus, None).run(**options)
    assert [u["kind"] for u in here.summary["units"]] == ["isolated", "python"]
    for name in ("mass1.x", "mass1.f_c", "mass2.x", "mass2.v"):
        assert np.array_equal(here[name].view(np.int64), there[name].view(np.int64)), name
    assert here.units["mass2.x"] == "m" and here.do_steps == there.do_steps


def test_a_unit_is_stepped_verified_and_drawn(fmus):
    s = pair(fmus, Mass)
    run = s.run()
    with s.start() as sim:
        sim.step(100)
        assert sim["mass2.x"] == run["mass2.x"][-1] and sim.get("mass1.x") == run["mass1.x"][-1]
    # Every run begins with a copy of the object.
    assert np.array_equal(s.run()["mass2.x"], run["mass2.x"])
    assert s.verify(tolerance=1.0).is_met is not None and "mass2" in s.explain() and "mass2" in s.graph()
    with pytest.raises(ms.Error, match="written in Python"):
        s.save("nowhere.toml")
    with pytest.raises(ms.Error, match="written in Python"):
        s.advise(1e-3)


def test_outputs_that_follow_inputs(fmus):
    class Spring:
        def outputs(self, t, u):
            return 100.0 * (u[0] - u[2]) + 0.5 * (u[1] - u[3])

        def do_step(self, t, h, u):
            return self.outputs(t + h, u)

    def coupled(unit):
        s = ms.System(step=H, stop=1)
        a, b = s.add("embedded:oscillator1_force", "a"), s.add("embedded:oscillator2_force", "b")
        if unit:
            f = s.add_unit("spring", Spring(), ["x1", "v1", "x2", "v2"], ["f"])
            s.connect(f.x1 <= a.x, f.v1 <= a.v, f.x2 <= b.x, f.v2 <= b.v)
        else:
            f = s.law("spring", lambda x1, v1, x2, v2: 100.0 * (x1 - x2) + 0.5 * (v1 - v2), [a.x, a.v, b.x, b.v], ["f"])
        s.connect(a.f <= f.f, b.f <= f.f)
        return s

    known = ms.System(step=H, stop=1)
    known.add("embedded:oscillator1_force", "a"), known.add("embedded:oscillator2_force", "b")
    known.include(
        """
        [laws.spring]
        kind = "spring-damper"
        stiffness = 100.0
        damping = 0.5
        inputs = ["a.x", "a.v", "b.x", "b.v"]
        outputs = ["f"]

        [connections]
        "a.f" = "spring.f"
        "b.f" = "spring.f"
        """
    )
    law = coupled(False)
    for options in ({}, {"predict": "linear"}, {"correct": "newton"}, {"predict": "h3"}):
        expected, found = known.run(**options), law.run(**options)
        if options.get("predict") == "h3":
            # The law is applied to polynomials, by its values at nodes.
            assert np.allclose(found["a.x"], expected["a.x"], rtol=0, atol=1e-9 * np.abs(expected["a.x"]).max())
        else:
            assert np.array_equal(found["a.x"], expected["a.x"]), options
    # A unit between them says at each communication point what the law says.
    assert np.allclose(coupled(True).run()["a.x"], known.run()["a.x"], rtol=0, atol=1e-9)


class Line:
    """Extrapolation of degree 1."""

    depth, degree = 2, 1

    def predict(self, times, values, t):
        if len(times) < 2:
            return values[-1]
        return values[-1] + (values[-1] - values[-2]) / (times[-1] - times[-2]) * (t - times[-1])


class Hold:
    depth, degree = 1, 0

    def predict(self, times, values, t):
        return values[-1]


def test_predictors_are_those_they_write_down(fmus):
    s = pair(fmus, None)
    held, line = s.run(predictor=Hold()), s.run(predictor=Line(), schedule="gauss-seidel")
    assert np.array_equal(held["mass1.x"], s.run()["mass1.x"]) and held.summary["predict"] == "Hold"
    x = s.run(predict="linear", schedule="gauss-seidel")["mass1.x"]
    assert np.allclose(line["mass1.x"], x, rtol=0, atol=1e-11 * np.abs(x).max())
    assert not np.allclose(line["mass1.x"], s.run(schedule="gauss-seidel")["mass1.x"], rtol=0, atol=1e-3)
    with pytest.raises(ms.Error, match="expected neither"):
        s.run(predictor=Line(), predict="linear")
    with pytest.raises(ms.Error, match="expected an attribute `degree`"):
        s.run(predictor=type("Bad", (), {"depth": 1, "predict": Hold.predict})())


class Aitken:
    """Fixed-point iteration with Aitken's relaxation; the last one of a step begins the next."""

    def __init__(self):
        self.omega, self.last = 1.0, None

    def begin(self, first):
        self.last = None

    def next(self, x, residual, scale):
        if self.last is not None:
            dot = square = 0.0
            for r, last, s in zip(residual, self.last, scale):
                d = (r - last) / s
                dot += last / s * d
                square += d * d
            omega = -self.omega * dot / square if square > 0.0 else self.omega
            self.omega = min(omega, 1.5) if np.isfinite(omega) and omega > 0.0 else self.omega
        self.last = residual
        return [x + self.omega * r for x, r in zip(x, residual)]


class Relaxed:
    """Fixed-point iteration with a constant relaxation."""

    omega = 0.8

    def next(self, x, residual, scale):
        return [x + self.omega * r for x, r in zip(x, residual)]


@pytest.mark.parametrize("schedule", ["jacobi", "gauss-seidel"])
def test_correctors_are_those_they_write_down(fmus, schedule):
    s = pair(fmus, None)
    own, built = s.run(corrector=Aitken(), schedule=schedule), s.run(correct="fixed-point", schedule=schedule)
    assert own.summary["correct"] == "Aitken" and own.do_steps == built.do_steps != s.run(schedule=schedule).do_steps
    for name in ("mass1.x", "mass1.f_c", "mass2.x", "mass2.v"):
        assert np.array_equal(own[name].view(np.int64), built[name].view(np.int64)), name
    # Under-relaxation takes other runs to the same solution; every run begins with a copy of the object.
    relaxed = s.run(corrector=Relaxed(), schedule=schedule)
    assert relaxed.do_steps != built.do_steps
    assert np.allclose(relaxed["mass1.x"], built["mass1.x"], rtol=0, atol=1e-10 * np.abs(built["mass1.x"]).max())
    again = Aitken()
    assert s.run(corrector=again, schedule=schedule).do_steps == own.do_steps and again.omega == 1.0


def test_a_corrector_is_stepped_and_verified(fmus):
    s = pair(fmus, None)
    run = s.run(corrector=Aitken())
    with s.start(corrector=Aitken()) as sim:
        sim.step(100)
        assert sim["mass2.x"] == run["mass2.x"][-1]
    assert s.verify(tolerance=1.0, corrector=Aitken()).is_met is not None


def corrector(next):
    return type("Own", (), {"next": lambda self, x, residual, scale: next(x, residual)})()


@pytest.mark.parametrize(
    ("next", "sentence"),
    [
        (lambda x, r: [float("nan")] * len(x), "the corrector: ValueError: found NaN at place 0, expected finite numbers"),
        (lambda x, r: [*x, 0.0], "the corrector: ValueError: found 4 numbers, expected 3"),
        (lambda x, r: 1 / 0, "the corrector: ZeroDivisionError"),
        (lambda x, r: "much", "the corrector: "),
        (lambda x, r: None, "the corrector: TypeError: found .*NoneType.*, expected 3 numbers"),
    ],
)
def test_correctors_that_fail_end_a_run(fmus, next, sentence):
    with pytest.raises(ms.Error, match=sentence) as caught:
        pair(fmus, None).run(corrector=corrector(next))
    assert caught.value.__cause__ is not None


def test_correctors_that_do_not_converge_or_are_none(fmus):
    s = pair(fmus, None)
    with pytest.raises(ms.Error, match="converge") as caught:
        s.run(corrector=corrector(lambda x, r: x))
    assert "residual" in str(caught.value) or "macro step" in str(caught.value)
    with pytest.raises(ms.Error, match="found no method `next`"):
        s.run(corrector=object())
    with pytest.raises(ms.Error, match='found correct = "newton", expected neither `method`, nor `correct`'):
        s.run(corrector=Relaxed(), correct="newton")
    with pytest.raises(ms.Error, match="it cannot be copied"):
        s.run(corrector=type("Held", (Relaxed,), {"__deepcopy__": lambda self, memo: 1 / 0})())


def test_exceptions_come_back_with_unit_and_time(fmus):
    class Late(Mass):
        def do_step(self, t, h, u):
            if t > 0.495:
                return 1 / 0
            return super().do_step(t, h, u)

    s = pair(fmus, Late)
    with pytest.raises(ms.Error, match="ZeroDivisionError") as caught:
        s.run()
    e = caught.value
    assert e.unit == "mass2" and e.time == pytest.approx(0.5) and type(e.__cause__) is ZeroDivisionError
    assert len(e.run) == 51 and e.__cause__.__traceback__ is not None
    with pytest.raises(ms.Error, match="mass2") as caught, s.start() as sim:
        while True:
            sim.step()
    assert type(caught.value.__cause__) is ZeroDivisionError


def test_exceptions_of_laws_and_predictors_end_a_run(fmus):
    s = ms.System(step=H, stop=1)
    a, b = s.add("embedded:oscillator1_force", "a"), s.add("embedded:oscillator2_force", "b")
    f = s.law("spring", lambda x1, x2: {}["k"], [a.x, b.x], ["f"])
    s.connect(a.f <= f.f, b.f <= f.f)
    with pytest.raises(ms.Error, match="law `spring`: KeyError: 'k'") as caught:
        s.run()
    assert type(caught.value.__cause__) is KeyError

    class Wrong(Hold):
        def predict(self, times, values, t):
            return "much"

    with pytest.raises(ms.Error, match="the predictor: TypeError") as caught:
        pair(fmus, None).run(predictor=Wrong())
    assert type(caught.value.__cause__) is TypeError


@pytest.mark.parametrize(
    ("unit", "sentence"),
    [
        (object(), "found no method `do_step`"),
        (type("Bare", (), {"do_step": lambda self, t, h, u: 0.0})(), "found neither method `start` nor `outputs`"),
    ],
)
def test_units_that_are_none_are_refused(unit, sentence):
    s = ms.System(step=H, stop=1)
    with pytest.raises(ms.Error, match=sentence):
        s.add_unit("c", unit, ["u"], ["y"])
    with pytest.raises(ms.Error, match="undefined unit `furlong`"):
        s.add_unit("c", Mass(m=1, k=1, c=0, x0=0, v0=0), {"f": "furlong"}, ["x", "v"])
    s.add_unit("c", Mass(m=1, k=1, c=0, x0=0, v0=0), ["f"], ["x"])
    with pytest.raises(ms.Error, match="found 2 numbers, expected 1"):
        s.run()
