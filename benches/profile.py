#!/usr/bin/env python3
"""Where a cold build of a corpus spends its instructions, by callgrind.

    make bench-profile            compiles with names of functions, counts, writes benches/PROFILE.md
    benches/profile.py [--pages N] [--write FILE]

LABDOC_BIN must hold the names of its functions. One thread, nothing kept from an earlier build. On
this kind of counter a processor has no SHA instructions, so that digests count more than they cost.
"""

import argparse
import datetime
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from build import corpus
from measuring import LABDOC

# What a function's name tells of whose work it does, the first that fits.
PARTS = [
    ("digests (software SHA-256 here)", r"sha2::|digest::"),
    ("highlighting: the grammars' expressions (Oniguruma)", r"^(onig_|match_at|forward_search|search_in|mbc_|is_mbc|left_adjust|code_to|get_case|str_lower|bitset|map_search|sunday)|onig::"),
    ("highlighting: syntect, labdoc's memory of lines", r"syntect|html::highlight|two_face"),
    ("templates", r"\btera::|serde_json|indexmap"),
    ("search index", r"site::search|zlib_rs|flate2|base64"),
    ("reading pages: Markdown and headers", r"pulldown_cmark|labdoc::book|labdoc::fence|saphyr|granit|unicode_normalization|toml"),
    ("a page's body as HTML", r"labdoc::html|pulldown_latex|merman|usvg|resvg"),
    ("checking the site: links, anchors, what works from a disk", r"labdoc::check|html5gum|labdoc::address|regex"),
    ("files: staging, stamps, records", r"labdoc::(disk|store|site::output|commands|git|kit|evidence)|std::fs|rustix|gix|tempfile|walkdir|ignore"),
    ("memory: allocation", r"malloc|^_?mi_|^free$|realloc|_int_|unlink_chunk|calloc|finish_grow|raw_vec|drop_in_place"),
    ("memory: copying and comparing", r"mem(cpy|move|cmp|set|chr)|strlen"),
    ("pages and lists of the site", r"labdoc::site"),
    ("other", r""),
]


def part_of(function: str) -> str:
    """The part that a function belongs to."""
    return next(part for part, pattern in PARTS if re.search(pattern, function))


def profile(pages: int) -> tuple[int, Counter, Counter]:
    """All instructions of a cold build, by part and by function."""
    with tempfile.TemporaryDirectory(prefix="labdoc-profile-") as name:
        site, out = Path(name) / "site", Path(name) / "out"
        corpus("labdoc", pages, site)
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", LABDOC, "--jobs", "1", "build", "--quiet"]
        ended = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise SystemExit(f"the build under valgrind ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
        listing = subprocess.run(["callgrind_annotate", "--threshold=100", out], capture_output=True, text=True, check=True).stdout
    parts, functions = Counter(), Counter()
    for line in listing.splitlines():
        found = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+[^:]*:(.+?)(?:'\d+)?(?: \[[^\]]*\])?$", line)
        if found and "PROGRAM TOTALS" not in line:
            count, function = int(found.group(1).replace(",", "")), found.group(2)
            parts[part_of(function)] += count
            functions[function] += count
    return sum(parts.values()), parts, functions


def main() -> None:
    """Counts, and prints or writes the table."""
    parser = argparse.ArgumentParser(description="profile of a build")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not here; tools/dev-tools guard installs it")
    total, parts, functions = profile(args.pages)
    if not any("labdoc::" in function for function in functions):
        raise SystemExit(f"{LABDOC} holds no names of functions; cargo build --profile profiling makes one that does")
    lines = [
        "# Where `labdoc build` spends its instructions",
        "",
        f"Written by `benches/profile.py` on {datetime.date.today()}: a cold build of {args.pages:,} pages on one thread under callgrind, "
        f"{total / args.pages / 1e6:.1f} million instructions a page. Each function's own, without what it calls. "
        "callgrind's processor has no SHA instructions; a real one takes a tenth of that line.",
        "",
        "| part | million a page | share |",
        "|---|---:|---:|",
    ]
    lines += [f"| {part} | {count / args.pages / 1e6:.2f} | {count / total:.1%} |" for part, count in parts.most_common()]
    lines += ["", "The functions that take most:", "", "| function | share |", "|---|---:|"]
    lines += [f"| `{function[:100]}` | {count / total:.1%} |" for function, count in functions.most_common(25)]
    text = "\n".join(lines) + "\n"
    print(text)
    if args.write:
        args.write.write_text(text)


if __name__ == "__main__":
    main()
