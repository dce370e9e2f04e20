#!/usr/bin/env python3
"""Measures `labdoc verify` against other runners of shell blocks, all in turn in one go.

    make bench-verify            compiles, fetches the peers, runs this, writes RESULTS-verify.md
    benches/verify.py [--runs N] [--write FILE]

Only figures of one call can be compared: machines and their load differ. A peer that is not on the
PATH is left out, and the table says so.
"""

import argparse
import datetime
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

from measuring import LABDOC, Job, Sample, in_turn, machine, measure, version

BLOCKS = 20
WATCHED = 20


def labdoc_page(count: int) -> str:
    """A page of `count` blocks, each with its output."""
    return "# Bench\n" + "".join(
        f"\n```sh {{#b{n}}}\necho line {n}\n```\n\n```output {{for=b{n}}}\nline {n}\n```\n"
        for n in range(count)
    )


def session_page(language: str) -> Callable[[int], str]:
    """The same as commands behind `$`, for the peers that read those."""
    return lambda count: "# Bench\n" + "".join(
        f"\n## b{n}\n\n```{language}\n$ echo line {n}\nline {n}\n```\n" for n in range(count)
    )


def mdsh_page(count: int) -> str:
    """The same for mdsh, which writes the output below the command."""
    return "# Bench\n" + "".join(
        f"\n`$ echo line {n}`\n```\nline {n}\n```\n" for n in range(count)
    )


# Name, how its page is written, how it checks one.
PEERS: list[tuple[str, Callable[[int], str], list[str]]] = [
    ("scrut", session_page("scrut"), ["scrut", "test", "page.md"]),
    ("mdoctest", session_page("console"), ["mdoctest", "page.md"]),
    ("byexample", session_page("shell"), ["byexample", "-l", "shell", "page.md"]),
    ("mdsh", mdsh_page, ["mdsh", "--frozen", "-i", "page.md"]),
]


def prepare(base: Path) -> tuple[list[Job], list[str]]:
    """Pages and jobs, and the peers that are not here."""
    jobs, missing = [], []
    for count in (BLOCKS, 100, 1000):
        page = {"page.md": labdoc_page(count)}
        jobs.append(Job(f"labdoc {count}", [LABDOC, "verify", "page.md"], folder(base, f"l{count}", page)))
    for name, page, command in PEERS:
        if shutil.which(name) is None:
            missing.append(name)
            continue
        jobs.append(Job(name, command, folder(base, name, {"page.md": page(BLOCKS)})))
    return jobs, missing


def folder(base: Path, name: str, files: dict[str, str]) -> Path:
    """A new folder with these files."""
    path = base / name
    path.mkdir()
    for file, text in files.items():
        (path / file).write_text(text)
    return path


def output(base: Path) -> Sample:
    """100 MB from one block: what the largest process of labdoc holds at most."""
    text = "```sh {#big}\nhead -c 100000000 /dev/zero | tr '\\0' x | fold -w 99\n```\n"
    return measure(Job("output", [LABDOC, "verify", "page.md"], folder(base, "big", {"page.md": text})))


def watch(base: Path) -> list[float]:
    """Seconds from the save of a changed block to the line that tells of it."""
    page = "```sh {#one}\necho one\n```\n\n```sh {#two}\necho NUMBER\n```\n"
    at = folder(base, "watch", {"page.md": page})
    child = subprocess.Popen(
        [LABDOC, "verify", "page.md", "--watch"],
        cwd=at,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    times = []
    try:
        until(child, "two")
        for number in range(WATCHED):
            begin = time.perf_counter()
            (at / "page.md").write_text(page.replace("NUMBER", str(number)))
            until(child, "two")
            times.append(time.perf_counter() - begin)
            # A save while the watch still settles would be measured with what came before it.
            time.sleep(0.1)
    finally:
        child.terminate()
        child.wait(timeout=30)
    return times


def until(child: subprocess.Popen, block: str) -> None:
    """Reads until the line that tells of a block that passed."""
    for line in child.stdout:
        if re.match(rf"  ok +{block} ", line):
            return
    raise SystemExit("--watch ended")


def report(runs: int) -> str:
    """Measures everything; the text of the results."""
    with tempfile.TemporaryDirectory(prefix="labdoc-bench-") as name:
        base = Path(name)
        jobs, missing = prepare(base)
        for job in jobs:
            # The first run reads programs from the disk.
            measure(job)
        medians, failed = in_turn(jobs, runs)
        if failed:
            raise SystemExit("\n".join(failed.values()))
        big, times = output(base), watch(base)
    own = medians[f"labdoc {BLOCKS}"]
    lines = [
        "# `labdoc verify` and other runners of shell blocks",
        "",
        f"Written by `benches/verify.py` on {datetime.date.today()}: medians of {runs} runs, all in turn in one go.",
        f"{machine()}, bash {version(['bash', '--version'])}; load {os.getloadavg()[0]:.1f} at the end.",
        "",
        "| runner | version | blocks | wall ms | CPU ms a block | MiB | times labdoc's wall |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for job in jobs:
        got = medians[job.name]
        name, _, blocks = job.name.partition(" ")
        blocks = int(blocks or BLOCKS)
        ratio = f"{got.wall / own.wall:.1f}" if blocks == BLOCKS else ""
        lines.append(
            f"| {name} | {version([job.command[0], '--version'])} | {blocks} | {got.wall * 1000:.1f} "
            f"| {got.cpu * 1000 / blocks:.2f} | {got.memory / 1024:.0f} | {ratio} |"
        )
    few, many = medians["labdoc 100"], medians["labdoc 1000"]
    lines += [
        "",
        f"- 1,000 blocks take {many.wall / few.wall:.1f} times the wall and {many.cpu / few.cpu:.1f} times the CPU of 100.",
        f"- 100 MB of output from one block: {big.wall:.2f} s, at most {big.memory / 1024:.0f} MiB.",
        f"- `--watch`, from save to result: median {statistics.median(times) * 1000:.0f} ms of {len(times)}, "
        f"worst {max(times) * 1000:.0f} ms.",
    ]
    lines += [f"- {peer} was not here." for peer in missing]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the results, and writes them where that was asked for."""
    parser = argparse.ArgumentParser(description="bench of labdoc verify")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    text = report(args.runs)
    sys.stdout.write(text)
    if args.write:
        args.write.write_text(text)


if __name__ == "__main__":
    main()
