#!/usr/bin/env python3
"""Measures `labdoc build` and other generators on one corpus, all in turn in one go.

    make bench                   compiles, fetches the peers, runs this, writes RESULTS.md
    benches/build.py [--pages 1000,5000,20000] [--peer-pages 1000,5000] [--rounds N] [--write FILE]

The corpus and the peers' settings are those of BENCH_DATA (../shared/bench). Only figures of one
call can be compared: machines and their load differ. CPU first: wall time depends on who else is
at work. A peer that is not there, and one that takes longer than `--limit`, is named as such.
"""

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import LABDOC, ROOT, Job, Sample, in_turn, machine, measure, median, version
from serving import save_to_reload

DATA = Path(os.environ.get("BENCH_DATA", ROOT.parent / "shared/bench")).resolve()
BOOK = '[book]\ntitle = "Bench"\nlanguage = "ko"\n'
# One page of the corpus, which a change touches; its folder differs from peer to peer.
CHANGED = "ch000/p00001.md"
DIAGRAMS = 60

# Name, command, how it says its version, output, what a cold run may not find, folder of pages.
PEERS = [
    ("hugo", ["hugo", "--quiet"], ["hugo", "version"], "public", ["resources", ".hugo_build.lock"]),
    ("mdbook", ["mdbook", "build"], ["mdbook", "--version"], "book", []),
    ("zensical", ["zensical", "build"], ["zensical", "--version"], "site", [".cache"]),
    ("mkdocs", ["mkdocs", "build", "-q"], ["mkdocs", "--version"], "site", []),
    (
        "eleventy",
        ["node", "node_modules/@11ty/eleventy/cmd.cjs", "--quiet"],
        ["node", "node_modules/@11ty/eleventy/cmd.cjs", "--version"],
        "_site",
        [],
    ),
]


def corpus(flavor: str, pages: int, folder: Path) -> None:
    """Writes the pages of a generator, with its settings."""
    if (DATA / flavor).is_dir():
        shutil.copytree(DATA / flavor, folder)
    generate = [sys.executable, DATA / "gen.py", "--n", str(pages), "--flavor", flavor, "--out", folder]
    subprocess.run(generate, check=True, stdout=subprocess.DEVNULL)
    if flavor == "labdoc":
        (folder / "book.toml").write_text(BOOK)


def clear(folder: Path, names: list[str]) -> None:
    """Removes what an earlier run left."""
    for name in names:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def append(page: Path) -> None:
    """Changes a page."""
    with page.open("a") as file:
        file.write("\n한 문장을 더 쓴다.\n")


def weight(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def own_jobs(folder: Path) -> list[Job]:
    """labdoc without anything, with everything, and after one change."""
    build = [LABDOC, "build", "--quiet"]
    pages = folder.name
    return [
        Job(f"labdoc cold {pages}", build, folder, lambda: clear(folder, ["public", ".labdoc"])),
        Job(f"labdoc warm {pages}", build, folder),
        Job(f"labdoc changed {pages}", build, folder, lambda: append(folder / "content" / CHANGED)),
    ]


def diagram_cost(base: Path, rounds: int) -> tuple[float, float]:
    """Milliseconds of CPU for one diagram, drawn and from the cache."""
    kinds = (
        "flowchart LR\n  A{n}[\"시작 {n}\"] --> B[\"확인\"] --> C[\"끝\"]\n  B -->|다시| A{n}\n",
        "sequenceDiagram\n  participant A as 클라이언트 {n}\n  participant B as 프록시\n  A->>B: 요청\n  B-->>A: 응답\n",
        "stateDiagram-v2\n  [*] --> S{n}\n  S{n} --> T : 전환\n  T --> [*]\n",
    )
    costs = {}
    for name, count in (("none", 0), ("some", DIAGRAMS)):
        folder = base / f"diagrams-{name}"
        (folder / "content").mkdir(parents=True)
        (folder / "book.toml").write_text(BOOK)
        drawn = "".join(f"```mermaid\n{kinds[n % 3].replace('{n}', str(n))}```\n\n" for n in range(count))
        (folder / "content/index.md").write_text("# 그림\n\n" + drawn)
        build = [LABDOC, "build", "--quiet"]
        cold = Job("", build, folder, lambda folder=folder: clear(folder, ["public", ".labdoc"]))
        costs[name] = [median([measure(job) for _ in range(rounds)]).cpu for job in (cold, Job("", build, folder))]
    return tuple((some - none) * 1000 / DIAGRAMS for some, none in zip(costs["some"], costs["none"]))


def peer_jobs(base: Path, sizes: list[int]) -> tuple[list[Job], dict[str, str], list[str]]:
    """The peers that are there with their versions, and those that are not."""
    jobs, versions, missing = [], {}, []
    for name, command, asks, out, caches in PEERS:
        there = shutil.which(command[0]) is not None
        for pages in sizes if there else []:
            folder = base / name / str(pages)
            corpus(name, pages, folder)
            if name == "eleventy":
                npm = ["npm", "ci", "--silent", "--no-audit", "--no-fund"]
                there = subprocess.run(npm, cwd=folder, stdin=subprocess.DEVNULL, check=False).returncode == 0
                if not there:
                    break
                asks = [asks[0], str(folder / asks[1]), asks[2]]
            versions[name] = versions.get(name) or version(asks)
            job = Job(f"{name} cold {pages}", command, folder, lambda folder=folder: clear(folder, [out, *caches]))
            jobs.append(job)
        if not there:
            missing.append(name)
    return jobs, versions, missing


OUTPUTS = {"labdoc": "public", **{name: out for name, _, _, out, _ in PEERS}}


def zola() -> list[str]:
    """Zola is in no registry: what it took on another day, for scale."""
    lines = []
    for line in (DATA / "peers-2026-11-29.jsonl").read_text().splitlines():
        got = json.loads(line)
        if got["gen"] == "zola" and "cpu" in got:
            pages = got["n"]
            lines.append(
                f"| zola (another run, 2026-11-29) | 0.22.1 | cold | {pages:,} | {got['cpu'] * 1000 / pages:.2f} | {got['wall']:.2f} "
                f"| {got['rss_mb']:.0f} | {got['bytes'] / pages / 1000:.1f} | |"
            )
    return lines


def report(args: argparse.Namespace, base: Path) -> str:
    """Measures everything; the text of the results."""
    jobs: list[Job] = []
    for pages in args.pages:
        corpus("labdoc", pages, base / str(pages))
        jobs += own_jobs(base / str(pages))
    real = base / "real"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, real], check=True)
    jobs += own_jobs(real)[:2]
    others, versions, missing = peer_jobs(base, args.peer_pages)
    versions["labdoc"] = version([LABDOC, "--version"])
    got, failed = in_turn(jobs + others, args.rounds, args.limit)
    lines = [
        "# `labdoc build` and other generators",
        "",
        f"Written by `benches/build.py` on {datetime.date.today()}: medians of {args.rounds} rounds, all in turn in one go.",
        f"{machine()}; load {os.getloadavg()[0]:.1f} at the end. Pages of about 6 KB with five code blocks, half of them Korean.",
        "",
        "| generator | version | run | pages | CPU ms a page | wall s | peak MB | KB a page | CPU / labdoc | wall / labdoc |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    own_pages = len(list((real / "content").rglob("*.md")))
    for job in jobs + others:
        name, run, size = job.name.split()
        pages = own_pages if size == "real" else int(size)
        if job.name in failed:
            lines.append(f"| {name} | {versions[name]} | {run} | {pages:,} | {failed[job.name]} | | | | | |")
            continue
        one, same = got[job.name], got.get(f"labdoc cold {size}")
        ratios = f"{one.cpu / same.cpu:.1f} | {one.wall / same.wall:.1f}" if same and name != "labdoc" else " | "
        bytes_a_page = weight(job.folder / OUTPUTS[name]) / pages / 1000
        shown = f"{pages:,} (this repository)" if size == "real" else f"{pages:,}"
        lines.append(
            f"| {name} | {versions[name]} | {run} | {shown} | {one.cpu * 1000 / pages:.2f} | {one.wall:.2f} "
            f"| {one.memory / 1024:.0f} | {bytes_a_page:.1f} | {ratios} |"
        )
    lines += zola() + ["", "| figure | goal | here |", "|---|---|---|"]
    lines += reach(got, args, base)
    lines += [""] + [f"- {name} was not here." for name in missing]
    return "\n".join(lines).rstrip() + "\n"


def reach(got: dict[str, Sample], args: argparse.Namespace, base: Path) -> list[str]:
    """The figures that have a goal."""
    rows = []

    def row(figure: str, goal: str, here: str) -> None:
        rows.append(f"| {figure} | {goal} | {here} |")

    for pages in args.pages:
        cold, warm, changed = (got.get(f"labdoc {run} {pages}") for run in ("cold", "warm", "changed"))
        if not (cold and warm and changed):
            continue
        public = base / str(pages) / "public"
        memory = {5000: "≤ 200 MB", 20000: "≤ 400 MB"}.get(pages, "")
        cost = {1000: "≤ 30 ms", 5000: "≤ 60 ms"}.get(pages, "")
        row(f"cold, CPU a page at {pages:,}", "≤ 2.0 ms", f"{cold.cpu * 1000 / pages:.2f} ms")
        row(f"peak memory at {pages:,}", memory, f"{cold.memory / 1024:.0f} MB")
        row(f"output a page at {pages:,}", "≤ 20 KB, search ≤ 4 KB", f"{weight(public) / pages / 1000:.1f} KB, search {weight(public / 'search') / pages / 1000:.1f} KB")
        row(f"warm, CPU a page at {pages:,}", "≤ 0.1 ms", f"{warm.cpu * 1000 / pages:.3f} ms")
        row(f"one page changed at {pages:,}, CPU", cost, f"{changed.cpu * 1000:.0f} ms")
        hugo = got.get(f"hugo cold {pages}")
        if hugo:
            row(f"cold, wall at {pages:,} against Hugo", "≥ 8 × faster", f"{hugo.wall / cold.wall:.1f} ×")
    few, many = (got.get(f"labdoc cold {pages}") for pages in (min(args.pages), max(args.pages)))
    if few and many and min(args.pages) != max(args.pages):
        ratio = many.cpu / max(args.pages) / (few.cpu / min(args.pages))
        row(f"CPU a page at {max(args.pages):,} over that at {min(args.pages):,}", "≤ 1.1", f"{ratio:.2f}")
    for pages in (1000, 5000):
        if pages in args.pages:
            times = save_to_reload(base / str(pages), CHANGED)
            row(f"`serve`, save to reload at {pages:,}", "≤ 100 ms", f"median {times[len(times) // 2] * 1000:.0f} ms of {len(times)}")
    drawn, cached = diagram_cost(base, args.rounds)
    row("a diagram, CPU", "≤ 8 ms, cached 0", f"{drawn:.1f} ms, cached {cached:.2f} ms")
    return rows


def main() -> None:
    """Prints the results, and writes them where that was asked for."""
    sizes = lambda text: [int(size) for size in text.split(",") if size]
    parser = argparse.ArgumentParser(description="bench of labdoc build")
    parser.add_argument("--pages", type=sizes, default=[1000, 5000, 20000])
    parser.add_argument("--peer-pages", type=sizes, default=[1000, 5000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=900, help="seconds that one build may take")
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    if not (DATA / "gen.py").is_file():
        raise SystemExit(f"no corpus generator in {DATA}; BENCH_DATA names its folder")
    with tempfile.TemporaryDirectory(prefix="labdoc-bench-") as name:
        text = report(args, Path(name))
    sys.stdout.write(text)
    if args.write:
        args.write.write_text(text)


if __name__ == "__main__":
    main()
