"""Two masses on springs in FMPy: wired with held inputs, and as one container with a waveform inside.

usage: picture.py MACROSTEP PICTURE

Needs FMPy and matplotlib. Prints the last positions of both.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from fmpy import simulate_fmu
from fmpy.ssp.simulation import simulate_ssp

macrostep, picture = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    pair = Path(folder) / "pair"
    # The same system in two forms: FMPy couples the one, and the other couples itself.
    subprocess.run([macrostep, "convert", "case-1:f-s", f"{pair}.ssp"], check=True, capture_output=True)
    wired = simulate_ssp(f"{pair}.ssp", stop_time=10, step_size=0.02)

    def container(step):
        export = ["export", "case-1:f-s", "--method", "waveform:20", "--step", step, "--out", f"{pair}{step}.fmu"]
        subprocess.run([macrostep, *export], check=True, capture_output=True)
        return simulate_fmu(f"{pair}{step}.fmu")

    # Short steps draw the curve between the long ones.
    coarse, fine = container("0.2"), container("0.02")

figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
for axis, name in zip(axes, ["mass1.x", "mass2.x"]):
    axis.plot(wired["time"], wired[name], color="#c44e52", lw=1.2, label="wired in FMPy: inputs held, steps of 20 ms")
    axis.plot(fine["time"], fine[name], color="#8c8c8c", lw=1.2, label="one container, steps of 20 ms")
    axis.plot(coarse["time"], coarse[name], "o", color="#4c72b0", ms=4.5, label="one container, steps of 200 ms")
    # The first half shows how the run on held inputs leaves all bounds.
    axis.set_xlim(0, 5)
    axis.set_ylim(-25, 25)
    axis.set_ylabel(f"{name} [m]")
    axis.grid(alpha=0.3)
# Above the curves, where it covers none of them.
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8, frameon=False)
axes[1].set_xlabel("t [s]")
figure.savefig(picture, dpi=100)
for title, rows in [("wired", wired), ("container", coarse)]:
    print(title, rows["mass1.x"][-1], rows["mass2.x"][-1])
