"""The CI files of labkit/ci-files, run as far as that goes without a forge; run by tools/check-ci.

usage: check-ci.py ENVIRONMENT LABDOC
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import junitparser
import yaml

FILES = pathlib.Path("labkit/ci-files").resolve()
GOOD = "# A\n\n```sh {#a}\necho 1\n```\n\n```output {for=a}\n1\n```\n"
BAD = GOOD.replace("\n1\n", "\n2\n")


class Try:
    """A small site in a repository of its own, with labdoc first in its PATH."""

    def __init__(self, environment, labdoc, page):
        self.folder = tempfile.TemporaryDirectory(prefix="labdoc-ci-")
        base = pathlib.Path(self.folder.name)
        self.site, tools = base / "site", base / "bin"
        (self.site / "content").mkdir(parents=True)
        tools.mkdir()
        (self.site / "book.toml").write_text('[book]\ntitle = "x"\nlanguage = "en"\n')
        (self.site / "content/a.md").write_text(page)
        (self.site / "content/index.md").write_text("# Home\n")
        (tools / "labdoc").symlink_to(labdoc)
        # What is tried is installed; nothing is compiled a second time.
        (tools / "cargo").write_text("#!/bin/sh\n[ \"$1\" = install ]\n")
        (tools / "cargo").chmod(0o755)
        bins = [str(tools), f"{environment}/node", f"{environment}/bin", f"{environment}/node_modules/.bin", os.environ["PATH"]]
        self.env = {
            "PATH": ":".join(bins), "HOME": str(base), "LANG": "C.UTF-8", "LABDOC_GIT": "x", "LABDOC_TAG": "x",
            "GIT_CONFIG_NOSYSTEM": "1", "PRE_COMMIT_HOME": str(base / "pre-commit"),
        }
        self.run("git init -q && git config user.name n && git config user.email e@docs.example")

    def put(self, name, to):
        """Puts one of the files where its forge wants it."""
        path = self.site / to
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(FILES / name, path)
        self.run("git add -A && git commit -qm x --no-verify")

    def run(self, line):
        """Runs a line of bash as the runners do; its exit code and what it prints."""
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=self.site, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout


FAULTS = []


def expect(holds, what, said=""):
    """Notes what does not hold."""
    print(f"{'ok' if holds else 'FAILED'}    {what}")
    if not holds:
        FAULTS.append(f"{what}\n{said[-3000:]}")


def junit(site, failures):
    """The report as another program reads it."""
    report = junitparser.JUnitXml.fromfile(str(site / "verify.xml"))
    suites = list(report)
    cases = [case for suite in suites for case in suite]
    bad = [case for case in cases if any(isinstance(r, junitparser.Failure) for r in case.result)]
    counted = sum(suite.failures for suite in suites)
    expect((len(cases), len(bad), counted) == (1, failures, failures),
           f"junitparser reads verify.xml: {len(cases)} case, {len(bad)} failures")


def github(tried, code):
    """The steps of the workflow in their order; those of actions are the forge's own."""
    tried.put("github.yml", ".github/workflows/docs.yml")
    steps = yaml.safe_load((FILES / "github.yml").read_text())["jobs"]["docs"]["steps"]
    ended, said = 0, ""
    for step in [step for step in steps if "run" in step]:
        line = step["run"].replace("${{ matrix.shard }}", "1")
        expect("${{" not in line, f"GitHub: {step['name']} holds no expression that is left")
        ended, part = tried.run(line)
        said += part
        if ended:
            break
    expect(ended == code, f"GitHub: the commands end with {code}", said)
    annotations = re.findall(r"^::error file=content/a\.md,line=\d+,col=\d+,title=labdoc [A-Z]+\d+::.+$", said, re.M)
    expect(len(annotations) == code, f"GitHub: {code} annotations in the documented form", said)
    junit(tried.site, code)


def gitlab(tried, code):
    """The pipeline by gitlab-ci-local, jobs as shells of this machine."""
    tried.put("gitlab.yml", ".gitlab-ci.yml")
    ended, said = tried.run("gitlab-ci-local --force-shell-executor --no-color docs")
    expect((ended != 0) == (code != 0), f"GitLab: the job docs ends {'badly' if code else 'well'}", said)
    if code == 0:
        ended, said = tried.run("gitlab-ci-local --force-shell-executor --no-color pages")
        expect(ended == 0, "GitLab: the job pages ends well", said)


def hooks(tried, code):
    """The hooks by pre-commit."""
    tried.put("pre-commit-config.yaml", ".pre-commit-config.yaml")
    ended, said = tried.run("pre-commit run --all-files")
    expect(ended == 0 and "Passed" in said, "pre-commit: the findings pass", said)
    ended, said = tried.run("pre-commit run --all-files --hook-stage pre-push")
    expect(ended == code, f"pre-commit: before a push it ends with {code}", said)


def main(environment, labdoc):
    """Tries everything; the number of faults."""
    for name, schema in [("github.yml", "vendor.github-workflows"), ("gitlab.yml", "vendor.gitlab-ci")]:
        done = subprocess.run([f"{environment}/bin/check-jsonschema", "--builtin-schema", schema, str(FILES / name)],
                              check=False, capture_output=True, text=True)
        expect(done.returncode == 0, f"{name} holds against {schema}", done.stdout + done.stderr)
    for page, code in [(GOOD, 0), (BAD, 1)]:
        for attempt in [github, gitlab, hooks]:
            attempt(Try(environment, labdoc, page), code)
    print("\n".join(FAULTS))
    return len(FAULTS)


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1], sys.argv[2]) else 0)
