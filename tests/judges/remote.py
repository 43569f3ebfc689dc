"""Units on other machines, with both ends on this one: the bits of a local run, and what is said where something fails.

    PATH=target/remote/debug:$PATH python3 tests/judges/remote.py target/release/macrostep target/judges/remote
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAM, WORK = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
NAMES = {"mass1": "oscillator1_displacement", "mass2": "oscillator2_force"}
failed = []


def told(what, good, found=""):
    """Notes a check."""
    print("ok  " if good else "FAIL", what, "" if good else found, flush=True)
    if not good:
        failed.append(what)


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def configured(name, **parts):
    """A file for ZENOH_CONFIG."""
    path = WORK / f"{name}.json5"
    path.write_text(json.dumps({"scouting": {"multicast": {"enabled": False}}, **parts}))
    return {**os.environ, "ZENOH_CONFIG": str(path)}


def serving(port, *arguments):
    """A program that serves, once it does."""
    env = configured(f"serve{port}", mode="peer", listen={"endpoints": [f"tcp/127.0.0.1:{port}"]})
    command = ["macrostep-remote", "serve", *arguments]
    server = subprocess.Popen(command, env=env, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    server.first = server.stdout.readline()
    return server


def ended(server):
    """Ends a program that serves."""
    server.send_signal(signal.SIGKILL)
    server.wait()


def client(port):
    """The environment of a master."""
    return configured(f"use{port}", mode="client", connect={"endpoints": [f"tcp/127.0.0.1:{port}"]})


def scenario(name, remote):
    """Case 1 with some of its FMUs at an address."""
    text = (WORK / "case1.toml").read_text()
    for unit, fmu in NAMES.items():
        place = f"zenoh://{fmu}" if unit in remote else f"fmus/{fmu}.fmu"
        text = text.replace(f"embedded:{fmu}", place)
    path = WORK / f"{name}.toml"
    path.write_text(text)
    return path.name


def run(arguments, env=None, limit=120):
    """The program's exit code and what it wrote."""
    done = subprocess.run([PROGRAM, *arguments], cwd=WORK, env=env, capture_output=True, text=True, timeout=limit)
    return done.returncode, done.stdout + done.stderr


def traced(system, out, arguments, env=None):
    """The rows of a run as bytes."""
    shutil.rmtree(WORK / out, ignore_errors=True)
    code, text = run(["run", system, "--quiet", "--out", out, *arguments], env)
    rows = WORK / out / "trace.csv"
    return code, rows.read_bytes() if rows.exists() else b"", text


def same_bits(env):
    """Every kind of method, and the verbs that ask most of a unit."""
    local, one, both = scenario("local", []), scenario("one", ["mass2"]), scenario("both", ["mass1", "mass2"])
    for method in [
        "--predict hold",
        "--predict linear --schedule gauss-seidel",
        "--predict quadratic --step 0.01 --correct newton",
        "--predict hold --step 0.01 --correct fixed-point --schedule gauss-seidel",
        "--predict linear --step 0.01 --control error --control-tolerance 1e-5",
        "--predict linear --rollback fork --step 0.01 --correct iqn-ils",
        "--method waveform:12 --step 0.1",
        "--method jerk --step 0.01",
    ]:
        arguments = [*method.split(), "--stop", "0.5"]
        code, expected, text = traced(local, "out-local", arguments)
        told(f"local {method}", code == 0 and expected.count(b"\n") > 5, text)
        for system in one, both:
            code, found, text = traced(system, "out-remote", arguments, env)
            told(f"same bits, {system} {method}", code == 0 and found == expected, text)
    arguments = ["--tolerance", "1e-2", "--stop", "0.1"]
    found = [run(["verify", system, *arguments], env) for system in (local, one)]
    told("same words, verify", found[0] == found[1] and found[0][0] == 0, found)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    assert run(["fmus", "--out", "fmus"])[0] == 0 and run(["convert", "case-1", "case1.toml"])[0] == 0
    files = [f"fmus/{fmu}.fmu" for fmu in NAMES.values()]
    port = free_port()
    server = serving(port, *files)
    try:
        same_bits(client(port))
    finally:
        ended(server)
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
