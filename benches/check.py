#!/usr/bin/env python3
"""Measures `labdoc check` on a site with 1,000 claims and 200 bundles of 5 runs each.

    cargo build --release && benches/check.py [RUNS]

200 pages with 5 claims each are recorded by labdoc; four more runs of each bundle are that run at
later times, each with a digest of its own. The goal is 1 second of CPU. Nothing is asserted:
machines and their load differ.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import LABDOC, Job, measure, median

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
PAGES, CLAIMS, RECORDED, LINES = 200, 5, 5, 120


def page(number: int) -> str:
    """A page with claims about what its one block prints."""
    claims = "\n".join(
        f"[Value {chr(97 + at)} is [{at}]{{=run.v{at}}} here.]{{#C{number * CLAIMS + at}}}\n"
        for at in range(CLAIMS)
    )
    captures = "\n".join(f"    run.v{at}: 'v{at} is (\\d+)'" for at in range(CLAIMS))
    printed = "\n".join(
        [f"v{at} is {at}" for at in range(CLAIMS)] + [f"line {at}" for at in range(LINES)]
    )
    return (
        f"---\ntitle: Page {number}\nkit: probe\nverify:\n  bundle: T{number + 1}\n"
        f"  capture:\n{captures}\n---\n\n# Page {number}\n\n{claims}\n"
        f"```sh {{#run}}\nsh run.sh\n```\n\n```output {{for=run}}\n{printed}\n```\n"
    )


def entries(number: int) -> str:
    """The claims of a page in its folder's `claims.yaml`."""
    return "".join(
        f"C{number * CLAIMS + at}:\n  grade: measured\n  evidence: [T{number + 1}#run]\n"
        f'  expect: ["run.v{at} == {at}"]\n'
        for at in range(CLAIMS)
    )


def make(root: Path) -> None:
    """Writes the site."""
    (root / "content").mkdir(parents=True)
    (root / "labkit/probe").mkdir(parents=True)
    (root / "book.toml").write_text('[book]\ntitle = "Bench"\nlanguage = "en"\n')
    (root / "content/index.md").write_text("# Start\n")
    script = "#!/bin/sh\n" + "".join(f"echo v{at} is {at}\n" for at in range(CLAIMS))
    script += f"seq 0 {LINES - 1} | sed 's/^/line /'\n"
    (root / "labkit/probe/run.sh").write_text(script)
    for number in range(PAGES):
        (root / f"content/p{number:03}.md").write_text(page(number))
    (root / "content/claims.yaml").write_text("".join(map(entries, range(PAGES))))


def run_again(run: Path, hour: int) -> None:
    """Writes the run of a folder beside it, as it would have been in another hour."""
    run_id = f"20300101T{hour:02}0000Z-{run.name[-6:]}"
    other = run.with_name(run_id)
    shutil.copytree(run, other)
    text = (run / "verdict.json").read_text()
    verdict = json.loads(text)
    for key, minute in (("started_at", 0), ("finished_at", 1)):
        text = text.replace(verdict[key], f"2030-01-01T{hour:02}:{minute:02}:00Z")
    covered = text.replace(run.name, run_id).rpartition(',"digest":"')[0]
    digest = hashlib.sha256(covered.encode()).hexdigest()
    (other / "verdict.json").write_text(f'{covered},"digest":"sha256:{digest}"}}\n')


def main() -> None:
    """Makes the site, records it, checks it again and again."""
    with tempfile.TemporaryDirectory(prefix="labdoc-bench-") as folder:
        root = Path(folder)
        make(root)
        record = [LABDOC, "verify", "--record", "--quiet"]
        subprocess.run(record, cwd=root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for run in list(root.glob("evidence/T*/*")):
            for hour in range(1, RECORDED):
                run_again(run, hour)
        runs = sum(1 for _ in root.glob("evidence/T*/*/verdict.json"))
        print(f"{PAGES * CLAIMS} claims, {PAGES} bundles, {runs} runs")
        check = Job("check", [LABDOC, "check", "--release"], root)
        got = median([measure(check) for _ in range(RUNS)])
        print(f"check: CPU {got.cpu:.2f} s, wall {got.wall:.2f} s, peak {got.memory / 1024:.0f} MiB (median of {RUNS})")


if __name__ == "__main__":
    main()
