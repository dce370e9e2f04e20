"""The scenes: what is done, what is printed, what must hold."""
import os
import sys

from . import envoy, lifecycle, preflight, stream
from . import scenes_dead as dead
from . import scenes_l4 as l4
from .report import B, CHURN, POOL, Judge, fact, first_from, seen, table, totals, wait_for_list
from .world import TTL, LabError, envoy_binary, load, undisturbed, wait_until


# --- scenes -------------------------------------------------------------------

def mode1_strict(judge):
    """flip under keepalive load, STRICT_DNS: the pool is drained, B answers"""
    load = envoy.Keepalive()
    load.warm()
    load.rounds(5)
    seen("before", load.answers)
    before = envoy.stats()
    flip = lifecycle.set_address("b")
    moved = load.rounds(25)
    after = envoy.stats()
    seen("after", moved[-10:])
    bad = totals(load)
    switch = first_from("backend-b", moved, flip)
    fact("switch_s %s", "none" if switch is None else "%.2f" % switch)
    table(before, after, POOL)
    judge.equal("connections before the flip", 2, before["upstream_cx_total"])
    judge.deltas(before, after, membership_change=1, upstream_cx_total=2, upstream_cx_destroy=2,
                 upstream_cx_destroy_local=2, upstream_cx_destroy_remote=0,
                 upstream_cx_destroy_with_active_rq=0)
    judge.equal("answers other than 200", 0, bad)
    judge.equal("last answers", "backend-b", envoy.backends_of(moved[-10:]))
    load.close()


def mode1_logical(judge):
    """flip under keepalive load, LOGICAL_DNS: nothing happens, A answers for good"""
    load = envoy.Keepalive()
    load.warm()
    load.rounds(5)
    seen("before", load.answers)
    before = envoy.stats()
    lifecycle.set_address("b")
    moved = load.rounds(15)
    wait_for_list(B)
    moved += load.rounds(10)
    after = envoy.stats()
    seen("after", moved)
    bad = totals(load)
    table(before, after, POOL)
    judge.equal("connections before the flip", 2, before["upstream_cx_total"])
    judge.equal("dig after the flip", [B], lifecycle.dig())
    judge.equal("/clusters after the flip", [B], envoy.hosts())
    judge.equal("answers after the flip", "backend-a", envoy.backends_of(moved))
    judge.deltas(before, after, membership_change=0, upstream_cx_total=0, upstream_cx_destroy=0,
                 upstream_cx_destroy_local=0, upstream_cx_destroy_remote=0,
                 upstream_cx_destroy_with_active_rq=0)
    judge.equal("answers other than 200", 0, bad)
    load.close()


def mode3_logical(judge):
    """flip, then kill A, LOGICAL_DNS: pinned to A until A dies"""
    load = envoy.Keepalive()
    load.warm()
    load.rounds(5)
    seen("before", load.answers)
    before = envoy.stats()
    lifecycle.set_address("b")
    pinned = load.rounds(12)
    wait_for_list(B)
    pinned += load.rounds(5)
    seen("flipped", pinned)
    kill = lifecycle.kill_backend("a")
    moved = load.rounds(10)
    after = envoy.stats()
    seen("killed", moved)
    bad = totals(load)
    switch = first_from("backend-b", moved, kill)
    fact("kill_to_b_s %s", "none" if switch is None else "%.2f" % switch)
    table(before, after, POOL)
    judge.equal("connections before the flip", 2, before["upstream_cx_total"])
    judge.equal("answers between flip and kill", "backend-a", envoy.backends_of(pinned))
    judge.equal("answers after the kill", "backend-b", envoy.backends_of(moved))
    judge.holds("seconds from kill to B", "at most 1", switch, switch is not None and switch <= 1)
    judge.deltas(before, after, membership_change=0, upstream_cx_total=2, upstream_cx_destroy=2,
                 upstream_cx_destroy_local=0, upstream_cx_destroy_remote=2,
                 upstream_cx_destroy_with_active_rq=0)
    judge.equal("answers other than 200", 0, bad)
    load.close()


def dead_address(requests=60):
    """A and B in DNS, A refuses connections, a new connection for each request."""
    lifecycle.kill_backend("a")
    before = envoy.stats()
    answers = envoy.single_requests(requests)
    after = envoy.stats()
    seen("during", [answer for answer in answers if answer.status == 200])
    status = envoy.statuses_of(answers)
    fact("requests %d", requests)
    fact("status_200 %d", status[200])
    fact("status_503 %d", status[503])
    fact("failed_percent %.1f", 100 * (requests - status[200]) / requests)
    table(before, after, CHURN)
    return before, after, status


def noretry_503(judge, requests=60):
    """A+B in DNS, A refuses, no retry policy: about half of the requests fail"""
    before, after, status = dead_address(requests)
    fails = after["upstream_cx_connect_fail"] - before["upstream_cx_connect_fail"]
    share = 100 * status[503] / requests
    judge.equal("statuses 200 and 503 only", requests, status[200] + status[503])
    judge.holds("failed percent", "30 to 75", "%.1f" % share, 30 <= share <= 75)
    judge.equal("connect failures, one for each 503", status[503], fails)
    judge.deltas(before, after, membership_total=0, upstream_rq_retry=0)


def retry_503(judge, requests=60):
    """the same with Istio's default retry policy: each failed connect is tried again on B"""
    before, after, status = dead_address(requests)
    fails = after["upstream_cx_connect_fail"] - before["upstream_cx_connect_fail"]
    retries = after["upstream_rq_retry"] - before["upstream_rq_retry"]
    judge.equal("statuses 200 and 503 only", requests, status[200] + status[503])
    fact("fails_minus_retries %d", fails - retries)
    # A retry picks a host up to 5 times; very rarely each pick is A again, twice over.
    judge.holds("status 503", "at most 1", status[503], status[503] <= 1)
    judge.holds("connect failures", "more than 5", fails, fails > 5)
    judge.equal("retries, one for each failed connect", fails - status[503], retries)
    judge.deltas(before, after, membership_total=0)


def inflight_strict(judge):
    """flip during a 4 s response, STRICT_DNS: it completes, then its connection is closed"""
    stream.judge(judge, stream.over_flip(),
                 dict(membership_change=1, upstream_cx_destroy_local=1, upstream_cx_destroy_remote=0,
                      upstream_cx_destroy_with_active_rq=0), "backend-b")


def inflight_logical(judge):
    """flip during a 4 s response, LOGICAL_DNS: it completes, and its connection is kept"""
    stream.judge(judge, stream.over_flip(),
                 dict(membership_change=0, upstream_cx_destroy_local=0, upstream_cx_destroy_remote=0,
                      upstream_cx_destroy_with_active_rq=0), "backend-a")


# name: what to run, configuration, type of DNS cluster, addresses in DNS at the start
SCENES = {
    "mode1-strict": (mode1_strict, "envoy-strict.yaml", "STRICT_DNS", "a"),
    "mode1-logical": (mode1_logical, "envoy-logical.yaml", "LOGICAL_DNS", "a"),
    "mode3-logical": (mode3_logical, "envoy-logical.yaml", "LOGICAL_DNS", "a"),
    "noretry-503": (noretry_503, "envoy-noretry.yaml", "STRICT_DNS", "ab"),
    "retry-503": (retry_503, "envoy-retry.yaml", "STRICT_DNS", "ab"),
    "inflight-strict": (inflight_strict, "envoy-strict.yaml", "STRICT_DNS", "a"),
    "inflight-logical": (inflight_logical, "envoy-logical.yaml", "LOGICAL_DNS", "a"),
    "inflight-strict-l4": (l4.inflight_strict_l4, "envoy-l4-strict.yaml", "STRICT_DNS", "a"),
    "inflight-logical-l4": (l4.inflight_logical_l4, "envoy-l4-logical.yaml", "LOGICAL_DNS", "a"),
    "tax": (dead.tax, "envoy-tax.yaml", "STRICT_DNS", "ab"),
    "outlier": (dead.outlier, "envoy-outlier.yaml", "STRICT_DNS", "ab"),
    "outlier-retry": (dead.outlier_retry, "envoy-outlier-retry.yaml", "STRICT_DNS", "ab"),
    "dead-l4": (l4.dead_l4, "envoy-l4-strict.yaml", "STRICT_DNS", "ab"),
    "outlier-l4": (l4.outlier_l4, "envoy-l4-outlier.yaml", "STRICT_DNS", "ab"),
    "single-outlier-l4": (l4.single_outlier_l4, "envoy-l4-outlier.yaml", "STRICT_DNS", "a"),
    "hang-l4": (l4.hang_l4, "envoy-l4-outlier.yaml", "STRICT_DNS", "ab"),
    "multi-a-strict": (dead.multi_a_strict, "envoy-noretry.yaml", "STRICT_DNS", "ab"),
    "multi-a-logical": (dead.multi_a_logical, "envoy-logical-noretry.yaml", "LOGICAL_DNS", "ab"),
    "multi-a-dead": (dead.multi_a_dead, "envoy-logical-noretry.yaml", "LOGICAL_DNS", "ab"),
    "pin-strict-l4": (l4.pin_strict_l4, "envoy-l4-strict.yaml", "STRICT_DNS", "a"),
    "pin-logical-l4": (l4.pin_logical_l4, "envoy-l4-logical.yaml", "LOGICAL_DNS", "a"),
    "idle-unpin": (dead.idle_unpin, "envoy-logical.yaml", "LOGICAL_DNS", "a"),
    "failover-l4": (l4.failover_l4, "envoy-l4-strict.yaml", "STRICT_DNS", "a"),
}


def show():
    for name, (action, _, _, _) in SCENES.items():
        print("%-19s %s" % (name, action.__doc__))
    return 0


def run(name, kit):
    if name not in SCENES:
        raise LabError("no scene %s; the scenes are: %s" % (name, " ".join(SCENES)))
    if not lifecycle.is_up(lifecycle.LASTING):
        raise LabError("the lab is not up; start it: ./lab up")
    if not envoy_binary():
        raise LabError("no Envoy: " + preflight.ENVOY_FIX)
    if lifecycle.my_namespace() != load()["namespace"]:
        command = lifecycle.enter_namespace(kit, "scene", name)
        sys.stdout.flush()
        os.execvp(command[0], command)
    guard = lifecycle.lock()
    try:
        return play(name, kit)
    finally:
        guard.close()


def play(name, kit):
    action, config, kind, addresses = SCENES[name]
    judge = Judge()
    lifecycle.restore()                          # an earlier scene may have been killed
    try:
        lifecycle.set_address(*addresses)
        if not wait_until(lambda: len(lifecycle.dig()) == len(addresses), 5):
            raise LabError("DNS does not give %d addresses" % len(addresses))
        envoy.start(os.path.join(kit, "configs", config), 1 if kind == "LOGICAL_DNS" else len(addresses))
        version = envoy.version()
        fact("== scene %s (envoy %s, %s, TTL %ds)", name, version, kind, TTL)
        action(judge)
    finally:
        with undisturbed():
            lifecycle.restore()
    for failure in judge.failures:
        fact("%s", failure)
    if judge.failures and kind == "LOGICAL_DNS" and not preflight.pins(version):
        fact("note: from Envoy 1.39 on, LOGICAL_DNS drains like STRICT_DNS; this scene is about 1.38 and older")
    if judge.failures:
        fact("result: failed (%d of %d assertions)", len(judge.failures), judge.count)
        return 1
    fact("result: ok (%d assertions)", judge.count)
    return 0
