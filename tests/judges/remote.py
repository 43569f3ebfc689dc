"""Units on other machines, with both ends on this one: the bits of a local run, and what is said where something fails.

    PATH=target/remote/debug:$PATH target/judges/remote-python/venv/bin/python tests/judges/remote.py target/release/macrostep target/judges/remote [CHECK…]
"""

import atexit
import csv
import ctypes
import json
import os
import queue
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

PROGRAM, WORK = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
# What takes so long hangs [s]; a busy machine does not.
HANGS = 900
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


def serving(port, *arguments, env=None):
    """A program that serves, once it does."""
    env = env or configured(f"serve{port}", mode="peer", listen={"endpoints": [f"tcp/127.0.0.1:{port}"]})
    command = ["macrostep-remote", "serve", *arguments]
    server = subprocess.Popen(command, env=env, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    atexit.register(server.kill)
    server.stdout.readline()
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
        # The face is named, because advice would try the other one as well.
        text = text.replace(f'"embedded:{fmu}"', f'"{place}"\nface = "co-simulation"')
    (WORK / f"{name}.toml").write_text(text)


def run(arguments, env=None):
    """The program's exit code and what it wrote."""
    done = subprocess.run([PROGRAM, *arguments], cwd=WORK, env=env, capture_output=True, text=True, timeout=HANGS)
    return done.returncode, done.stdout + done.stderr


def traced(system, out, arguments, env=None):
    """The rows of a run as bytes."""
    shutil.rmtree(WORK / out, ignore_errors=True)
    code, text = run(["run", system, "--quiet", "--out", out, *arguments], env)
    rows = WORK / out / "trace.csv"
    return code, rows.read_bytes() if rows.exists() else b"", text


def same_bits(files):
    """Every kind of method, and the verbs that ask most of a unit."""
    port = free_port()
    server, env = serving(port, *files), client(port)
    local, one, both = "local.toml", "one.toml", "both.toml"
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
    code, text = run(["explain", one, "--stop", "0.1"], env)
    told("explain says the round trips of a macro step", code == 0 and "`mass2`: 101 round trips, 1.0 a macro step" in text, text)
    points = ["--vary", "mass2.m=lin:1:2:3", "--measure", "top=max(mass2.x)", "--step", "0.01", "--stop", "0.5"]
    codes = [run(["sweep", system, *points, "--out", f"sweep-{system}"], env)[0] for system in (local, one)]
    rows = [(WORK / f"sweep-{system}/runs.csv").read_text() for system in (local, one)]
    told("same rows of a sweep", codes == [0, 0] and rows[0] == rows[1] and rows[0].count("\n") == 4, rows)
    ended(server)


class Cable:
    """A way from a port to another one, with a delay [s] in each direction, that can be cut."""

    def __init__(self, to, delay=0.0):
        self.to, self.delay, self.is_cut = to, delay, False
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            ends = self.server.accept()[0], socket.create_connection(("127.0.0.1", self.to))
            for end in ends:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for a, b in ends, ends[::-1]:
                parts = queue.Queue()
                threading.Thread(target=self.read, args=(a, parts), daemon=True).start()
                threading.Thread(target=self.write, args=(b, parts), daemon=True).start()

    def read(self, end, parts):
        while part := self.part(end):
            parts.put((time.monotonic() + self.delay, part))
        parts.put((0, b""))

    def part(self, end):
        try:
            return end.recv(1 << 16)
        except OSError:
            return b""

    def write(self, end, parts):
        while True:
            due, part = parts.get()
            time.sleep(max(0, due - time.monotonic()))
            # What is cut passes nothing on, and nobody is told.
            while self.is_cut:
                time.sleep(0.01)
            if not part:
                return end.close()
            try:
                end.sendall(part)
            except OSError:
                return None


FAR = ["--predict", "spectral:16", "--schedule", "gauss-seidel-reversed"]


def exactly():
    """Rows of case 1 at their times, by half the macro step of units far away and more nodes."""
    code, expected, text = traced("local.toml", "out-local", ["--step", "0.1", "--method", "waveform:20"])
    assert code == 0, text
    return {round(float(row["time"]), 9): row for row in csv.DictReader(expected.decode().splitlines())}


def distance(fmu):
    """50 ms of round trip: 10 s of case 1 in windows of 0.2 s."""
    method, exact = ["--step", "0.2", *FAR], exactly()
    for corrector, trips_max in ("newton", 110), ("iqn-imvj", 127):
        code, local, text = traced("local.toml", "out-local", [*method, "--correct", corrector])
        assert code == 0, text
        port = free_port()
        server, cable = serving(port, fmu), Cable(port, 0.025)
        shutil.rmtree(WORK / "out-far", ignore_errors=True)
        command = [PROGRAM, "run", "one.toml", *method, "--correct", corrector, "--out", "out-far"]
        began = time.monotonic()
        master = subprocess.Popen(command, cwd=WORK, env=client(cable.port), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # The run itself is over; a second look at it makes other instances.
        trips = int(re.search(r"after (\d+) messages", server.stdout.readline())[1])
        took_s = time.monotonic() - began
        text, _ = master.communicate(timeout=HANGS)
        ended(server)
        again = [int(n) for n in re.findall(r"after (\d+) messages", server.stdout.read())]
        rows = list(csv.DictReader((WORK / "out-far/trace.csv").read_text().splitlines()))
        off = 0.0
        for column in "mass1.x", "mass2.x":
            scale = max(abs(float(row[column])) for row in exact.values())
            errors = (float(row[column]) - float(exact[round(float(row["time"]), 9)][column]) for row in rows)
            off = max(off, max(map(abs, errors)) / scale)
        found = f"{trips} round trips, {took_s:.1f} s, relative error {off:.1e}; second look {again}"
        good = master.returncode == 0 and trips <= trips_max and off < 1e-11 and len(rows) == 51
        good = good and (WORK / "out-far/trace.csv").read_bytes() == local
        told(f"far away, {corrector}: {found}", good, text)


def advice(files):
    """50 ms of round trip to both units: what is advised asks seldom, as often as is said."""
    port = free_port()
    server, cable = serving(port, *files), Cable(port, 0.025)
    began = time.monotonic()
    code, text = run(["advise", "both.toml", "--out", "advice"], client(cable.port))
    took_s = time.monotonic() - began
    ended(server)
    answer = json.loads((WORK / "advice/advise.json").read_text()) if code == 0 else {}
    best, keys = answer.get("advice", {}), answer.get("advised", {"step": 1})
    trips, trip_ms = best.get("round_trips", 0), 1e3 * best.get("round_trip_s", 0)
    is_told = f"far away: {trips} round trips of {trip_ms:.3f} ms" in text
    good = is_told and 50 <= trip_ms < 100 and 0 < trips <= 300 and keys["step"] >= 0.2
    good = good and keys["predict"].startswith("spectral") and keys["correct"] == "newton"
    # The run asks as often as was said; messages before its first macro step come on top.
    server = serving(port, *files)
    run(["run", "both.toml", *(f"--{key}={value}" for key, value in keys.items()), "--out", "out-advised"], client(port))
    ended(server)
    counts = [int(n) for n in re.findall(r"after (\d+) messages", server.stdout.read())[:2]]
    found = f"{best.get('scheme')}, H = {keys['step']} s, {trips} of {trip_ms:.1f} ms; the run asked {counts} times; {took_s:.0f} s"
    told(f"advice for units far away: {found}", good and 0 < sum(counts) - trips <= 20, text)


ECHO = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
end = server.accept()[0]
end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while part := end.recv(4096):
    end.sendall(part)
"""


def echo_us(count=2_000):
    """The round trip of 128 bytes to another process over TCP [µs]."""
    other = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    with socket.create_connection(("127.0.0.1", int(other.stdout.readline()))) as end:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.perf_counter()
        for _ in range(count):
            end.sendall(bytes(128))
            end.recv(4096)
        took_s = time.perf_counter() - began
    other.wait()
    return 1e6 * took_s / count


def step_us(system, env=None, *more):
    """A macro step of 1000 of `hold` [µs]: one message to a unit elsewhere."""
    code, text = run(["run", system, "--predict", "hold", "--step", "0.01", "--stop", "10", "--out", "out-steps", *more], env)
    took, unit = re.search(r"windows in ([\d.]+) (m?s)", text).groups()
    return float(took) * (1e-3 if unit == "ms" else 1) * 1e6 / 1000


def latency(fmu):
    """Round trips without a delay, beside others in turn; printed, not judged: the machine decides."""
    port = free_port()
    server, env = serving(port, fmu), client(port)
    rounds = [(step_us("one.toml", env) - step_us("local.toml"), step_us("local.toml", None, "--isolate"), echo_us()) for _ in range(5)]
    ended(server)
    far, isolated, echo = (sorted(times)[2] for times in zip(*rounds))
    print(f"round trip {far:.0f} µs, a macro step of two isolated units {isolated:.0f} µs, TCP echo {echo:.0f} µs: {far / echo:.1f} of it")


def with_ecos(places, step):
    """10 s of case 1 in ecos: time [µs] and messages of a step, and the two positions at the end."""
    from ecospy.EcosParameterSet import EcosParameterSet
    from ecospy.EcosSimulation import EcosSimulation
    from ecospy.EcosSimulationStructure import EcosSimulationStructure

    structure, start = EcosSimulationStructure(), EcosParameterSet()
    for unit, place in places.items():
        structure.add_model(unit, place)
    for out, to in ("mass1::f_c", "mass2::f"), ("mass2::x", "mass1::xi"), ("mass2::v", "mass1::xi_dot"):
        structure.make_real_connection(out, to)
    for unit, values in {"mass1": {"k": 10, "k_c": 100, "v0": 100}, "mass2": {"k": 1000, "v0": -100}}.items():
        for name, value in values.items():
            start.add_real(f"{unit}::{name}", value)
    structure.add_parameter_set("start", start)

    def written():
        return int(re.search(r"syscw: (\d+)", Path("/proc/self/io").read_text())[1])

    with EcosSimulation(step, structure=structure) as simulation:
        assert simulation.init(0, "start")
        steps, before, began = round(10 / step), written(), time.perf_counter()
        simulation.step(steps)
        took_s, messages = time.perf_counter() - began, written() - before
        ends = [simulation.get_real(f"{unit}::x") for unit in places]
        simulation.terminate()
    return 1e6 * took_s / steps, messages / steps, ends


def proxyfmu(files):
    """The same pair with one unit behind the proxy of ecos, and behind this one, over TCP on this machine; times are printed, not judged."""
    exact = exactly()
    ends = [float(exact[10.0][f"{unit}.x"]) for unit in NAMES]
    scales = [max(abs(float(row[f"{unit}.x"])) for row in exact.values()) for unit in NAMES]
    here = {unit: str(WORK / file) for unit, file in zip(NAMES, files)}
    # Its library wants Intel's threads without saying where, and its archive has no rights of files.
    ctypes.CDLL(str(Path(sys.prefix) / "lib/libtbb.so.12"), mode=ctypes.RTLD_GLOBAL)
    import ecospy

    proxy, port = Path(ecospy.__file__).parent / "binaries/proxyfmu", free_port()
    proxy.chmod(0o755)
    boot = subprocess.Popen([proxy, "boot", "--port", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    atexit.register(boot.kill)
    boot.stdout.readline()
    there = {**here, "mass2": f"proxyfmu://127.0.0.1:{port}?file={here['mass2']}"}
    rows = [(f"ecos, {where}, H = {step} s", *with_ecos(places, step)) for where, places, step in (("both here", here, 1e-3), ("proxyfmu", there, 1e-3), ("proxyfmu", there, 4e-3))]
    ended(boot)
    for where, system, step, method in (
        ("both here, hold", "local.toml", 1e-3, ["--predict", "hold"]),
        ("zenoh, hold", "one.toml", 1e-3, ["--predict", "hold"]),
        ("zenoh, spectral:16 newton", "one.toml", 0.2, [*FAR, "--correct", "newton"]),
    ):
        port = free_port()
        server = serving(port, files[1])
        code, text = run(["run", system, *method, "--step", str(step), "--out", "out-steps"], client(port))
        ended(server)
        assert code == 0, text
        last = list(csv.DictReader((WORK / "out-steps/trace.csv").read_text().splitlines()))[-1]
        messages = 0 if system == "local.toml" else int(re.search(r"after (\d+) messages", server.stdout.readline())[1])
        took, unit = re.search(r"windows in ([\d.]+) (m?s)", text).groups()
        took_us = 1e6 * float(took) * (1e-3 if unit == "ms" else 1)
        rows.append((f"macrostep, {where}, H = {step} s", took_us * step / 10, messages * step / 10, [float(last[f"{unit}.x"]) for unit in NAMES]))
    for what, took_us, messages, found in rows:
        off = max(abs(a - b) / scale for a, b, scale in zip(found, ends, scales))
        print(f"{what:50} {took_us:8.1f} µs and {messages:4.1f} messages a step, relative error {off:.1e}")


def one_error(what, code, text, words, rows=None):
    """One error that says this, an exit code that shows it, and rows that were there before."""
    errors = [line for line in text.splitlines() if line.startswith("error:")]
    saved = (WORK / "out-fault/trace.csv").read_text() if rows else ""
    is_whole = not rows or (saved.endswith("\n") and saved.count("\n") >= rows)
    told(what, code == 1 and len(errors) == 1 and re.search(words, errors[0]) and is_whole, (code, text))
    print("    ", errors[:1], saved.count("\n"), "lines of rows")


class Run:
    """A long run that goes wrong after some rows."""

    def __init__(self, env, *more):
        shutil.rmtree(WORK / "out-fault", ignore_errors=True)
        command = [PROGRAM, "run", "one.toml", "--out", "out-fault", *(more or ["--stop", "1000"])]
        self.master = subprocess.Popen(command, cwd=WORK, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        rows, began = WORK / "out-fault/trace.csv", time.monotonic()
        while not rows.exists() or rows.read_bytes().count(b"\n") < 50:
            assert time.monotonic() - began < HANGS and self.master.poll() is None, self.master.communicate()[0]
            time.sleep(0.01)

    def end(self, what, words):
        began = time.monotonic()
        try:
            text, _ = self.master.communicate(timeout=HANGS)
        except subprocess.TimeoutExpired:
            self.master.kill()
            return told(what, False, "it hangs")
        one_error(f"{what} ({time.monotonic() - began:.0f} s)", self.master.returncode, text, words, rows=50)


def faults(fmu):
    """Far sides that go, come back as others, or cannot be reached."""
    port = free_port()
    env = client(port)
    code, text = run(["run", "one.toml", "--stop", "0.1", "--out", "out-none"], env)
    one_error("nobody serves", code, text, "no Zenoh session: .*ZENOH_CONFIG")
    # Killed in the middle, and killed and started again.
    server = serving(port, fmu)
    long = Run(env)
    ended(server)
    long.end("the far side is killed", "nothing was heard of `zenoh://oscillator2_force`")
    server = serving(port, fmu)
    long = Run(env)
    ended(server)
    server = serving(port, fmu)
    long.end("the far side is started anew", "does not know this instance: it was started anew")
    # Bytes that are not of Zenoh, and masters beside each other.
    code, expected, text = traced("local.toml", "out-local", ["--stop", "1"])
    masters = [subprocess.Popen([PROGRAM, "run", "one.toml", "--stop", "1", "--quiet", "--out", f"out-{n}"], cwd=WORK, env=env, stdout=subprocess.DEVNULL) for n in (1, 2)]
    for n in range(50):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(random.Random(n).randbytes(n * 37))
    codes = [master.wait(HANGS) for master in masters]
    rows = [(WORK / f"out-{n}/trace.csv").read_bytes() for n in (1, 2)]
    told("two masters and 50 strangers: the bits of a local run", codes == [0, 0] and rows == [expected] * 2, codes)
    # A cable that is cut for a second, and for ever.
    cable = Cable(port)
    long = Run(client(cable.port))
    cable.is_cut = True
    time.sleep(1)
    cable.is_cut = False
    rows = WORK / "out-fault/trace.csv"
    before = rows.read_bytes().count(b"\n")
    until = time.monotonic() + 30
    while (after := rows.read_bytes().count(b"\n")) == before and time.monotonic() < until:
        time.sleep(0.05)
    told("a cable cut for a second is mended", after > before and long.master.poll() is None)
    cable.is_cut = True
    long.end("the cable is cut", "nothing was heard of `zenoh://oscillator2_force` for 20 s")
    ended(server)


def held(fmu):
    """One instance and two masters: the second one hears who has it, and gets it when it is free."""
    port = free_port()
    server, env = serving(port, fmu, "--instances", "1"), client(port)
    long = Run(env)
    code, text = run(["run", "one.toml", "--stop", "0.1", "--out", "out-none"], env)
    # The program is two processes: who holds it is the one that works.
    held_by = r"1 of 1 instances of `zenoh://oscillator2_force` are in use, held by process (\d+) on `" + socket.gethostname() + "` for"
    one_error("the only instance is in use", code, text, held_by)
    holder = (re.findall(held_by, text) or ["none"])[0]
    parent = subprocess.run(["ps", "-o", "ppid=", "-p", holder], capture_output=True, text=True).stdout.strip()
    told("its holder is the first master", parent == str(long.master.pid), (parent, long.master.pid))
    long.master.send_signal(signal.SIGINT)
    long.master.wait(HANGS)
    began, code = time.monotonic(), 1
    while code and time.monotonic() - began < 90:
        code, text = run(["run", "one.toml", "--stop", "0.1", "--quiet", "--out", "out-none"], env)
    told(f"it is free {time.monotonic() - began:.0f} s after its master was interrupted", code == 0, text)
    ended(server)


HEAVY = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="heavy" guid="{heavy}">
  <CoSimulation modelIdentifier="heavy" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
  <ModelVariables>
    <ScalarVariable name="f" valueReference="0" causality="input" variability="continuous"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="1" causality="output" variability="continuous" initial="exact"><Real start="0"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2" dependencies=""/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def peak_mib(pid):
    """The most memory that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) >> 10


def heavy():
    """64 MB of state: a checkpoint brings it here, and `--resume` to a new far side."""
    library = WORK / "heavy.so"
    source = Path(__file__).parents[1] / "kit/mass.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", f"-DBALLAST={64 << 20}", "-o", library, source, "-lm"], check=True)
    with zipfile.ZipFile(WORK / "fmus/heavy.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", HEAVY)
        archive.write(library, "binaries/linux64/heavy.so")
    for name, place in ("heavy-here", "fmus/heavy.fmu"), ("heavy-there", "zenoh://heavy"):
        (WORK / f"{name}.toml").write_text(f'[experiment]\nstop = 2.0\nstep = 0.01\n[units.a]\nfmu = "{place}"\n[record]\nvariables = ["a.x"]\n')
    code, expected, text = traced("heavy-here.toml", "out-local", [])
    told("heavy, here", code == 0 and expected.count(b"\n") == 202, text)
    port = free_port()
    server, env = serving(port, "fmus/heavy.fmu"), client(port)
    took_s = []
    for kept in [], ["--checkpoint", "heavy.saved", "--checkpoint-every", "150"]:
        began = time.monotonic()
        code, found, text = traced("heavy-there.toml", "out-heavy", kept, env)
        took_s.append(time.monotonic() - began)
        told("heavy, there", code == 0 and found == expected, text)
    size_mib, serve_mib = (WORK / "heavy.saved").stat().st_size >> 20, peak_mib(server.pid)
    ended(server)
    server = serving(port, "fmus/heavy.fmu")
    began = time.monotonic()
    master = subprocess.Popen([PROGRAM, "run", "heavy-there.toml", "--out", "out-heavy", "--resume", "heavy.saved"], cwd=WORK, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    peaks = {}
    while master.poll() is None:
        for line in subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True).stdout.splitlines()[1:]:
            pid, parent, name = line.split(None, 2)
            if int(pid) == master.pid or int(parent) == master.pid or int(parent) in peaks:
                try:
                    peaks[int(pid)] = (name, peak_mib(pid))
                except (OSError, TypeError):
                    pass
        time.sleep(0.02)
    took_s.append(time.monotonic() - began)
    rows = (WORK / "out-heavy/trace.csv").read_bytes()
    found = f"{size_mib} MiB saved in {took_s[1] - took_s[0]:.2f} s, resumed in {took_s[2]:.2f} s with 50 steps; most memory: {sorted(peaks.values())}, serve {serve_mib} and {peak_mib(server.pid)} MiB"
    told(f"64 MB of state: {found}", master.returncode == 0 and rows == expected and size_mib >= 64, master.stdout.read())
    ended(server)


def another(fmu):
    """The far side serves another FMU when the instance is made than when its description was asked for."""
    port = free_port()
    other = WORK / "fmus/other.fmu"
    shutil.copy(WORK / fmu, other)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("documentation/other.txt", "another one")
    real = shutil.which("macrostep-remote")
    (WORK / "between").mkdir(exist_ok=True)
    wrapper = WORK / "between/macrostep-remote"
    wrapper.write_text(f'#!/bin/sh\nif [ "$1" = use ]; then touch asked; while [ ! -e swapped ]; do sleep 0.05; done; fi\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    env = client(port)
    env["PATH"] = f"{wrapper.parent}:{env['PATH']}"
    server = serving(port, fmu)
    command = [PROGRAM, "run", "one.toml", "--stop", "0.1", "--out", "out-none"]
    master = subprocess.Popen(command, cwd=WORK, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not (WORK / "asked").exists() and master.poll() is None:
        time.sleep(0.05)
    ended(server)
    server = serving(port, str(other), "--name", "oscillator2_force")
    (WORK / "swapped").touch()
    text, _ = master.communicate(timeout=HANGS)
    one_error("another FMU under the name", master.returncode, text, "another one than was described")
    ended(server)


def resumed(fmu):
    """A run that goes on from its checkpoint on a new far side."""
    port = free_port()
    arguments = ["--stop", "2", "--step", "5e-4"]
    code, expected, text = traced("local.toml", "out-local", arguments)
    server = serving(port, fmu)
    kept = ["--checkpoint", "saved", "--checkpoint-every", "100"]
    long = Run(client(port), *arguments, *kept)
    while not (WORK / "saved").exists() and long.master.poll() is None:
        time.sleep(0.005)
    ended(server)
    long.end("the far side of a run with checkpoints is killed", "nothing was heard")
    server = serving(port, fmu)
    code, text = run(["run", "one.toml", *arguments, "--out", "out-fault", "--resume", "saved"], client(port))
    rows = (WORK / "out-fault/trace.csv").read_bytes()
    told("the checkpoint goes on, on a new far side, to the bit", code == 0 and rows == expected, text)
    ended(server)


def certificate(name, issuer=None):
    """A key and a certificate for this machine, by an issuer or by itself."""
    key, pem = WORK / f"{name}.key", WORK / f"{name}.pem"
    signed = ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key"] if issuer else []
    more = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"] if issuer else []
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", key, "-out", pem]
    subprocess.run([*command, *signed, *more], cwd=WORK, check=True, capture_output=True)
    return str(key), str(pem)


def access(fmu):
    """Nothing is served to other machines without certificates."""
    for end, words in ("tcp/0.0.0.0:0", "is not encrypted"), ("tls/0.0.0.0:0", "enable_mtls` is not true"):
        for key in "listen", "connect":
            env = configured("open", mode="peer", **{key: {"endpoints": [end]}})
            done = subprocess.run(["macrostep-remote", "serve", fmu], env=env, cwd=WORK, capture_output=True, text=True, timeout=HANGS)
            told(f"refused: {key} {end}", done.returncode == 1 and words in done.stderr, done.stderr)
    # Certificates by one issuer, and one that somebody has made by himself.
    for issuer in "issuer", "stranger":
        certificate(issuer)
    ends = {name: certificate(name, issuer) for name, issuer in (("far", "issuer"), ("near", "issuer"), ("other", "stranger"))}

    def tls(name, side):
        key, pem = ends[name]
        return {"link": {"tls": {"enable_mtls": True, "root_ca_certificate": str(WORK / "issuer.pem"), f"{side}_private_key": key, f"{side}_certificate": pem}}}

    port = free_port()
    env = configured("far", mode="peer", listen={"endpoints": [f"tls/0.0.0.0:{port}"]}, transport=tls("far", "listen"))
    server = serving(port, fmu, env=env)
    connect = {"endpoints": [f"tls/localhost:{port}"]}
    code, expected, text = traced("local.toml", "out-local", ["--stop", "0.1"])
    near = configured("near", mode="client", connect=connect, transport=tls("near", "connect"))
    code, found, text = traced("one.toml", "out-remote", ["--stop", "0.1"], near)
    told("with certificates: the same bits", code == 0 and found == expected, text)
    other = configured("other", mode="client", connect=connect, transport=tls("other", "connect"))
    code, found, text = traced("one.toml", "out-remote", ["--stop", "0.1"], other)
    told("a certificate by somebody else is refused", code == 1 and not found and "error:" in text, text)
    print("    ", text.strip())
    code, found, text = traced("one.toml", "out-remote", ["--stop", "0.1"], client(port))
    told("without TLS it is refused", code == 1 and not found and "error:" in text, text)
    print("    ", text.strip())
    ended(server)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    # The proxy of ecos writes into the folder that it is started in.
    os.chdir(WORK)
    assert run(["fmus", "--out", "fmus"])[0] == 0 and run(["convert", "case-1", "case1.toml"])[0] == 0
    for name, remote in ("local", []), ("one", ["mass2"]), ("both", ["mass1", "mass2"]):
        scenario(name, remote)
    files = [f"fmus/{fmu}.fmu" for fmu in NAMES.values()]
    checks = {
        "same": lambda: same_bits(files),
        "distance": lambda: distance(files[1]),
        "advice": lambda: advice(files),
        "latency": lambda: latency(files[1]),
        "proxyfmu": lambda: proxyfmu(files),
        "held": lambda: held(files[1]),
        "heavy": heavy,
        "another": lambda: another(files[1]),
        "resumed": lambda: resumed(files[1]),
        "access": lambda: access(files[1]),
        "faults": lambda: faults(files[1]),
    }
    for name in sys.argv[3:] or checks:
        checks[name]()
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
