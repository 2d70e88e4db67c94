"""A cluster of hollow nodes and the controller that ships, whose page is looked at."""

import json
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from browser import until


class World:
    def __init__(self, programs, *flags, controller=()):
        self.programs = Path(programs)
        self.folder = tempfile.TemporaryDirectory()
        self.kubeconfig = f"{self.folder.name}/kubeconfig"
        self.controller_flags = controller
        self.started = []
        self.cluster = self.start("cluster", "nlc", "cluster", "--port=0", f"--kubeconfig={self.kubeconfig}", *flags)
        self.controller = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            if process.poll() is None:
                process.terminate()
                process.wait()
        self.folder.cleanup()

    def start(self, name, program, *arguments):
        with open(f"{self.folder.name}/{name}.log", "w") as log:
            self.started.append(subprocess.Popen([self.programs / program, *arguments], stdout=log, stderr=log))
        return self.started[-1]

    def log(self, name):
        return Path(f"{self.folder.name}/{name}.log").read_text()

    def await_nodes(self, seconds=60):
        until("all nodes and pods run", lambda: "all nodes and pods run" in self.log("cluster"), seconds)

    def lead(self, address="127.0.0.1:0"):
        """Starts the controller, the only one; where its page is."""
        url = self.contend("controller", "--leader-elect=false", f"--status-bind-address={address}")
        self.controller = self.started[-1]
        return url

    def contend(self, name, *flags):
        """Starts one controller of several; where its page is."""
        self.start(name, "node-lifecycle-controller", f"--kubeconfig={self.kubeconfig}", "--metrics-bind-address=",
                   "--status-bind-address=127.0.0.1:0", *flags, *self.controller_flags)
        said = until("the page is served", lambda: re.search(r'"serving status" address=(\S+)', self.log(name)))
        return f"http://{said[1]}/"

    def ask(self, method, path, body=None):
        """A request to the cluster itself."""
        server = re.search(r'server: "?(http://[^"\s,}]+)', Path(self.kubeconfig).read_text())[1]
        request = urllib.request.Request(server + path, body and json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
        urllib.request.urlopen(request).close()

    def end_controller(self):
        self.controller.kill()
        self.controller.wait()

    def cut_power(self):
        self.cluster.send_signal(signal.SIGUSR1)

    def give_power_back(self):
        self.cluster.send_signal(signal.SIGUSR2)

    def processor_time(self):
        """Of the controller, in seconds."""
        fields = Path(f"/proc/{self.controller.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def memory(self):
        """Of the controller, in MiB."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.controller.pid}/status").read_text())[1]) / 1024

    def share_of_a_core(self, seconds):
        before = self.processor_time()
        time.sleep(seconds)
        return (self.processor_time() - before) / seconds
