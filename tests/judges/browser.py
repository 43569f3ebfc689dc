"""Chromium on a pair of pipes: pages are opened, looked at, worked by keys and drawn, and what they ask and say is known."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ["chromium", "chromium-browser", "google-chrome"]


class Browser:
    """One page of a browser without a window. `console` has what it said, `requests` what it asked for."""

    def __init__(self):
        program = next((found for found in map(shutil.which, NAMES) if found), None)
        if program is None:
            raise SystemExit("no browser; on Debian: apt-get install chromium")
        self.folder = tempfile.TemporaryDirectory()
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()

        def ends():
            # The browser reads from descriptor 3 and writes to 4. Copies first, so that none is overwritten.
            copies = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run"]
        self.process = subprocess.Popen(
            [program, *options, f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=ends, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.out, self.input = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self.count, self.session, self.rest = 0, None, b""
        self.console, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(domain + ".enable")

    def _message(self):
        while b"\0" not in self.rest:
            read = os.read(self.input.fileno(), 1 << 16)
            if not read:
                raise SystemExit("the browser has ended")
            self.rest += read
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        """One call of the protocol; what the page says meanwhile is kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            answer = self._message()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._keep(answer)

    def _keep(self, event):
        method, p = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.console.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])

    def open(self, address, width=1280, height=1000, dark=False, calm=True):
        """Opens an address in a window of this size, light or dark, with or without motion."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
        ]
        self.call("Emulation.setEmulatedMedia", features=features)
        # Another document, even where only the fragment differs.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.value("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))")

    def value(self, expression):
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression[:80]}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def until(self, expression, seconds=60):
        """Waits until an expression holds."""
        held = self.value(
            f"new Promise(done => {{ const end = Date.now() + {1000 * seconds}; const look = () => ({expression}) ? done(true) : Date.now() > end ?"
            " done(false) : setTimeout(look, 20); look(); })"
        )
        if not held:
            raise SystemExit(f"not within {seconds} s: {expression}")

    def cpu_ms(self):
        """The time of all processors that pages have taken so far, threads of theirs included."""
        session, self.session = self.session, None
        processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        self.session = session
        return 1000 * sum(process["cpuTime"] for process in processes if process["type"] == "renderer")

    def key(self, name, code=None, text=None, shift=False):
        """Presses and lets go a key, as a keyboard does."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
        common = {"key": name, "code": code or name, "windowsVirtualKeyCode": codes.get(name, ord(name[0])), "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path, whole=True):
        """Draws the page into a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}} if whole else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        """Ends the browser."""
        self.out.close()
        self.input.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
