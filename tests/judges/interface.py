"""The reduced beam in another master: FMPy drives beam, adapter and springs; the deflections are those of the example `interface`.

    interface.py FMUS DEFLECTIONS.csv

FMUS holds beam_reduced.fmu, interface_adapter.fmu and spring_field.fmu, DEFLECTIONS.csv is what the example `interface --out`
writes. Largest difference allowed: 1e-12 of the largest deflection.
"""

import csv
import shutil
import sys
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave

LIMIT = 1e-12


class Slave:
    def __init__(self, path):
        self.folder = fmpy.extract(str(path))
        description = fmpy.read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=path.stem,
        )
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def list(self, name, count):
        return [self.references[f"{name}[{i + 1}]"] for i in range(count)]

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(fmus, table):
    with open(table, newline="") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    step = rows[1]["time"]
    beam, adapter, springs = (Slave(Path(fmus) / f"{n}.fmu") for n in ("beam_reduced", "interface_adapter", "spring_field"))
    reduced, full = 38, 501
    u_int, g_int = beam.list("u_int", reduced), beam.list("g_int", reduced)
    worst = scale = 0.0
    for k, row in enumerate(rows):
        # Positions forward by T, forces back by its dual, at the same communication point.
        adapter.slave.setReal(adapter.list("u_int", reduced), beam.slave.getReal(u_int))
        u = adapter.slave.getReal(adapter.list("u", full))
        springs.slave.setReal(springs.list("u", full), u)
        adapter.slave.setReal(adapter.list("F", full), springs.slave.getReal(springs.list("F", full)))
        beam.slave.setReal(g_int, adapter.slave.getReal(adapter.list("g_int", reduced)))
        for place, node in (("driven", 0), ("middle", 83), ("free", 166)):
            expected = row[f"reduced_{place}"]
            worst, scale = max(worst, abs(u[3 * node + 1] - expected)), max(scale, abs(expected))
        if k + 1 < len(rows):
            for s in (beam, adapter, springs):
                s.slave.doStep(k * step, step)
    for s in (beam, adapter, springs):
        s.close()
    print(f"{len(rows)} points, largest difference {worst:.1e} m of {scale:.1e} m")
    return 0 if worst <= LIMIT * scale else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
