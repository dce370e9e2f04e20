"""Addresses, the state folder, and processes that can be found again."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time

NAME = "gslb.lab.internal"
BACKENDS = {"a": "127.0.0.11", "b": "127.0.0.12"}
BACKEND_PORT = 8443
DNS_IP, DNS_PORT = "127.0.0.10", 15353
ENVOY_IP, ENVOY_PORT, PASS_PORT, ADMIN_PORT = "127.0.0.1", 10080, 10443, 9901
TTL = 1

# nginx and dnsmasq often live where an ordinary user's PATH does not look.
os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/local/sbin:/usr/sbin:/sbin"


class LabError(Exception):
    """The lab cannot go on; the text names the next step."""


def state_dir():
    return os.path.abspath(os.environ.get("LAB_DIR") or ".lab")


def path(*names):
    return os.path.join(state_dir(), *names)


def read(file, default=""):
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return default


def write(file, text):
    """Replace a file in one step: a reader sees the old text or the new one."""
    draft = file + ".new"
    with open(draft, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(draft, 0o644)
    os.replace(draft, file)


def load():
    try:
        return json.loads(read(path("state.json"), "{}"))
    except ValueError:
        return {}


def save(state):
    write(path("state.json"), json.dumps(state, indent=1) + "\n")


def new_dns():
    """What NEW_DNS asks for: true, false, or default, which leaves Envoy as it comes."""
    asked = os.environ.get("NEW_DNS") or "default"
    if asked not in ("true", "false", "default"):
        raise LabError("NEW_DNS=%s: write true, false or default" % asked)
    return asked


def envoy_binary():
    """The Envoy binary as an absolute path, or None."""
    named = os.environ.get("ENVOY")
    found = shutil.which(named or "envoy")
    return os.path.abspath(found) if found else None


# --- processes ------------------------------------------------------------
# A process is remembered as [pid, start time]: a pid alone may be used again.

def started_at(pid):
    """Start time of a living process in clock ticks since boot, or None."""
    fields = read("/proc/%d/stat" % pid).rpartition(")")[2].split()
    return None if not fields or fields[0] in "ZX" else int(fields[19])


def alive(process):
    return bool(process) and started_at(process[0]) == process[1]


def spawn(key, command):
    """Start a process that outlives this command; its output goes to KEY.log."""
    with open(path(key + ".log"), "ab") as log:
        child = subprocess.Popen(
            command, cwd=state_dir(), stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    remember(key, child.pid)
    return child


def remember(key, pid):
    state = load()
    state.setdefault("processes", {})[key] = [pid, started_at(pid)]
    save(state)


def process(key):
    return load().get("processes", {}).get(key)


def end(what, patience=3.0):
    """SIGTERM, then SIGKILL; returns when the process is gone."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        if not alive(what):
            return
        try:
            os.kill(what[0], signum)
        except ProcessLookupError:
            return
        wait_until(lambda: not running(what), patience)


def running(what):
    try:
        os.waitpid(what[0], os.WNOHANG)   # reaps it where it is our own child
    except ChildProcessError:
        pass
    return alive(what)


def wait_until(condition, seconds, step=0.02):
    """True as soon as the condition holds; False when the time is over."""
    limit = time.monotonic() + seconds
    while True:
        if condition():
            return True
        if time.monotonic() > limit:
            return False
        time.sleep(step)


@contextlib.contextmanager
def undisturbed():
    """Signals that would break off a clean-up are ignored until it is done."""
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(kind, signal.SIG_IGN) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before):
            signal.signal(kind, handler)


def output(command, seconds=10):
    """What a command prints, stdout and stderr together; "" when it cannot run."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def succeeds(command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
