"""A response that runs while DNS moves the name: started, looked at in the middle, judged."""
import subprocess
import time

from . import envoy, lifecycle, passthrough
from .report import B, POOL, RELAY, fact, table, wait_for_list
from .world import path, read, wait_until


def over_flip(relayed=False):
    """A 4 s response, the flip 0.5 s after its start. Snapshots before, in the middle, after."""
    client = passthrough if relayed else envoy
    before = envoy.stats()
    body = path("stream.out")
    begin = time.monotonic()
    curl = subprocess.Popen(client.stream_command(body), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE)
    try:
        time.sleep(0.5)
        lifecycle.set_address("b")
        wait_for_list(B)
        time.sleep(max(0.0, begin + 2.3 - time.monotonic()))
        middle, shown, running = envoy.stats(), envoy.hosts(), curl.poll() is None
        status, size = curl.communicate()[0].decode().split()
    finally:
        if curl.poll() is None:
            curl.kill()
            curl.wait()
    wait_until(lambda: envoy.stats()["upstream_cx_destroy"], 0.6)
    after = envoy.stats()
    sender = read(body).partition("\n")[0]
    fact("middle  dig %s  /clusters %s  upstream_cx_active %d", " ".join(lifecycle.dig()),
         " ".join(shown), middle["upstream_cx_active"])
    fact("stream  status %s  bytes %s  from %s", status, size, sender)
    following = envoy.backends_of(client.single_requests(1))
    fact("next request %s", following)
    table(before, after, RELAY if relayed else POOL)
    return before, middle, after, running, (status, size, sender), following


def judge(judge, seen_stream, deltas, next_backend):
    before, middle, after, running, stream, following = seen_stream
    judge.equal("stream still running in the middle", True, running)
    judge.equal("connection in the middle", 1, middle["upstream_cx_active"])
    judge.equal("stream", ("200", str(lifecycle.STREAM_SECONDS * 10240), "backend-a"), stream)
    judge.deltas(before, after, **deltas)
    judge.equal("next request", next_backend, following)
