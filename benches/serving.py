"""How long `labdoc serve` takes from a save to the word that the browser reloads at."""

import http.client
import re
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

from measuring import LABDOC

ROUNDS = 15
# Where the pages of the preview hear of new builds.
EVENTS = ".labdoc/events"


def save_to_reload(book: Path, page: str) -> list[float]:
    """Seconds from saves of a page to the event that tells of it, sorted."""
    server = subprocess.Popen(
        [LABDOC, "serve", "--port", "0"], cwd=book, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        for line in server.stdout:
            found = re.match(r"serving (http://\S+)", line)
            if found:
                break
        address = urlsplit(found.group(1))
        return sorted(saves(address, book / "content" / page))
    finally:
        server.terminate()
        server.wait(timeout=30)


def saves(address, page: Path) -> list[float]:
    """Saves a page again and again; each save waits for the word of the one before."""
    stream = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    stream.request("GET", f"{address.path}{EVENTS}")
    events = stream.getresponse()
    next_event(events)
    times = []
    for number in range(ROUNDS):
        text = page.read_text()
        begin = time.perf_counter()
        page.write_text(f"{text}\n{number}번째로 고친다.\n")
        next_event(events)
        times.append(time.perf_counter() - begin)
        # A save while the watch still settles would be measured with what came before it.
        time.sleep(0.2)
    stream.close()
    return times


def next_event(events) -> None:
    """Reads up to the next event."""
    while True:
        line = events.readline()
        if not line:
            raise SystemExit("serve ended")
        if line.startswith(b"data:"):
            return
