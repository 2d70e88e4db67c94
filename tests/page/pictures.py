#!/usr/bin/env python3
"""Makes the pictures of docs/page.md, with a hundred nodes and with five thousand, and says what the page costs there.
usage: pictures.py FOLDER-OF-PROGRAMS FOLDER-FOR-PICTURES"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser, until
from page_test import count, record, slide
from world import World

FRAMES = """const done = arguments[0];
let frames = 0, longest = 0, begin = performance.now(), last = begin;
const { grids } = globalThis.page;
let drawn = -[...grids.values()].reduce((sum, { grid }) => sum + grid.drawn, 0);
requestAnimationFrame(function frame(now) {
  ++frames; longest = Math.max(longest, now - last); last = now;
  if (now - begin < 10000) return requestAnimationFrame(frame);
  drawn += [...grids.values()].reduce((sum, { grid }) => sum + grid.drawn, 0);
  done({ rate: frames / (now - begin) * 1000, longest, drawn });
});"""


def dress(browser, theme):
    if browser.run("return document.documentElement.dataset.theme") != theme:
        browser.click("#theme")


def picture(browser, file):
    browser.look_away()
    browser.picture(file)
    subprocess.run(["pngquant", "--force", "--ext=.png", "64", file], check=True)


def hundred(programs, pictures):
    flags = ["--nodes=100", "--kill=3", "--after=10m", "--toleration-seconds=30", "--node-lease-duration-seconds=8"]
    fast = ["--node-monitor-grace-period=10s", "--node-monitor-period=500ms", "--node-eviction-rate=1"]
    with World(programs, *flags, controller=fast) as world, Browser(1280, 720) as browser:
        world.await_nodes()
        browser.open(world.lead())
        until("all are ready", lambda: count(browser, "ready") == 100)
        world.cut_power()
        until("three are evicted", lambda: count(browser, "evicting") == 3, 60)
        browser.click(".zone canvas", 10, 10)
        time.sleep(3)
        for theme in ("light", "dark"):
            dress(browser, theme)
            picture(browser, pictures / f"{theme}.png")


def five_thousand(programs, pictures):
    flags = ["--nodes=5000", "--pods-per-node=1", "--zones=5", "--kill-zone=zone-b", "--kill=40", "--after=30m", "--node-lease-duration-seconds=40"]
    fast = ["--node-monitor-grace-period=40s", "--large-cluster-size-threshold=50", "--secondary-node-eviction-rate=0.5"]
    with World(programs, *flags, controller=fast) as world, Browser(1600, 900) as browser:
        world.await_nodes(300)
        url = world.lead()
        time.sleep(20)
        unseen, memory = world.share_of_a_core(20), world.memory()
        browser.open(url)
        until("all are ready", lambda: count(browser, "ready") == 5000, 60)
        time.sleep(5)
        seen = world.share_of_a_core(20)
        others = subprocess.Popen(["curl", "-sN", "--no-progress-meter", "--parallel", "--parallel-immediate", "--parallel-max", "99", *[f"{url}v1/live"] * 99],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(5)
        crowded, more = world.share_of_a_core(20), world.memory() - memory
        others.kill()
        others.wait()
        took = [frame["took"] for frame in browser.run("return globalThis.page.timeline.frames.map(({ change }) => ({ took: change.took }))")]
        quiet = browser.run_long(FRAMES)
        world.cut_power()
        until("a zone dies", lambda: count(browser, "unknown") + count(browser, "evicting") > 100, 120)
        dying = browser.run_long(FRAMES)
        browser.click(".zone canvas", 6, 6)
        time.sleep(2)
        for theme in ("light", "dark"):
            dress(browser, theme)
            picture(browser, pictures / f"5000-{theme}.png")
    print(f"5,000 nodes: the controller takes {unseen:.1%} of a core unseen, {seen:.1%} with one page open, "
          f"{crowded:.1%} and {more:.0f} MiB more with a hundred")
    print(f"a look takes {sorted(took)[len(took) // 2]} µs of its thread, the first one {took[0]} µs")
    for name, frames in (("at rest", quiet), ("while a zone dies", dying)):
        print(f"{name}: {frames['rate']:.0f} frames a second, the longest took {frames['longest']:.0f} ms; {frames['drawn']} cells drawn in 10 s")


def scenario(programs, pictures):
    with tempfile.TemporaryDirectory() as folder, Browser(1280, 560) as browser:
        browser.open(record(programs, Path(folder) / "run.html", "scenario", "docs/scenarios/zone-loss.yaml"))
        slide(browser, 400)
        browser.click("#decisions .name")
        until("the answer is there", lambda: browser.text("#why-answer"))
        browser.run("document.activeElement.blur()")
        dress(browser, "light")
        picture(browser, pictures / "scenario.png")


if __name__ == "__main__":
    scenario(Path(sys.argv[1]), Path(sys.argv[2]))
    hundred(Path(sys.argv[1]), Path(sys.argv[2]))
    five_thousand(Path(sys.argv[1]), Path(sys.argv[2]))
