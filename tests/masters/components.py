"""The systems of the examples as `convert` writes them, opened by libcosim and ecos: values of components are applied, or named by `convert`.

usage: components.py MACROSTEP EXAMPLES WORK

Each tool opens the file, makes two steps and is asked for the values that the example gives. Enumerations, which neither tool sets, must stand in a warning of
`convert`. Ends with status 1 otherwise.
"""

import ctypes
import glob
import logging
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from fmpy import read_model_description

from masters import Silent, System

STEP = 1e-3


def kinds(system):
    """Types of variables by unit and name."""
    out = {}
    for unit, source in system.units.items():
        described = read_model_description(str(system.folder / source), validate=False)
        out.update({(unit, v.name): v.type for v in described.modelVariables})
    return out


def given(path):
    """Numbers and Booleans that the example gives its components, by unit and name: read from the example, not from what `convert` has written."""
    units = tomllib.loads(path.read_text())["units"]
    return {(unit, name): value for unit, says in units.items() for name, value in says.get("set", {}).items() if not isinstance(value, str)}


def by_libcosim(system, wanted):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver

    references = system.references()
    execution = CosimExecution.from_ssp_file(str(system.folder), step_size=round(STEP * 1e9))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    execution.step(2)
    index = {unit: execution.slave_index_from_instance_name(unit) for unit in system.units}
    return [observer.last_real_values(index[unit], [references[unit, name]])[0] for unit, name in wanted]


def by_ecos(system, wanted):
    # Its library wants Intel's threads without saying where.
    ctypes.CDLL(glob.glob(os.path.join(sys.prefix, "lib", "libtbb.so.12"))[0], mode=ctypes.RTLD_GLOBAL)
    from ecospy.EcosSimulation import EcosSimulation

    with EcosSimulation(STEP, ssp_path=str(system.archive)) as simulation:
        if not simulation.init(0, "initialValues" if system.starts else None):
            raise RuntimeError("initialisation failed")
        simulation.step(2)
        values = [simulation.get_real(f"{unit}::{name}") for unit, name in wanted]
        simulation.terminate()
    return values


TOOLS = {"libcosim": by_libcosim, "ecos": by_ecos}


def judge(program, path, tool, work):
    """A row of the table, and what is wrong."""
    logging.disable(logging.WARNING)
    work.mkdir(parents=True, exist_ok=True)
    archive = work / f"{path.stem}.ssp"
    done = subprocess.run([program, "convert", str(path), str(archive)], capture_output=True, text=True)
    if done.returncode:
        return "", [f"{path.stem}: convert: {done.stderr}"]
    system = System(path.stem, archive, work)
    types, fed = kinds(system), {(unit, name) for _, _, unit, name in system.links}
    wrong = []
    has_items = any(types[key] == "Enumeration" for key in system.starts)
    if has_items and "libcosim and ecos do not support enumerations" not in done.stderr:
        wrong.append(f"{path.stem}: {tool}: `convert` does not say that enumerations are not set")
    values = given(path)
    wanted = [key for key in values if types[key] == "Real" and key not in fed]
    try:
        with Silent():
            found = TOOLS[tool](system, wanted)
    except Exception as error:
        return "", [*wrong, f"{path.stem}: {tool}: {type(error).__name__}: {error}"]
    for (unit, name), value in zip(wanted, found):
        if value != values[unit, name]:
            wrong.append(f"{path.stem}: {tool}: `{unit}.{name}` is {value}, expected {values[unit, name]}")
    return f"{path.stem:18} {tool:9} {len(wanted):6}  {len(wrong)}", wrong


def main(program, examples, work):
    print(f"{'example':18} {'tool':9} values  wrong", flush=True)
    failures, files = [], sorted(examples.glob("*.toml"))
    # A tool that crashes takes its process along.
    with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
        for path in files:
            for tool in TOOLS:
                row, wrong = pool.submit(judge, program, path, tool, work / tool).result(timeout=120)
                print(row or f"{path.stem:18} {tool:9} FAILED", flush=True)
                failures += wrong
    for failure in failures:
        print("FAILED:", failure)
    if failures or not files:
        sys.exit(1)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())
