"""What the benches share: a run is measured, jobs take turns, the machine is named."""

import os
import platform
import re
import select
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LABDOC = str(Path(os.environ.get("LABDOC_BIN", ROOT / "target/release/labdoc")).resolve())


class Sample(NamedTuple):
    """One run: seconds of wall and of CPU, the largest process in KiB."""

    wall: float
    cpu: float
    memory: int


class Job(NamedTuple):
    """What is run in turn with the others; `before` is done each time, unmeasured."""

    name: str
    command: list[str]
    folder: Path
    before: Callable[[], None] = lambda: None


class Failed(Exception):
    """A job that did not end well, or not in time."""


def measure(job: Job, limit: float | None = None) -> Sample:
    """Runs a job once; it must succeed within `limit` seconds."""
    job.before()
    begin = time.perf_counter()
    pid = start(job)
    if limit is not None:
        ended = os.pidfd_open(pid)
        ready, _, _ = select.select([ended], [], [], limit)
        os.close(ended)
        if not ready:
            os.killpg(pid, 9)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if code == -9 and limit is not None and wall >= limit:
        raise Failed(f"more than {limit:.0f} s")
    if code != 0:
        raise Failed(f"{' '.join(map(str, job.command))} ended with {code} in {job.folder}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def start(job: Job) -> int:
    """Starts a job without a copy of this interpreter, whose milliseconds would count as the job's."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    here = os.getcwd()
    os.chdir(job.folder)
    try:
        command = [str(word) for word in job.command]
        # What this interpreter ignores is not ignored by programs that a shell starts.
        usual = [signal.SIGPIPE, signal.SIGXFSZ]
        return os.posix_spawnp(
            command[0], command, os.environ, file_actions=quiet, setsid=True, setsigdef=usual
        )
    finally:
        os.chdir(here)


def median(samples: list[Sample]) -> Sample:
    """The median of each field."""
    return Sample(*(statistics.median(field) for field in zip(*samples)))


def in_turn(jobs: list[Job], rounds: int, limit: float | None = None) -> tuple[dict[str, Sample], dict[str, str]]:
    """Medians of all jobs, each in turn, and what is said of those that failed."""
    samples: dict[str, list[Sample]] = {job.name: [] for job in jobs}
    failed: dict[str, str] = {}
    for number in range(rounds):
        for job in jobs:
            if job.name in failed:
                continue
            try:
                samples[job.name].append(measure(job, limit))
            except Failed as failure:
                failed[job.name] = str(failure)
            print(f"round {number + 1} of {rounds}: {job.name}", file=sys.stderr, flush=True)
    good = {name: median(got) for name, got in samples.items() if got and name not in failed}
    return good, failed


def version(command: list[str]) -> str:
    """What a program says of its version."""
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
    return found.group() if found else "?"


def machine() -> str:
    """Processor, number of processors, system."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    name = model.group(1) if model else platform.machine()
    return f"{name}, {os.cpu_count()} processors, {platform.system()} {platform.release()}"
