"""Scenes of TLS passthrough (L4): the client speaks TLS, Envoy relays bytes and has no route."""
import time

from . import envoy, lifecycle, passthrough, stream
from .passthrough import CUT, TIMED_OUT
from .report import B, EJECT, RELAY, fact, seen, table, wait_for_list
from .world import TTL


def inflight_strict_l4(judge):
    """flip during a 4 s response, STRICT_DNS, TLS passthrough: it completes"""
    stream.judge(judge, stream.over_flip(relayed=True),
                 dict(membership_change=1, upstream_cx_active=0, upstream_cx_destroy=1), "backend-b")


def inflight_logical_l4(judge):
    """flip during a 4 s response, LOGICAL_DNS, TLS passthrough: it completes"""
    stream.judge(judge, stream.over_flip(relayed=True),
                 dict(membership_change=0, upstream_cx_active=0, upstream_cx_destroy=1), "backend-b")


def pinned(judge):
    """Three requests on one connection of the client with a flip after the first, then a new one."""
    client = passthrough.Client()
    before = envoy.stats()
    opened = []

    def ask(label, who):
        answer = who.ask()
        opened.append(envoy.stats()["upstream_cx_total"])
        fact("%s  %s  status %s  upstream_cx_total %d", label, answer.backend, answer.status, opened[-1])
        return answer.backend
    backends = [ask("request 1", client)]
    lifecycle.set_address("b")
    wait_for_list(B)
    backends += [ask("request 2", client), ask("request 3", client)]
    client.close()
    other = passthrough.Client()
    backends.append(ask("request 4, new connection", other))
    other.close()
    judge.equal("connections before", 0, before["upstream_cx_total"])
    judge.equal("answers", ["backend-a"] * 3 + ["backend-b"], backends)
    judge.equal("connections opened", [1, 1, 1, 2], opened)


def pin_strict_l4(judge):
    """a connection that the client keeps, STRICT_DNS, TLS passthrough: it stays with A"""
    pinned(judge)


def pin_logical_l4(judge):
    """a connection that the client keeps, LOGICAL_DNS, TLS passthrough: it stays with A"""
    pinned(judge)


def lost(answers):
    """How many requests had no answer, by how they ended."""
    status = envoy.statuses_of(answers)
    fact("requests %d", len(answers))
    fact("answered %d", status[200])
    fact("cut %d", status[CUT])
    fact("timed_out %d", status[TIMED_OUT])
    return len(answers) - status[200]


def dead_l4(judge, requests=60):
    """A+B in DNS, A refuses, TLS passthrough: about half of the requests fail"""
    lifecycle.kill_backend("a")
    before = envoy.stats()
    answers = passthrough.single_requests(requests)
    after = envoy.stats()
    seen("during", [answer for answer in answers if answer.status == 200])
    failed = lost(answers)
    fact("failed_percent %.1f", 100 * failed / requests)
    table(before, after, EJECT)
    # Not quite a toss-up: a connection to B that is still closing makes A look less busy.
    judge.holds("failed percent", "25 to 85", "%.1f" % (100 * failed / requests),
                25 <= 100 * failed / requests <= 85)
    judge.deltas(before, after, upstream_cx_connect_fail=failed, upstream_rq_retry=0)


def outlier_l4(judge, requests=120):
    """the same with outlier detection: about 3 requests fail, then A is left out"""
    lifecycle.kill_backend("a")
    before = envoy.stats()
    answers = passthrough.single_requests(requests)
    after = envoy.stats()
    failed = lost(answers)
    late = [answer for answer in answers[requests // 2:] if answer.status != 200]
    fact("failed_in_second_half %d", len(late))
    table(before, after, EJECT)
    judge.holds("failed requests", "3 to 5", failed, 3 <= failed <= 5)
    judge.equal("failed in the second half", 0, len(late))
    judge.deltas(before, after, **{"outlier_detection.ejections_enforced_total": 1})


def single_outlier_l4(judge, requests=30):
    """only A in DNS and A refuses, outlier detection: nothing is ejected, nothing is saved"""
    lifecycle.kill_backend("a")
    before = envoy.stats()
    answers = passthrough.single_requests(requests)
    after = envoy.stats()
    failed = lost(answers)
    names = ["outlier_detection.ejections_%s" % name for name in
             ("detected_consecutive_local_origin_failure", "overflow", "enforced_total")]
    for name in names:
        fact("%s %d", name, after[name] - before[name])
    detected, overflow, _ = (after[name] - before[name] for name in names)
    judge.equal("failed requests", requests, failed)
    judge.holds("detections", "at least 3", detected, detected >= 3)
    judge.equal("detections that could not eject", detected, overflow)
    judge.deltas(before, after, **{names[2]: 0})


def hang_l4(judge, requests=24):
    """A accepts and never answers, outlier detection: clients time out, nothing is ejected"""
    lifecycle.hold_backend("a")
    try:
        before = envoy.stats()
        answers = passthrough.single_requests(requests, timeout=0.5)
        after = envoy.stats()
    finally:
        lifecycle.go_on("a")
    failed = lost(answers)
    table(before, after, EJECT)
    judge.holds("timed out", "at least 2", failed, failed >= 2)
    judge.equal("all of them by their time limit", failed, envoy.statuses_of(answers)[TIMED_OUT])
    judge.deltas(before, after, upstream_cx_connect_fail=0,
                 **{"outlier_detection.ejections_enforced_total": 0})


DETECTION = 1.5                                   # seconds until the GSLB notices
SLOT = 0.1                                        # a request each 0.1 s


def failover_l4(judge):
    """only A in DNS, A dies, the GSLB moves the name 1.5 s later: how long requests are lost"""
    before = envoy.stats()
    begin, killed, moved = time.monotonic(), None, False
    failures, late = [], []
    for slot in range(48):
        time.sleep(max(0.0, begin + slot * SLOT - time.monotonic()))
        now = time.monotonic()
        if killed is None and now - begin >= 0.5:
            killed = lifecycle.kill_backend("a")
            now = time.monotonic()
        if not moved and killed is not None and now - killed >= DETECTION:
            lifecycle.set_address("b")
            moved = True
        answer = passthrough.single_requests(1, timeout=2)[0]
        if answer.status != 200:
            failures.append(now - killed if killed else -1.0)
        elif killed is not None:
            late.append(answer)
    window = failures[-1] if failures else 0.0
    fact("detection_s %.1f", DETECTION)
    fact("ttl_s %d", TTL)
    fact("window_s %.2f", window)
    fact("failed %d", len(failures))
    fact("answers after it %s", envoy.backends_of(late))
    table(before, envoy.stats(), RELAY[:1])
    judge.holds("window", "detection to detection + TTL", "%.2f" % window,
                DETECTION - SLOT <= window <= DETECTION + TTL + 0.3)
    judge.holds("failed requests", "at least 10", len(failures), len(failures) >= 10)
    judge.equal("failures before the death", [], [at for at in failures if at < 0])
    judge.equal("answers after it", "backend-b", envoy.backends_of(late))
