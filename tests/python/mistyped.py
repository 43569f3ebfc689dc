"""Checked by mypy, not run: each line is a mistake that a type checker sees. Where it no longer does, the remark is unused, and an error."""

import macrostep as ms

s = ms.System(step=1e-3, stop=10)
s.run(prediction="linear")  # type: ignore[call-arg]
s.run(step="fast")  # type: ignore[arg-type]
s.run(correct="newtom")  # type: ignore[arg-type]
s.run(threads=1.5)  # type: ignore[arg-type]
s.start(energy="leek")  # type: ignore[arg-type]
s.verify(tolerance="small")  # type: ignore[arg-type]
s.verify(junit="tests.xml")  # type: ignore[call-arg]
s.explain(isolate="yes")  # type: ignore[arg-type]
s.advise(1e-3, apply=2)  # type: ignore[arg-type]
s.sweep({"a.k": [1.0]}, {"top": "max(b.x)"}, design="sobel")  # type: ignore[arg-type]
s.fit("measured.csv", {"a.k": (1, 100)}, starts="many")  # type: ignore[arg-type]
s.export("both.fmu", methods="jerk")  # type: ignore[call-arg]
s.run(predictor=3)  # type: ignore[arg-type]
ms.simulate("mass1.fmu", step="1 ms")  # type: ignore[arg-type]
