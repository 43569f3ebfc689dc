"""The page of the laboratory in a real browser: what it asks, says and shows, worked by keys, and its digits against the program's.

    python3 tests/judges/laboratory.py PAGE PROGRAM FOLDER [only TEST]

Pictures of the page in four widths, light and dark, are left in FOLDER. Times are printed, not judged: by the page's own clock, and of the processors, which
other programs do not lengthen.
"""

import base64
import csv
import json
import random
import re
import shlex
import statistics
import struct
import subprocess
import sys
from pathlib import Path

from browser import Browser

WIDTHS = [420, 768, 1280, 1680]
SETTINGS = 20
# Rods turn: a browser has its own sine and cosine, which are a bit apart, and a double pendulum makes much of little.
SINES = 1e-6
# Nodes of a waveform are sines too, and the polynomial of `jerk:3` is a few last bits apart. A corrector with matrices ends at its tolerance, 1e-12: products of
# matrices are fused on processors that can.
HIGH, LAST_BITS = ("jerk:3", "spectral"), 1e-13
MATRICES, CORRECTED = ("newton", "iqn", "anderson", "implicit"), 1e-11
MODULE_MAX = 1_000_000
# What Tab stops at.
FOCUSABLE = "select, input, button, summary, [tabindex='0']"


def expect(holds, text):
    """Fails with a sentence."""
    if not holds:
        raise SystemExit(f"laboratory: {text}")


def opened(browser, page, fragment="", **how):
    """The page with its first run behind it."""
    browser.open(page + fragment, **how)
    browser.until("document.documentElement.dataset.run")


def quiet(browser):
    """Nothing on the console, nothing asked of a network."""
    expect(not browser.console, f"the console says {browser.console}")
    asked = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:", "about:"))]
    expect(not asked, f"the page asks a network for {asked}")
    files = {url.split("#")[0] for url in browser.requests if url.startswith("file:")}
    expect(len(files) == 1, f"the page needs other files: {sorted(files)}")


def module(page_path):
    """How large the module is that the page carries."""
    packed = re.search(r'id="module">\s*([A-Za-z0-9+/=\s]+)<', page_path.read_text()).group(1)
    size = len(base64.b64decode("".join(packed.split())))
    expect(size <= MODULE_MAX, f"the module has {size} bytes compressed, expected at most {MODULE_MAX}")
    print(f"module: {size} bytes compressed; page: {page_path.stat().st_size} bytes")


def names(browser):
    """Every control has a name that a screen reader can say, by the browser's own reckoning."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "combobox", "slider", "spinbutton", "img", "textbox", "DisclosureTriangle"}
    seen = 0
    for node in nodes:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in roles:
            continue
        seen += 1
        expect(node.get("name", {}).get("value", "").strip(), f"a {role} without a name: {node.get('description', {}).get('value', '')}")
    expect(seen > 40, f"only {seen} controls were seen")
    print(f"names: {seen} controls and pictures have one")


def keyboard(browser):
    """The Tab key stops at every control that is shown, each with an outline; arrows move a slider and the run follows."""
    shown = f"[...document.querySelectorAll(\"{FOCUSABLE}\")].filter(e => e.checkVisibility() && !e.disabled)"
    browser.value(f"window.all = {shown}; window.met = new Set(); document.activeElement.blur(); scrollTo(0, 0)")
    count = browser.value("all.length")
    for _ in range(count + 5):
        browser.key("Tab")
        wrong = browser.value(
            "(() => { const e = document.activeElement; met.add(e); return e === document.body || getComputedStyle(e).outlineStyle !== 'none' ? '' :"
            " 'no outline of ' + e.id + e.className; })()"
        )
        expect(not wrong, wrong)
    missed = browser.value("all.filter(e => !met.has(e)).map(e => e.id || e.textContent)")
    expect(not missed, f"the Tab key passes over {missed}")
    # Arrows on the macro step, the chart and the clock.
    before = browser.value("[settings.step, document.documentElement.dataset.run]")
    browser.value("document.getElementById('c-step').focus()")
    browser.key("ArrowRight")
    browser.until(f"document.documentElement.dataset.run !== '{before[1]}'")
    expect(browser.value("settings.step") > before[0], "an arrow does not move the macro step")
    browser.value("document.querySelector('.chart').focus()")
    browser.key("+", text="+")
    span = browser.value("charts.map(c => c.scales.x.max - c.scales.x.min)")
    expect(max(span) < 0.61 * browser.value("settings.stop"), f"plus does not zoom all charts: {span}")
    browser.key("0", text="0")
    browser.value("document.getElementById('play').focus()")
    browser.key("Enter", text="\r")
    expect(browser.value("motion.isPlaying"), "Enter does not play")
    browser.key("Enter", text="\r")
    expect(not browser.value("motion.isPlaying"), "Enter does not pause")
    print(f"keyboard: {count} stops")


def motion(browser, page):
    """Whoever wants no motion gets none; others see it move."""
    opened(browser, page, calm=True)
    expect(not browser.value("motion.isPlaying"), "it moves for who wants no motion")
    opened(browser, page, calm=False)
    browser.until("motion.row > 0", 10)


def bench(browser, page):
    """From the move of a slider to the new curves, 10 s at 1 ms; and the map."""

    def moved(name, place, shown):
        """Moves a slider, waits for what it shows, and gives the time of the processors."""
        before = browser.cpu_ms()
        browser.value(f"(() => {{ const s = document.getElementById('c-{name}'); s.value = {place}; s.dispatchEvent(new Event('input')); }})()")
        browser.until(shown)
        return browser.cpu_ms() - before

    opened(browser, page, "#step=0.001&predict=linear")
    browser.until("document.documentElement.dataset.map")
    # The map would go on beside the next move.
    browser.value("map.engine.ask = async () => null, 0")
    moves, cpu = [], []
    for i in range(21):
        run = browser.value("document.documentElement.dataset.run")
        cpu.append(moved("k1", 300 + 20 * i, f"document.documentElement.dataset.run !== '{run}'"))
        moves.append(float(browser.value("document.documentElement.dataset.move")))
    moves, cpu = moves[1:], cpu[1:]
    told = f"median {statistics.median(moves):.0f} ms, worst {max(moves):.0f} ms, mean {statistics.mean(cpu):.0f} ms of the processors"
    print(f"slider to curves, 10 000 macro steps: {told} (aim 100 ms)")
    for words in ["predict=hold", "predict=linear", "predict=ia1", "predict=linear&correct=newton", "predict=jerk&cut=s-s"]:
        opened(browser, page, "#" + words)
        browser.until("document.documentElement.dataset.map")
        browser.value("delete document.documentElement.dataset.map")
        cpu = moved("c_c", 300, "document.documentElement.dataset.map")
        ms = browser.value("document.documentElement.dataset.map")
        print(f"map of 61 x 61, {words}: {ms} ms, {cpu:.0f} ms of the processors, the run and all drawing included (aim 2000 ms)")


def pictures(browser, page, folder):
    """The page in four widths, light and dark: no wider than its window."""
    for width in WIDTHS:
        for dark in [False, True]:
            opened(browser, page, "#predict=hold&step=0.002&stop=5", width=width, dark=dark)
            browser.until("document.documentElement.dataset.map")
            wide = browser.value("document.documentElement.scrollWidth")
            expect(wide <= width, f"the page is {wide} px wide in a window of {width} px")
            browser.value("(() => { document.getElementById('instant').value = 300; document.getElementById('instant').dispatchEvent(new Event('input')); })()")
            browser.picture(folder / f"laboratory-{width}-{'dark' if dark else 'light'}.png")
    print(f"pictures: {', '.join(map(str, WIDTHS))} px, light and dark")


def chosen(rng, about):
    """A fragment of random settings of a system."""
    # Half of them are the pair, whose solution the program compares with too.
    system = rng.choice(about["systems"][:1] * 5 + about["systems"][1:])
    words = {key: [word["word"] for word in about[key]] for key in ["schedule", "predict", "correct"]}
    steps = [step for step in [1e-3, 2e-3, 4e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1]]
    scale = system["step"] / 5e-3
    said = {
        "system": system["name"],
        "cut": rng.choice(system["cuts"])[0],
        "schedule": rng.choice(words["schedule"]),
        "predict": rng.choice(words["predict"]),
        "correct": rng.choice(words["correct"][:1] * 6 + words["correct"]),
        "step": float(f"{rng.choice(steps) * scale:.6g}"),
        "stop": float(f"{system['stop'] * rng.choice([0.2, 0.4, 1.0]):.6g}"),
    }
    if rng.random() < 0.25:
        said["control"] = rng.choice([word["word"] for word in about["control"]][1:])
        said["control_tolerance"] = rng.choice([1e-2, 1e-3, 1e-4, 1e-5])
    if system["pair"]:
        said["rate"] = rng.choice(["1", "1", "1", "2", "3/2", "5"])
        said["fast"] = rng.choice(["1", "2"])
    for slider in system["sliders"]:
        if rng.random() < 0.4:
            low, high = slider["range"]
            value = low * (high / low) ** rng.random() if slider["log"] else low + (high - low) * rng.random()
            said[slider["name"]] = float(f"{value:.3g}")
    return "#" + "&".join(f"{name}={value}" for name, value in said.items())


def digits(browser, page, program, folder):
    """Random settings in the page and, by the commands that the page shows, in the program: every number has the same bits."""
    rng = random.Random(61)
    opened(browser, page)
    about = browser.value("about")
    compared, refused, numbers, inexact = 0, 0, 0, {}
    while compared < SETTINGS:
        fragment = chosen(rng, about)
        opened(browser, page, fragment)
        work = folder / f"digits-{compared}"
        work.mkdir(parents=True, exist_ok=True)
        if browser.value("document.documentElement.dataset.run") == "refused":
            refused += 1
            expect(refused < 200, "nothing but refused settings")
            continue
        run = browser.value("(({numbers, ...rest}) => JSON.stringify(rest))(motion.run)")
        run = json.loads(run)
        packed = browser.value(
            "(() => { const b = new Uint8Array(motion.run.numbers.buffer); let s = ''; for (let i = 0; i < b.length; i += 32768)"
            " s += String.fromCharCode(...b.subarray(i, i + 32768)); return btoa(s); })()"
        )
        values = base64.b64decode(packed)
        rows = run["rows"]
        columns = {
            column["name"]: values[8 * rows * i : 8 * rows * (i + 1)] for i, column in enumerate(run["columns"])
        }
        (work / run["file"]).write_text(run["toml"])
        for _, command in run["commands"]:
            typed = shlex.split(command)
            typed[0] = program
            done = subprocess.run(typed, cwd=work, capture_output=True, text=True)
            out = work / typed[-1]
            expect((out / "result.json").is_file(), f"{fragment}: `{command}` says {done.stderr}")
            result = json.loads((out / "result.json").read_text())
            grade = result["verdict"]["grade"]
            expect(grade == run["verdict"], f"{fragment}: verdict {run['verdict']} in the page, {grade} by `{command}`")
            with open(out / "trace.csv") as file:
                table = list(csv.reader(file))
            for i, name in enumerate(table[0]):
                # Of the two masses the page has the names of the comparison.
                if run["file"] == "pair.toml":
                    name = re.sub(r"^mass([12])\.([xv])$", r"\2\1", name)
                if name not in columns:
                    continue
                theirs = [float(row[i]) for row in table[1:]]
                ours = list(struct.unpack(f"<{rows}d", columns[name]))
                expect(len(theirs) == rows, f"{fragment}: {len(theirs)} rows by `{command}`, {rows} in the page")
                numbers += rows
                if struct.pack(f"<{rows}d", *theirs) == columns[name]:
                    continue
                # An error is measured by what it is the error of.
                size = max(map(abs, struct.unpack(f"<{rows}d", columns[name.removesuffix("_error")]))) or 1.0
                apart = max(abs(a - b) for a, b in zip(ours, theirs)) / size
                is_high = any(f"predict={word}" in fragment for word in HIGH)
                is_corrected = any(word in fragment.split("&correct=")[1].split("&")[0] for word in MATRICES)
                allowed = SINES if run["kind"] == "rods" else CORRECTED if is_corrected else LAST_BITS if is_high else 0.0
                # A run that is not right makes much of a last bit.
                if allowed and (run["verdict"] != "ok" or (run["off"] or 0) > 0.1):
                    allowed = float("inf")
                row = next(n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b)
                expect(
                    apart <= allowed,
                    f"{fragment}: `{name}` is {apart:.1e} of its size apart, in row {row} {ours[row]!r} in the page and {theirs[row]!r} by `{command}`",
                )
                inexact[fragment] = max(apart, inexact.get(fragment, 0.0)) if allowed < 1.0 else 0.0
        compared += 1
    print(f"digits: {compared} settings, {numbers} numbers of the program, {compared - len(inexact)} settings equal to the last bit, {len(inexact)} to {max(inexact.values(), default=0):.0e}; {refused} others were refused")


def links(browser, page):
    """A link brings back what it was taken from; what it does not know does no harm."""
    opened(browser, page, "#cut=s-s&predict=poly:5&step=0.004&m1=2.5&rate=3/2&fast=1&schedule=gauss-seidel")
    link, before = browser.value("document.getElementById('link').textContent"), browser.value("settings")
    opened(browser, link)
    expect(browser.value("settings") == before, f"{link} brings {browser.value('settings')}, not {before}")
    # So does one with step control, whose tolerance is a control only then.
    opened(browser, page, "#cut=f-f&control=error&control_tolerance=2e-5&step=0.1")
    expect(browser.value("settings.control_tolerance === 2e-5 && $('n-control_tolerance').value === '0.00002'"), "the link of a tolerance is lost")
    facts = browser.value("$('facts').textContent")
    expect("taken back" in facts, f"step control says {facts}")
    expect(browser.value("settings.control = 'fixed', !toFragment(settings).includes('control')"), "steps of one length have a tolerance")
    opened(browser, page, "#system=none&cut=x&step=-1&stop=abc&m1=&predict=nothing")
    expect("predictor `nothing`" in browser.value("document.getElementById('told').textContent"), "a wrong word is not told")


def main():
    page_path, program, folder = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve()), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    page = page_path.as_uri()
    browser = Browser()
    only = sys.argv[5] if len(sys.argv) > 5 else ""
    try:
        module(page_path)
        # With step control there are all controls.
        opened(browser, page, "#control=error&control_tolerance=1e-4&step=0.05")
        tests = {
            "names": lambda: names(browser),
            "keyboard": lambda: keyboard(browser),
            "links": lambda: links(browser, page),
            "motion": lambda: motion(browser, page),
            "pictures": lambda: pictures(browser, page, folder),
            "digits": lambda: digits(browser, page, program, folder),
            "bench": lambda: bench(browser, page),
        }
        for name, test in tests.items():
            if only in ("", name):
                test()
        quiet(browser)
        print(f"{page_path.name}: nothing on the console, no network")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
