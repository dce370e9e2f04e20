"""One fresh Envoy for each scene, its counters, and the clients that talk to it."""
import http.client
import os
import re
import signal
import time
from collections import Counter

from .world import (ADMIN_PORT, ENVOY_IP, ENVOY_PORT, NAME, LabError, alive, end, envoy_binary,
                    new_dns, process, read, spawn, path, wait_until)


def runtime_arguments():
    """NEW_DNS=true or false switches the DNS clusters that are the default from Envoy 1.39 on."""
    if new_dns() == "default":
        return []
    flag = "envoy.reloadable_features.enable_new_dns_implementation"
    return ["--config-yaml", "layered_runtime: {layers: [{name: lab, static_layer: {%s: %s}}]}"
            % (flag, new_dns())]


def start(config, members):
    """Start Envoy with a configuration file; wait until DNS gave it its members."""
    spawn("envoy", [envoy_binary(), "-c", config, "--disable-hot-restart", "--concurrency", "1",
                    "-l", "warning"] + runtime_arguments())

    def ready():
        if not alive(process("envoy")):
            raise LabError("Envoy ended:\n" + read(path("envoy.log"))[-2000:])
        try:
            return stats().get("membership_total") == members
        except OSError:
            return False
    if not wait_until(ready, 15, 0.05):
        raise LabError("Envoy found no member in DNS within 15 s")


def stop():
    end(process("envoy"))


def admin(page):
    connection = http.client.HTTPConnection(ENVOY_IP, ADMIN_PORT, timeout=5)
    try:
        connection.request("GET", page)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def version():
    return re.search(r"/(\d+\.\d+\.\d+)", admin("/server_info")).group(1)


def stats():
    """Counters and gauges of the cluster `gslb`, without their prefix."""
    rows = re.findall(r"^cluster\.gslb\.(\S+): (\d+)$", admin("/stats?filter=%5Ecluster.gslb."), re.M)
    return {name: int(value) for name, value in rows}


def hosts():
    """Addresses that /clusters shows for the cluster."""
    return sorted(set(re.findall(r"^gslb::([\d.]+):\d+::", admin("/clusters"), re.M)))


class Answer:
    def __init__(self, status, backend):
        self.at, self.status, self.backend = time.monotonic(), status, backend


def wait_stopped(pid):
    """SIGSTOP takes a moment to reach threads that run; a request sent earlier would be answered."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        tasks = os.listdir("/proc/%d/task" % pid)
        states = [read_state("/proc/%d/task/%s/stat" % (pid, task)) for task in tasks]
        if all(state in ("T", None) for state in states):
            return
        time.sleep(0.001)
    raise LabError("Envoy could not be held")


def read_state(path):
    """The state letter of a thread, None when it has ended meanwhile."""
    try:
        with open(path) as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return None


class Keepalive:
    """A light load: COUNT client connections, all of them asked at the same time in each round.

    Envoy is held (SIGSTOP) for the instant in which a round is sent. So it always finds all the
    requests together, needs exactly COUNT connections to a backend and never more, on a busy
    machine too. Scenes act between two rounds only.
    """

    def __init__(self, count=2, pause=0.1):
        self.pause = pause
        self.answers = []
        self.connections = [http.client.HTTPConnection(ENVOY_IP, ENVOY_PORT, timeout=10)
                            for _ in range(count)]
        for connection in self.connections:
            connection.connect()

    def round(self):
        pid = process("envoy")[0]
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_stopped(pid)
            for connection in self.connections:
                connection.request("GET", "/", headers={"Host": NAME})
        finally:
            os.kill(pid, signal.SIGCONT)
        new = []
        for connection in self.connections:
            reply = connection.getresponse()
            reply.read()
            new.append(Answer(reply.status, reply.getheader("X-Backend", "none")))
        self.answers += new
        time.sleep(self.pause)
        return new

    def rounds(self, count):
        return [answer for _ in range(count) for answer in self.round()]

    def warm(self):
        """The first rounds: afterwards Envoy holds one connection for each of ours.

        One round is enough unless Envoy has the first answer before it reads the second request,
        which a busy machine brings about; a round more never opens more than COUNT.
        """
        for _ in range(5):
            # Scenes count one round of warming, however many it took.
            self.answers = self.round()
            if stats()["upstream_cx_active"] == len(self.connections):
                break
        else:
            raise LabError("Envoy did not open %d connections" % len(self.connections))

    def close(self):
        for connection in self.connections:
            connection.close()


def single_requests(count):
    """Sequential requests, a client connection for each; their answers."""
    answers = []
    for _ in range(count):
        connection = http.client.HTTPConnection(ENVOY_IP, ENVOY_PORT, timeout=10)
        connection.request("GET", "/", headers={"Host": NAME})
        reply = connection.getresponse()
        reply.read()
        answers.append(Answer(reply.status, reply.getheader("X-Backend", "none")))
        connection.close()
    return answers


def backends_of(answers):
    return " ".join(sorted({answer.backend for answer in answers}))


def statuses_of(answers):
    return Counter(answer.status for answer in answers)


def stream_command(body):
    """curl for the 4 s response; prints status, size and backend."""
    return ["curl", "-s", "--noproxy", "*", "-m", "30", "-o", body, "-H", "Host: " + NAME,
            "-w", "%{http_code} %{size_download}", "http://%s:%d/slow" % (ENVOY_IP, ENVOY_PORT)]
