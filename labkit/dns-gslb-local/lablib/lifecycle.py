"""`lab up`, `lab down`, and the switches that scenes turn: flip, kill, restore."""
import contextlib
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from . import preflight
from .world import (BACKENDS, BACKEND_PORT, DNS_IP, DNS_PORT, NAME, TTL, LabError, alive, end, load,
                    output, path, process, read, remember, save, spawn, started_at, state_dir,
                    undisturbed, wait_until, write)

LASTING = ("holder", "dns")                       # a scene ends and starts backends itself
SERVICES = LASTING + ("backend-a", "backend-b")
STREAM_SECONDS = 4
MARK = "lab state folder\n"


# --- where we are -----------------------------------------------------------

def my_namespace():
    return os.readlink("/proc/self/ns/net")


def is_up(services=SERVICES):
    state = load()
    return bool(state.get("ready")) and all(alive(process(key)) for key in services)


def enter_namespace(kit, *arguments):
    """Command line that runs `lab ARGUMENTS` inside the lab's namespace."""
    state = load()
    command = ["nsenter", "-t", str(state["processes"]["holder"][0]), "-n"]
    if state["rootless"]:
        command += ["-U", "--preserve-credentials"]
    return command + [sys.executable, os.path.join(kit, "lab")] + list(arguments)


def own_folder():
    """Refuse a folder that the lab did not make: `down` would remove it."""
    if os.listdir(state_dir()) and read(path("mark")) != MARK:
        raise LabError("%s is not a state folder of the lab; set LAB_DIR to another one" % state_dir())


def lock():
    """One `up` or scene at a time. The lock ends with this process."""
    own_folder()
    handle = open(path("lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LabError("another lab command is running here; wait for it, or: ./lab down")
    return handle


# --- up -----------------------------------------------------------------------

def up(kit):
    if load().get("namespace") == my_namespace():      # called by ourselves, see below
        return start_services(kit)
    if is_up():
        print("result: up (was up already)")
        return 0
    missing = [row for row in preflight.checks() if not row[2]]
    if missing:
        for name, text, _ in missing:
            print("%-10s %s" % (name, text))
        raise LabError("cannot start; nothing was created. See all checks: ./lab preflight")
    if os.path.isdir(state_dir()):
        lock().close()                                 # leftovers of a crash, and nobody at work
        clear()
    make_state_dir()
    guard = lock()
    done = False
    try:
        make_certificate()
        start_holder()
        done = subprocess.run(enter_namespace(kit, "up")).returncode == 0
    finally:
        if not done:
            clear()
        guard.close()
    return 0 if done else 2


def make_state_dir():
    try:
        os.makedirs(state_dir())
    except OSError as error:
        raise LabError("no state folder: %s; set LAB_DIR to a folder that you may write" % error)
    os.chmod(state_dir(), 0o755)
    write(path("mark"), MARK)
    save({"processes": {}})


def make_certificate():
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "30", "-subj", "/CN=" + NAME, "-addext", "subjectAltName=DNS:" + NAME,
         "-keyout", path("tls.key"), "-out", path("tls.crt")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        raise LabError("openssl made no certificate:\n" + made.stdout.decode("utf-8", "replace"))


def start_holder():
    """A sleeping process holds the namespace; it has no name and ends with it."""
    command = preflight.namespace_command()
    script = "ip link set lo up && readlink /proc/self/ns/net && exec sleep infinity"
    with open(path("holder.log"), "ab") as log:
        holder = subprocess.Popen(
            command + ["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=log, start_new_session=True)
    remember("holder", holder.pid)
    namespace = holder.stdout.readline().decode().strip()
    holder.stdout.close()
    if not namespace or namespace == my_namespace():
        raise LabError("no network namespace: " + read(path("holder.log")).strip())
    state = load()
    state.update(namespace=namespace, rootless=command == preflight.ROOTLESS)
    save(state)


def start_services(kit):
    shutil.copy(os.path.join(kit, "configs", "nginx-a-idle.conf"), state_dir())
    for name in BACKENDS:
        shutil.copy(os.path.join(kit, "configs", "nginx-%s.conf" % name), state_dir())
        line = "backend-%s\n" % name
        size = STREAM_SECONDS * 10240             # nginx sends 10 KiB a second
        write(path("slow-%s.txt" % name), (line * (size // len(line) + 1))[:size])
        start_backend(name)
        print("backend-%s  %s:%d" % (name, BACKENDS[name], BACKEND_PORT))
    set_address("a")
    start_dns()
    print("dns        %s:%d" % (DNS_IP, DNS_PORT))
    state = load()
    state["ready"] = True
    save(state)
    print("%s -> %s (backend-a), TTL %ds" % (NAME, BACKENDS["a"], TTL))
    print("result: up")
    return 0


def start_backend(name, config=None):
    command = ["nginx", "-p", state_dir() + "/", "-c", path(config or "nginx-%s.conf" % name),
               "-g", "user root root;"]           # else it gives files to a user unknown here
    if knows_error_log_option():
        command += ["-e", path("backend-%s.log" % name)]
    spawn("backend-" + name, command)
    if not wait_until(lambda: asked(name) == "backend-" + name, 8):
        raise LabError("backend-%s does not answer:\n%s" % (name, read(path("backend-%s.log" % name))))


def knows_error_log_option():
    version = preflight.version_in(output(["nginx", "-v"]))
    return [int(part) for part in re.findall(r"\d+", version)] >= [1, 19, 5]


def asked(name):
    """Body of one direct request to a backend."""
    return output(["curl", "-sk", "--noproxy", "*", "-m", "2",
                   "--resolve", "%s:%d:%s" % (NAME, BACKEND_PORT, BACKENDS[name]),
                   "https://%s:%d/" % (NAME, BACKEND_PORT)]).strip()


def start_dns():
    command = ["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
               "--no-hosts", "--addn-hosts=" + path("hosts"), "--local-ttl=%d" % TTL,
               "--listen-address=" + DNS_IP, "--port=%d" % DNS_PORT, "--bind-interfaces",
               "--local=/lab.internal/", "--no-round-robin", "--pid-file=", "--log-facility=-"]
    if read("/proc/self/setgroups").strip() == "deny":
        # Rootless: dnsmasq as "root" would try to drop groups, which a user namespace forbids.
        command = ["unshare", "--user", "--map-user=1000"] + command
    else:
        command += ["--user=root", "--group=root"]
    spawn("dns", command)
    if not wait_until(lambda: dig() == [BACKENDS["a"]], 8):
        raise LabError("dnsmasq does not answer:\n" + read(path("dns.log")))


# --- switches -------------------------------------------------------------------

def dig():
    """Addresses that the lab's DNS gives for the name."""
    text = output(["dig", "+short", "+tries=1", "+time=1", "@" + DNS_IP, "-p", str(DNS_PORT), NAME, "A"])
    return [line for line in text.split() if line[0].isdigit()]


def set_address(*names):
    """The GSLB's switch: the name now has the addresses of these backends."""
    write(path("hosts"), "".join("%s %s\n" % (BACKENDS[name], NAME) for name in names))
    dns = process("dns")
    if alive(dns):
        os.kill(dns[0], signal.SIGHUP)            # dnsmasq reads the file again
    return time.monotonic()


def kill_backend(name):
    begin = time.monotonic()
    end(process("backend-" + name))
    return begin


def hold_backend(name):
    """The backend stops in its tracks: the kernel accepts for it, nobody answers."""
    os.kill(process("backend-" + name)[0], signal.SIGSTOP)


def go_on(name):
    os.kill(process("backend-" + name)[0], signal.SIGCONT)


@contextlib.contextmanager
def blackhole(name):
    """The backend has gone and its address answers nothing: no reset, no SYN-ACK.

    A listener whose queue of connections is full does that without a rule of a firewall, and so
    without a right to set one: the kernel drops what it has no room for.
    """
    kill_backend(name)
    place = (BACKENDS[name], BACKEND_PORT)
    held = []
    try:
        listener = socket.socket()
        held.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(0)
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            held.append(filler)
            filler.connect_ex(place)
        probe = socket.socket()
        held.append(probe)
        probe.settimeout(0.3)
        try:
            probe.connect(place)
        except (TimeoutError, socket.timeout):
            pass
        else:
            raise LabError("%s still takes connections; is net.ipv4.tcp_abort_on_overflow set?" % place[0])
        yield
    finally:
        for one in held:
            one.close()


def restore():
    """The state that `lab up` left: no Envoy, both backends, the name at A."""
    end(process("envoy"))
    for name in BACKENDS:
        if alive(process("backend-" + name)):
            go_on(name)                           # where a scene was killed while it held one
        if not alive(process("backend-" + name)):
            start_backend(name)
    set_address("a")
    if not wait_until(lambda: dig() == [BACKENDS["a"]], 5):
        raise LabError("the name does not go back to %s; start afresh: ./lab down && ./lab up" % BACKENDS["a"])


# --- down -------------------------------------------------------------------------

def down():
    print("result: down" if clear() else "result: down (was down already)")
    return 0


def clear():
    """End every process of the lab, then remove its folder. True if there was one."""
    if not os.path.isdir(state_dir()):
        return False
    own_folder()
    with undisturbed():
        for _ in range(10):                       # a scene at work may still start something
            others = dwellers()
            if not others:
                break
            for other in others:
                end(other)
        known = load().get("processes", {})
        for key in sorted(known, key="holder".__eq__):       # the holder last
            end(known[key])
        shutil.rmtree(state_dir(), ignore_errors=True)
    return True


def dwellers():
    """Processes in the lab's namespace, its holder left out."""
    namespace, holder = load().get("namespace"), process("holder")
    if not namespace or namespace == my_namespace() or not alive(holder):
        return []
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != holder[0]:
            try:
                same = os.readlink("/proc/%s/ns/net" % entry) == namespace
            except OSError:
                continue
            if same:
                found.append([int(entry), started_at(int(entry))])
    return [one for one in found if alive(one)]
