"""Checked by mypy, not run: what the package says of its types."""

import macrostep as ms
import numpy as np

s: ms.System = ms.System(step=1e-3, stop=10)
a: ms.Unit = s.add("mass1.fmu", m=1.0)
c: ms.Connection = a.xi <= 2 * a.x + 1
s.connect(c)
run: ms.Run = s.run(method="waveform:16")
x: np.ndarray = run["mass1.x"]
met: bool | None = s.verify(tolerance=1e-4).is_met
class Cautious:
    depth, degree = 2, 1

    def predict(self, times: tuple[float, ...], values: tuple[float, ...], t: float) -> float:
        return values[-1]


s.run(predict="kalman:1:100", correct="newton", set={"a.k": 1.0}, record="a.*", threads=2, predictor=Cautious())
s.sweep({"step": [1e-2]}, {"top": "max(b.x)"}, design="lhs", samples=5, workers=2)
with s.start(energy="leak") as sim:
    started: ms.Started = sim
    sim.step()
    t: float = sim.time
sweep: ms.Sweep = s.sweep({"a.k": "lin:1:10:20"}, {"top": "max(b.x)"})
top: np.ndarray = sweep["top"]
k: float = s.fit("measured.csv", {"a.k": (1, 100)}).values_by_name["a.k"]
s.export("both.fmu")
law: ms.Law = s.law("spring", lambda x, y: x - y, [a.x, a.v], ["f"])
unit: ms.Unit = s.add_unit("control", object(), ["x"], {"f": "N"}, start={"x": 1.0})
