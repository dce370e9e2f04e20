"""Scenes of HTTP (L7) with a dead address or several addresses, and of a connection left alone."""
import statistics
import time

from . import envoy, lifecycle
from .report import A, B, EJECT, Judge, fact, seen, table
from .world import LabError, wait_until

SLOW = 0.2                                        # seconds; connect_timeout is 0.25 s


def timed_requests(count):
    """Sequential requests, a client connection for each: answers, and how long each took."""
    answers, seconds = [], []
    for _ in range(count):
        begin = time.monotonic()
        answers += envoy.single_requests(1)
        seconds.append(time.monotonic() - begin)
    return answers, seconds


def silent_address(requests):
    """A and B in DNS, nothing answers at A, a new connection for each request."""
    with lifecycle.blackhole("a"):
        before = envoy.stats()
        answers, seconds = timed_requests(requests)
        after = envoy.stats()
    status = envoy.statuses_of(answers)
    slow = [took for took in seconds if took >= SLOW]
    fact("requests %d", requests)
    fact("status_200 %d", status[200])
    fact("slow %d", len(slow))
    fact("slow_percent %.1f", 100 * len(slow) / requests)
    fact("median_of_slow_s %.2f", statistics.median(slow) if slow else 0.0)
    table(before, after, EJECT)
    return before, after, requests - status[200], slow


def tax(judge, requests=24):
    """A+B in DNS, A silent, Istio's default retry policy: no failure, but a connect_timeout more"""
    before, after, failed, slow = silent_address(requests)
    share = 100 * len(slow) / requests
    judge.holds("failed requests", "at most 1", failed, failed <= 1)
    judge.holds("slow percent", "25 to 75", "%.1f" % share, 25 <= share <= 75)
    median = statistics.median(slow) if slow else 0.0
    judge.holds("median of the slow", "0.25 to 0.45 s", "%.2f" % median, 0.25 <= median <= 0.45)
    fails = after["upstream_cx_connect_fail"] - before["upstream_cx_connect_fail"]
    judge.deltas(before, after, upstream_rq_retry=fails - failed,
                 **{"outlier_detection.ejections_enforced_total": 0})


def ejected(judge, requests):
    before, after, failed, slow = silent_address(requests)
    judge.equal("failed requests", 0, failed)
    judge.holds("slow requests", "1 to 4", len(slow), 1 <= len(slow) <= 4)
    fails = after["upstream_cx_connect_fail"] - before["upstream_cx_connect_fail"]
    judge.holds("failed connects", "3 to 5", fails, 3 <= fails <= 5)
    judge.deltas(before, after, upstream_rq_retry=fails,
                 **{"outlier_detection.ejections_enforced_total": 1})


def outlier(judge, requests=100):
    """the same with outlier detection: after 3 failed connects A is left out, the tax is gone"""
    ejected(judge, requests)


def outlier_retry(judge, requests=100):
    """the same with a retry policy of a VirtualService: no difference"""
    ejected(judge, requests)


def shares(answers):
    """How many answers came from A and from B."""
    of_a = sum(answer.backend == "backend-a" for answer in answers)
    of_b = sum(answer.backend == "backend-b" for answer in answers)
    fact("requests %d", len(answers))
    fact("status_200 %d", envoy.statuses_of(answers)[200])
    fact("from_a %d", of_a)
    fact("from_b %d", of_b)
    return of_a, of_b


def multi_a_strict(judge, requests=20):
    """A+B in DNS, both alive, STRICT_DNS: both are used"""
    answers = envoy.single_requests(requests)
    seen("during", answers)
    of_a, of_b = shares(answers)
    judge.equal("hosts", [A, B], envoy.hosts())
    judge.equal("answers", requests, of_a + of_b)
    judge.holds("answers of the rarer", "at least 2", min(of_a, of_b), min(of_a, of_b) >= 2)


def multi_a_logical(judge, requests=20):
    """A+B in DNS, both alive, LOGICAL_DNS: only the first is used"""
    answers = envoy.single_requests(requests)
    seen("during", answers)
    judge.equal("answers of A and B", (requests, 0), shares(answers))
    judge.equal("hosts", [A], envoy.hosts())


def multi_a_dead(judge, requests=8):
    """A+B in DNS, A silent, LOGICAL_DNS: the next address of the answer, 0.3 s later"""
    with lifecycle.blackhole("a"):
        answers, seconds = timed_requests(requests)
        hosts = envoy.hosts()
    seen("during", answers)
    of_both = shares(answers)
    median = statistics.median(seconds)
    fact("median_s %.2f", median)
    judge.equal("answers of A and B", (0, requests), of_both)
    judge.equal("hosts", [A], hosts)
    judge.holds("median", "0.25 to 0.6 s", "%.2f" % median, 0.25 <= median <= 0.6)


def idle_unpin(judge: Judge):
    """LOGICAL_DNS, flip, then the pinned connection is left alone: A's idle limit ends the pin"""
    lifecycle.kill_backend("a")
    lifecycle.start_backend("a", "nginx-a-idle.conf")
    try:
        pinned = envoy.single_requests(1)
        lifecycle.set_address("b")
        before = envoy.stats()
        deadline = time.monotonic() + 10
        while envoy.hosts() != [B]:               # asked often enough not to be idle meanwhile
            pinned += envoy.single_requests(1)
            if time.monotonic() > deadline:
                raise LabError("Envoy did not read the new DNS answer within 10 s")
            time.sleep(0.1)
        pinned += envoy.single_requests(1)
        seen("flipped", pinned)
        wait_until(lambda: envoy.stats()["upstream_cx_destroy_remote"], 5)
        after = envoy.stats()
        following = envoy.single_requests(1)
        seen("idle", following)
        table(before, after, ["upstream_cx_destroy_local", "upstream_cx_destroy_remote"])
        judge.equal("answers while pinned", "backend-a", envoy.backends_of(pinned))
        judge.deltas(before, after, upstream_cx_destroy_remote=1, upstream_cx_destroy_local=0)
        judge.equal("answer after the pause", "backend-b", envoy.backends_of(following))
    finally:
        lifecycle.kill_backend("a")               # `restore` starts it with its usual limit
