#!/usr/bin/env python3
"""Counts the instructions of a build of a small fixed site, and fails above the committed figure.

    make bench-check              compiles, counts, compares with benches/guard.json
    benches/guard.py [--write]    --write commits to the figure that is measured now

Instructions do not depend on who else is at work, so a slower labdoc is seen where a watch would
see noise. The figure is for one thread, without anything that an earlier build kept. It may be
raised only in a commit that says why.
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from measuring import LABDOC

FIGURE = Path(__file__).with_name("guard.json")
MARGIN = 1.10
PAGES = 40
CODE = {
    "yaml": "apiVersion: v{n}\nkind: Service\nmetadata:\n  name: web-{n}\n  labels: {{app: web, tier: \"{n}\"}}\nspec:\n  ports:\n    - port: {n}  # plain\n",
    "bash": "set -eu\nfor name in a b c{n}; do\n  kubectl -n \"$name\" get pods -o json | jq '.items[{n}]' # one\ndone\n",
    "json": "{{\"name\": \"x{n}\", \"list\": [1, {n}, true, null], \"deep\": {{\"a\": \"b\\n\"}}}}\n",
    "rust": "/// Adds.\nfn add_{n}(a: u32) -> Result<u32, String> {{\n    a.checked_add({n}).ok_or_else(|| format!(\"{{a}} is too large\"))\n}}\n",
    "console": "$ curl -sS http://127.0.0.1:{n}/\nok {n}\n",
}
WORDS = ("프록시", "연결", "전환", "주소", "cluster", "endpoint", "retry", "시간", "상태", "window")


def page(number: int) -> str:
    """A page: prose in two languages, a table, links and a block of each language."""
    parts = [f"---\ntitle: 문서 {number}\ntags: [tag-{number % 5}]\n---\n\n# 문서 {number}\n"]
    for at, (language, code) in enumerate(CODE.items()):
        words = [WORDS[(number * 7 + at * 3 + k) % len(WORDS)] for k in range(8)]
        sentence = f"**{words[0]}({number})**는 `{words[1]}`을 {at}번 바꾼다. The {words[4]} of {words[5]} is *{words[6]}*."
        parts.append(f"\n## {words[2]} {at}\n\n{(sentence + ' ') * 6}\n\n")
        parts.append(f"See [the next](p{(number + at + 1) % PAGES:02}.md).\n\n| a | b |\n|---|---|\n| {at} | {words[7]} |\n\n")
        parts.append(f"```{language}\n{code.format(n=number * 10 + at)}```\n")
    return "".join(parts)


def write_site(root: Path) -> None:
    """Writes the site."""
    (root / "content").mkdir()
    (root / "book.toml").write_text('[book]\ntitle = "Guard"\nlanguage = "ko"\n')
    for number in range(PAGES):
        (root / f"content/p{number:02}.md").write_text(page(number))


def count() -> int:
    """The instructions of one cold build."""
    with tempfile.TemporaryDirectory(prefix="labdoc-guard-") as name:
        root = Path(name)
        write_site(root)
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={root}/out", LABDOC, "--jobs", "1", "build", "--quiet"]
        ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        found = re.search(r"Collected : (\d+)", ended.stderr)
        if ended.returncode != 0 or not found:
            raise SystemExit(f"the build under valgrind ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
        return int(found.group(1))


def main() -> None:
    """Counts and compares, or writes the figure."""
    parser = argparse.ArgumentParser(description="guard of the instructions of a build")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not here; tools/dev-tools guard installs it")
    now = count()
    key = platform.machine()
    known = json.loads(FIGURE.read_text()) if FIGURE.is_file() else {}
    if args.write:
        known[key] = now
        FIGURE.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")
        print(f"guard: {now:,} instructions for {PAGES} pages on {key}, written")
        return
    if key not in known:
        raise SystemExit(f"guard: no figure for {key}; benches/guard.py --write makes one")
    share = now / known[key]
    print(f"guard: {now:,} instructions for {PAGES} pages, {share:.3f} of the committed {known[key]:,}")
    if share > MARGIN:
        raise SystemExit(f"guard: more than {MARGIN:.2f} of the committed figure; find out why before it is raised")


if __name__ == "__main__":
    main()
