"""Headless Chromium, driven by its DevTools protocol over a pipe.

Tests of pages and docs/screenshots.sh open pages with it.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
)
DESKTOP = (1200, 900)
PAPER = (1032, 703)  # A4, landscape, within margins
PHONE = (390, 844)


def find():
    """Returns the program; None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Chromium reads commands from 3 and writes to 4.
        read_commands, self._out = os.pipe()
        self._in, write_answers = os.pipe()
        command = [find(), *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"]
        shell = f'exec "$@" 3<&{read_commands} 4>&{write_answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(read_commands, write_answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_commands)
        os.close(write_answers)
        self._buffer, self._last, self._session, self._events = b"", 0, None, []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self._send("Browser.close")
            self._process.wait(10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def _receive(self):
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise RuntimeError("Chromium ended")
            self._buffer += more
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _send(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self._events.append(answer)

    def resize(self, size, scale=1):
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=scale,
            mobile=size[0] < 600,
        )

    def prefer(self, scheme, media=""):
        """Sets the preference of the system: "light" or "dark"; `media` "print" lays the page out for it."""
        self._send(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def open(self, path, choice=""):
        """Opens the page anew, with the text that follows '#'."""
        self._send("Page.navigate", url="about:blank")
        self._events = [
            e for e in self._events if e["method"] not in ("Page.loadEventFired", "Network.requestWillBeSent")
        ]
        self._send("Page.navigate", url=Path(path).resolve().as_uri() + ("#" + choice if choice else ""))
        while self.run("document.readyState + location.protocol") != "completefile:":
            pass

    def run(self, expression):
        """Returns the value of the expression in the page; waits for a promise."""
        result = self._send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(
                f"{expression}: {details.get('exception', {}).get('description', details['text'])}"
            )
        return result["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self._send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                **({"text": "\r"} if key == "Enter" else {}),
                windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}[key],
            )

    def pdf(self):
        return base64.b64decode(
            self._send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        )

    def picture(self, height=None):
        """Returns a PNG of the whole page, or of its upper `height` pixels."""
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        return base64.b64decode(
            self._send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        )

    def complaints(self):
        """Returns the page's console output and errors, and its requests to the network."""
        found = []
        for event in self._events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(
                    parameters["exceptionDetails"].get("exception", {}).get("description", "exception")
                )
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append("console: " + " ".join(str(a.get("value")) for a in parameters["args"]))
            elif event["method"] == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "data:", "about:", "blob:")) or parameters.get(
                    "type"
                ) not in ("Document", "Image", None):
                    found.append("loads " + url)
        return found


def main():
    """Saves a picture of the upper part of a page.

    usage: browser.py PAGE PICTURE desktop|phone HEIGHT [CHOICE] (CHOICE is the text after '#')
    """
    page, picture, size, height, *choice = sys.argv[1:]
    with Browser() as browser:
        browser.resize({"desktop": DESKTOP, "phone": PHONE}[size], 1 if size == "desktop" else 2)
        browser.prefer("light")
        browser.open(page, *choice)
        Path(picture).write_bytes(browser.picture(int(height)))


if __name__ == "__main__":
    main()
