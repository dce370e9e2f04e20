#!/usr/bin/env python3
"""Measures `labdoc verify` against other runners of shell blocks, all in turn in one go.

    cargo build --release && benches/verify.py [RUNS]

Only figures of one call can be compared: machines and their load differ. Peers that are not on
the PATH are left out and said so (mdoctest from PyPI, scrut from crates.io).
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LABDOC = os.environ.get("LABDOC_BIN", str(ROOT / "target/release/labdoc"))
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 15


def labdoc_page(count: int) -> str:
    """A page of `count` blocks, each with its output."""
    return "# Bench\n" + "".join(
        f"\n```sh {{#b{n}}}\necho line {n}\n```\n\n```output {{for=b{n}}}\nline {n}\n```\n"
        for n in range(count)
    )


def scrut_page(count: int) -> str:
    """The same for scrut."""
    return "# Bench\n" + "".join(
        f"\n## b{n}\n\n```scrut\n$ echo line {n}\nline {n}\n```\n" for n in range(count)
    )


def mdoctest_page(count: int) -> str:
    """The same for mdoctest."""
    return "# Bench\n" + "".join(
        f"\n```console\n$ echo line {n}\nline {n}\n```\n" for n in range(count)
    )


def measure(command: list[str], folder: Path) -> tuple[float, float, int]:
    """Wall and CPU seconds of one run, and the peak memory of it alone in KiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command} failed in {folder}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def median(samples: list[tuple[float, float, int]], field: int) -> float:
    """The median of one field."""
    return statistics.median(sample[field] for sample in samples)


def many(jobs: dict[str, tuple[list[str], Path]]) -> dict[str, list[tuple[float, float, int]]]:
    """Runs all jobs in turn, so that a busy machine is busy for each of them."""
    for command, folder in jobs.values():
        measure(command, folder)
    samples: dict[str, list[tuple[float, float, int]]] = {name: [] for name in jobs}
    for _ in range(RUNS):
        for name, (command, folder) in jobs.items():
            samples[name].append(measure(command, folder))
    return samples


def main() -> None:
    """Prints the medians."""
    with tempfile.TemporaryDirectory(prefix="labdoc-bench-") as name:
        base = Path(name)
        jobs: dict[str, tuple[list[str], Path]] = {}
        for count in (20, 100, 1000):
            folder = base / f"l{count}"
            folder.mkdir()
            (folder / "page.md").write_text(labdoc_page(count))
            jobs[f"labdoc {count}"] = ([LABDOC, "verify", "page.md"], folder)
        peers = {
            "mdoctest": (mdoctest_page, ["mdoctest", "page.md"]),
            "scrut": (scrut_page, ["scrut", "test", "page.md"]),
        }
        for peer, (page, command) in peers.items():
            if shutil.which(peer) is None:
                print(f"{peer}: not here, left out")
                continue
            folder = base / peer
            folder.mkdir()
            (folder / "page.md").write_text(page(20))
            jobs[f"{peer} 20"] = (command, folder)
        samples = many(jobs)
        for job, got in samples.items():
            blocks = int(job.split()[1])
            wall, cpu = median(got, 0) * 1000, median(got, 1) * 1000
            print(f"{job:>14} blocks: {wall:8.1f} ms wall, {cpu / blocks:6.2f} ms CPU a block")
        own = median(samples["labdoc 20"], 0)
        for peer in peers:
            if f"{peer} 20" in samples:
                print(f"{peer}: {median(samples[f'{peer} 20'], 0) / own:.1f} times as long")
        output(base)


def output(base: Path) -> None:
    """100 MB from one block: what labdoc itself holds at most."""
    folder = base / "big"
    folder.mkdir()
    text = "```sh {#big}\nhead -c 100000000 /dev/zero | tr '\\0' x | fold -w 99\n```\n"
    (folder / "page.md").write_text(text)
    wall, _, peak = measure([LABDOC, "verify", "page.md"], folder)
    print(f"100 MB of output: {wall:.2f} s, peak {peak / 1024:.1f} MiB")


if __name__ == "__main__":
    main()
