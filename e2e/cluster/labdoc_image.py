#!/usr/bin/env python3
"""Build the image that pods of `labdoc cluster-run` are of, as a docker archive.

usage: labdoc_image.py LABDOC KUBECTL NAME FOLDER

It holds this labdoc without its debug information, bash, kubectl, and busybox
for everything else that the tests' pages call.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from images import Layer, write_image  # noqa: E402  # no folder of compiled files beside it


def main(labdoc, kubectl, name, folder):
    layer = Layer()
    layer.program("/bin/bash")
    layer.busybox()
    layer.file(kubectl, "usr/local/bin/kubectl")
    with tempfile.TemporaryDirectory() as scratch:
        small = pathlib.Path(scratch) / "labdoc"
        subprocess.run(["strip", "-g", "-o", str(small), labdoc], check=True)
        layer.program(small, "usr/local/bin/labdoc")
    path = "PATH=/usr/local/bin:/usr/bin:/bin"
    write_image(folder, name, layer.finish(), {"Env": [path], "Entrypoint": ["labdoc"], "User": "65532:65532"})


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
