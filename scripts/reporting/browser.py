"""A headless Chromium, controlled through a pair of pipes (the DevTools protocol)."""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager

# No sandbox, because root, as which containers run, cannot use it; the pages are our own files.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell", "chrome")


def find_chromium():
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class BrowserError(Exception):
    """The browser reports an error or has ended."""


class Browser:
    """A running Chromium."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.ours_out = os.pipe()
        self.ours_in, theirs_out = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = ["sh", "-c", script, "sh", program, *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdout=quiet, stderr=quiet)
        os.close(theirs_in)
        os.close(theirs_out)
        self.unread = b""
        self.number = 0
        self.listeners = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.ours_out)
        self.process.terminate()
        self.process.wait()
        os.close(self.ours_in)
        self.profile.cleanup()

    def call(self, method, session=None, **params):
        """Call a method; return its result. Events that arrive first go to the listener of their session."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.ours_out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        """Receive the next message."""
        while b"\0" not in self.unread:
            bytes = os.read(self.ours_in, 1 << 16)
            if not bytes:
                raise BrowserError("it has ended")
            self.unread += bytes
        text, self.unread = self.unread.split(b"\0", 1)
        message = json.loads(text)
        listener = self.listeners.get(message.get("sessionId"))
        if listener and "method" in message:
            listener(message["method"], message["params"])
        return message

    @contextmanager
    def page(self, width, height, is_phone, scheme):
        """A page on a screen of this size."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        self.listeners[session] = tab.hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        scale = 2 if is_phone else 1
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=is_phone)
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        yield tab
        self.call("Target.closeTarget", targetId=target)
        del self.listeners[session]


class Tab:
    """An open page."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.said = []
        self.fetched = []
        self.loaded = False

    def call(self, method, **params):
        """Call a method of the page."""
        return self.browser.call(method, session=self.session, **params)

    def hear(self, method, params):
        """Record an event."""
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Network.requestWillBeSent":
            self.fetched.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.said.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(arg.get("value", arg)) for arg in params["args"]))
        elif method == "Log.entryAdded":
            self.said.append(params["entry"]["text"])

    def open(self, address):
        """Open an address, and wait until it is loaded."""
        answer = self.call("Page.navigate", url=address)
        if "errorText" in answer:
            raise BrowserError(f"{address}: {answer['errorText']}")
        while not self.loaded:
            self.browser.receive()

    def value(self, expression):
        """Evaluate an expression on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"]["value"]

    def screenshot(self, width, height):
        """The upper part of the page as PNG, in base64."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
