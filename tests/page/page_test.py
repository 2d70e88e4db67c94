#!/usr/bin/env python3
"""The live page in a real browser, clicks and keys included.
usage: page_test.py FOLDER-OF-PROGRAMS FOLDER-FOR-PICTURES"""

import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from browser import Browser, until
from world import World

NODES = 60
DEAD = 4


def count(browser, status):
    return int(browser.run("return document.querySelector(`#legend [data-status=${arguments[0]}] b`)?.innerText ?? 0", status))


def whys(browser):
    return browser.text("#why-title")


def shows_all_nodes(browser, url):
    browser.open(url)
    until("all nodes are ready on the page", lambda: count(browser, "ready") == NODES)
    assert browser.text("#role") == "leads"
    assert browser.text("#link") == "live"
    assert browser.run("return document.querySelectorAll('.zone canvas').length") == 3
    asked = browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    foreign = [name for name in asked if not name.startswith(url)]
    assert not foreign, f"asked elsewhere: {foreign}"


def tells_what_comes_next(browser):
    until("the strip counts down", lambda: browser.text("#next time").startswith("in "))
    before = browser.text("#next time")
    until("and goes on", lambda: browser.text("#next time") != before)


def click_on_a_node_tells_why(browser):
    browser.click(".zone canvas", 10, 10)
    until("the panel tells of the node", lambda: whys(browser) == "node hollow-0" and "is" in browser.text("#why-answer dt:nth-of-type(2)"))
    assert "healthy" in browser.text("#why-answer"), browser.text("#why-answer")
    browser.press("Escape")
    assert browser.run("return document.getElementById('why').hidden")


def keys_do_what_the_mouse_does(browser):
    browser.run("document.querySelector('.zone canvas').focus()")
    browser.press("Home", "Right", "Enter")
    until("the second node of the zone is asked about", lambda: whys(browser) == "node hollow-3")
    assert "hollow-3" in browser.text("#said")
    browser.press("Escape")
    assert browser.run("return document.activeElement.tagName") == "CANVAS", "the focus did not come back"
    browser.click(".zone h2 button")
    until("the zone is asked about", lambda: whys(browser).startswith("zone ") and "rule" in browser.text("#why-answer"))
    browser.click("#why-close")


def shows_nodes_die(browser, world):
    world.cut_power()
    until("dead nodes are seen", lambda: count(browser, "unknown") + count(browser, "evicting") == DEAD, 30)
    until("and evicted", lambda: count(browser, "evicting") > 0, 30)
    assert "NoExecute" in browser.text("#decisions")
    browser.click("#decisions .name")
    until("a decision leads to its node or pod", lambda: browser.text("#why-answer dd"))
    until("pods are named in an answer", lambda: browser.run(
        "return [...document.querySelectorAll('#decisions .name')].some((name) => name.title.startsWith('why pod '))"))
    browser.run("[...document.querySelectorAll('#decisions .name')].find((name) => name.title.startsWith('why pod ')).click()")
    until("a pod is asked about", lambda: whys(browser).startswith("pod hollow/"))


def slider_goes_back(browser):
    evicting = count(browser, "evicting")
    browser.run("""const slider = document.getElementById('slider');
                   slider.value = 0; slider.dispatchEvent(new Event('input'))""")
    assert count(browser, "ready") == NODES, "the beginning is not as it was"
    assert "ago" in browser.text("#moment")
    time.sleep(1.2)
    assert count(browser, "ready") == NODES, "the past did not stay"
    browser.click("#live")
    assert count(browser, "evicting") >= evicting


def tells_of_a_broken_connection(browser, world, url):
    world.end_controller()
    until("the page says that it is alone", lambda: "connection lost" in browser.text("#link"))
    world.lead(url.removeprefix("http://").rstrip("/"))
    until("it is live again", lambda: browser.text("#link") == "live" and count(browser, "ready") == NODES - DEAD, 30)


def dresses(browser, pictures):
    browser.run("document.documentElement.dataset.theme === 'dark' && document.getElementById('theme').click()")
    browser.picture(pictures / "light.png")
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(ground)
    browser.click("#theme")
    assert browser.run(ground) != light
    browser.picture(pictures / "dark.png")
    assert browser.run("return localStorage.getItem('theme')") == "dark"


def says_what_it_is(browser, url, role, held):
    browser.open(url)
    until(f"the page says that it {role}", lambda: browser.text("#role") == role)
    until("and shows all nodes", lambda: count(browser, "ready") == NODES)
    assert held in browser.text("#held"), browser.text("#held")
    browser.click(".zone canvas", 10, 10)
    until("a click is answered all the same", lambda: whys(browser) == "node hollow-0" and "healthy" in browser.text("#why-answer"))
    assert held in browser.text("#why-answer"), browser.text("#why-answer")
    browser.press("Escape")


def standby_and_observer_say_what_they_are(browser, world, pictures):
    election = ["--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=1s"]
    leads = world.contend("leader", *election)
    browser.open(leads)
    until("the first one leads", lambda: browser.text("#role") == "leads", 30)
    identity = browser.text("#identity")
    says_what_it_is(browser, world.contend("standby", *election), "stands by", "this replica does not lead")
    assert f"the leader is {identity}" in browser.text("#identity"), browser.text("#identity")
    browser.picture(pictures / "standby.png")
    says_what_it_is(browser, world.contend("observer", "--observe", *election), "observes", "this replica observes")
    browser.picture(pictures / "observer.png")
    return leads


POLICIES = "/api/v1/namespaces/kube-system/configmaps"


def shows_a_pause(browser, world, url, pictures):
    name = "node-lifecycle-controller-policy"
    browser.open(url)
    until("all nodes are ready", lambda: count(browser, "ready") == NODES)
    world.ask("POST", POLICIES, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"pause": "evictions"}})
    until("every node is paused", lambda: count(browser, "paused") == NODES)
    until("and by whom", lambda: "paused by the operator's ConfigMap, pause: evictions" in browser.text("#held"))
    world.cut_power()
    until("dead nodes are seen", lambda: count(browser, "unknown") == DEAD, 30)
    browser.click(".zone canvas", 10, 10)
    until("a dead one says that it is paused", lambda: whys(browser) == "node hollow-0" and "paused by the operator's ConfigMap, pause: evictions" in browser.text("#why-answer"))
    browser.picture(pictures / "paused.png")
    assert count(browser, "evicting") == 0
    world.ask("DELETE", f"{POLICIES}/{name}")
    until("the pause ends and they are evicted", lambda: count(browser, "evicting") > 0 and "paused" not in browser.text("#held"), 30)
    assert count(browser, "paused") == 0
    browser.press("Escape")


def refuses_others(url):
    for headers in ({"Host": "evil.example"},):
        try:
            urllib.request.urlopen(urllib.request.Request(url, headers=headers))
            raise AssertionError("a foreign host was served")
        except urllib.error.HTTPError as refused:
            assert refused.code == 403
    with urllib.request.urlopen(url) as page:
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Access-Control-Allow-Origin"] is None


def slide(browser, seconds):
    browser.run("""const slider = document.getElementById('slider');
                   slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))""", seconds)


def offset(browser):
    """How far a run has been played, in seconds."""
    return browser.run("const { player } = globalThis.page; return (player.at - player.begin) / 1000")


def record(programs, page, *flags):
    """The loss of a zone, as a page of its own."""
    subprocess.run([programs / "nlc", *flags, f"--page={page}"], check=True, stdout=subprocess.DEVNULL)
    return page.absolute().as_uri()


def plays_a_scenario(programs, browser, pictures):
    with tempfile.TemporaryDirectory() as folder:
        browser.open(record(programs, Path(folder) / "run.html", "scenario", "docs/scenarios/zone-loss.yaml"))
    assert browser.text("h1").startswith("ZONE-1 ") and browser.text("#link") == "recorded: passed"
    assert offset(browser) == 0
    slide(browser, 5)
    assert count(browser, "ready") == 60
    browser.run("document.getElementById('speed').value = 300; document.getElementById('speed').dispatchEvent(new Event('change'))")
    browser.click("#play")
    until("forty nodes are lost as it plays", lambda: count(browser, "unknown") + count(browser, "evicting") == 40)
    browser.click("#play")
    stopped = offset(browser)
    time.sleep(0.4)
    assert offset(browser) == stopped, "it did not pause"
    slide(browser, 400)
    assert (count(browser, "evicting"), count(browser, "unknown")) == (3, 37)
    assert browser.text("#next time").startswith("in ") and "+6m40s of +20m0s" in browser.text("#moment")
    browser.click("#decisions .name")
    until("a node that was tainted says why", lambda: "unreachable:NoExecute" in browser.text("#why-answer"))
    browser.picture(pictures / "scenario.png")
    slide(browser, 60)
    assert count(browser, "ready") == 60, "the slider did not go back"
    until("the answer goes back with it", lambda: "healthy" in browser.text("#why-answer"))
    browser.run("document.activeElement.blur()")
    browser.press("Space")
    until("the space bar plays it to its end, and it stops there", lambda: offset(browser) == 1200 and browser.text("#play") == "▶")
    assert count(browser, "ready") == 60, "not all came back"


def plays_a_run_of_an_experiment(programs, browser):
    with tempfile.TemporaryDirectory() as folder:
        flags = ["experiment", "docs/experiments/monitor-period.yaml", "--vary=node-monitor-grace-period=20s,50s"]
        browser.open(record(programs, Path(folder) / "run.html", *flags))
    assert browser.text("#link") == "recorded: node-monitor-grace-period=20s, seed 1", browser.text("#link")
    slide(browser, 100)
    assert count(browser, "ready") == 90


def main(programs, pictures):
    begin = time.monotonic()
    with Browser() as browser:
        plays_a_scenario(programs, browser, pictures)
        plays_a_run_of_an_experiment(programs, browser)
        complaints = browser.complaints()
        assert not complaints, complaints
    flags = [f"--nodes={NODES}", "--zones=3", f"--kill={DEAD}", "--after=10m", "--toleration-seconds=3", "--node-lease-duration-seconds=4"]
    fast = ["--node-monitor-grace-period=5s", "--node-monitor-period=500ms", "--node-eviction-rate=2"]
    with World(programs, *flags, controller=fast) as world, Browser() as browser:
        world.await_nodes()
        url = world.lead()
        refuses_others(url)
        shows_all_nodes(browser, url)
        tells_what_comes_next(browser)
        click_on_a_node_tells_why(browser)
        keys_do_what_the_mouse_does(browser)
        shows_nodes_die(browser, world)
        dresses(browser, pictures)
        slider_goes_back(browser)
        complaints = browser.complaints()
        assert not complaints, complaints
        tells_of_a_broken_connection(browser, world, url)
    with World(programs, *flags, controller=fast) as world, Browser() as browser:
        world.await_nodes()
        url = standby_and_observer_say_what_they_are(browser, world, pictures)
        shows_a_pause(browser, world, url, pictures)
        complaints = browser.complaints()
        assert not complaints, complaints
    print(f"page: all as expected in {time.monotonic() - begin:.0f} s; pictures in {pictures}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
