"""The JSON schemas of labdoc against files; run by tools/check-schemas.

usage: check-schemas.py LABDOC
"""
import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and older
    tomllib = None

ROOT = pathlib.Path(".")
PLACES = ["content", "evidence", "tests/sites"]


class Plain(yaml.SafeLoader):
    """YAML as labdoc reads it: a date is a text."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(text, toml=False):
    """The value of a YAML or TOML text."""
    return tomllib.loads(text) if toml else yaml.load(text, Plain)


def header(text):
    """The value of a page's header; None where it has none."""
    first = text.lstrip("\ufeff").split("\n", 1)[0].rstrip()
    if first not in ("---", "+++"):
        return None
    body = text.lstrip("\ufeff").split("\n", 1)[1]
    return read(body.split(f"\n{first}", 1)[0] + "\n", first == "+++") or {}


# What is wrong in each is what stands in it; each must be refused.
WRONG = {
    "book": [{}, {"book": {}}, {"book": {"title": 1}}, {"book": {"title": "x", "langauge": "en"}},
             {"book": {"title": "x"}, "evidence": {"default": "loud"}}],
    "page": [{"titel": "x"}, {"weight": "1"}, {"verify": {"timout": "3s"}}, {"environment": {"kubernetes": 1.3}},
             {"kind": "essay"}],
    "claims": [{"K1": {"grade": "measured"}}, {"C1": {}}, {"C1": {"grade": "felt"}},
               {"C1": {"grade": "measured", "expects": []}}],
    "manifest": [{}, {"schema": "labdoc.bundle/1"}, {"schema": "labdoc.bundle/1", "id": "T1", "environment": {"a": 1}}],
}


def main(labdoc):
    """Checks everything; the number of faults."""
    faults = []
    for name, wrong in WRONG.items():
        text = subprocess.run([labdoc, "schema", name], check=True, capture_output=True, text=True).stdout
        schema = json.loads(text)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        files = list(inputs(name))
        for path, value in files:
            faults += [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        faults += [f"{name}: {value} is taken" for value in wrong if validator.is_valid(value)]
        if not files:
            faults.append(f"{name}: no file to hold against the schema")
        print(f"{name}: {len(files)} files hold, {len(wrong)} faults are found")
    print("\n".join(faults))
    return len(faults)


def inputs(name):
    """The files of the repository that a schema is for, with their values."""
    def below(pattern):
        return sorted(path for place in PLACES for path in ROOT.joinpath(place).rglob(pattern))
    if name == "book" and tomllib:
        for path in [ROOT / "book.toml", *below("book.toml")]:
            yield path, read(path.read_text("utf-8"), True)
    elif name == "page":
        for path in below("*.md"):
            value = header(path.read_text("utf-8")) if "content" in path.parts else None
            if value is not None:
                yield path, value
    elif name == "claims":
        for path in below("claims.yaml"):
            yield path, read(path.read_text("utf-8"))
    elif name == "manifest":
        for path in below("manifest.yaml"):
            yield path, read(path.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
