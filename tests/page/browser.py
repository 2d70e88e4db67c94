"""A headless Chromium, driven over WebDriver: plain HTTP to Debian's chromedriver."""

import base64
import json
import re
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Right": "\ue014", "Down": "\ue015", "Tab": "\ue004", "Home": "\ue011", "Space": " "}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def until(what, condition, seconds=20.0):
    """What `condition` returns once it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s: {what}")


class Browser:
    def __init__(self, width=1360, height=860):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if found := re.search(r"on port (\d+)\.", line):
                break
        else:
            raise AssertionError("chromedriver did not start")
        self.root = f"http://127.0.0.1:{found[1]}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"]
        options = {"binary": "/usr/bin/chromium", "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self.driver.kill()
            raise
        self.root += f"/session/{session['sessionId']}"
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if method == "GET" or method == "DELETE" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{method} {path}: {json.load(refused)['value']['message']}") from None

    def size(self, width, height):
        """Of the page itself, whatever a window has around it."""
        self.devtools("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def devtools(self, command, parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def run_long(self, script):
        """`script` calls its last argument with what it found."""
        return self.call("POST", "/execute/async", {"script": script, "args": []})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector, x=None, y=None):
        """In the middle of an element, or so far from its left upper corner."""
        element = self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        if x is None:
            return self.call("POST", f"/element/{element}/click")
        left, top = self.run("const box = arguments[0].getBoundingClientRect(); return [box.left, box.top]", {ELEMENT: element})
        pointer = [{"type": "pointerMove", "x": round(left + x), "y": round(top + y)},
                   {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": pointer}]})

    def look_away(self):
        """The mouse leaves what it points at."""
        away = [{"type": "pointerMove", "x": 1, "y": 1}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": away}]})

    def press(self, *keys):
        strokes = [{"type": kind, "value": KEYS[key]} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def complaints(self):
        """Errors on the console since the last call, refusals by the content security policy among them."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def picture(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))
