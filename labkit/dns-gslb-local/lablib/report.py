"""What scenes print and how they are judged."""
from . import envoy, lifecycle
from .world import BACKENDS, TTL, LabError, wait_until

A, B = BACKENDS["a"], BACKENDS["b"]
POOL = ["membership_change", "upstream_cx_total", "upstream_cx_active", "upstream_cx_destroy",
        "upstream_cx_destroy_local", "upstream_cx_destroy_remote",
        "upstream_cx_destroy_with_active_rq"]
CHURN = ["membership_total", "upstream_rq_total", "upstream_cx_connect_fail", "upstream_rq_retry"]
# The same for TLS passthrough: which side closes first is a race there.
RELAY = ["membership_change", "upstream_cx_total", "upstream_cx_active", "upstream_cx_destroy",
         "upstream_cx_destroy_with_active_rq"]
EJECT = ["upstream_cx_connect_fail", "upstream_rq_retry", "outlier_detection.ejections_enforced_total"]


class Judge:
    """Counts assertions and says which one does not hold."""

    def __init__(self):
        self.count, self.failures = 0, []

    def equal(self, what, expected, got):
        self.holds(what, str(expected), got, expected == got)

    def holds(self, what, expected, got, good):
        self.count += 1
        if not good:
            self.failures.append("FAIL %s: expected %s, got %s" % (what, expected, got))

    def deltas(self, before, after, **expected):
        for name, delta in expected.items():
            self.equal(name, delta, after.get(name, 0) - before.get(name, 0))


def fact(text, *values):
    print(text % values, flush=True)


def table(before, after, names):
    for name in names:
        old, new = before.get(name, 0), after.get(name, 0)
        fact("%-36s %d -> %d = %d", name, old, new, new - old)


def seen(label, answers):
    """What DNS says, what Envoy's list says, and who really answers."""
    fact("%-7s dig %s  /clusters %s  answers %s", label, " ".join(lifecycle.dig()),
         " ".join(envoy.hosts()), envoy.backends_of(answers))


def totals(load):
    ok = envoy.statuses_of(load.answers)[200]
    fact("requests %d", len(load.answers))
    fact("status_200 %d", ok)
    fact("status_other %d", len(load.answers) - ok)
    return len(load.answers) - ok


def first_from(backend, answers, since):
    """Seconds until the first answer from a backend, or None."""
    times = [answer.at - since for answer in answers if answer.backend == backend]
    return times[0] if times else None


def wait_for_list(address):
    """/clusters shows the new address: Envoy has read the new DNS answer."""
    if not wait_until(lambda: envoy.hosts() == [address], TTL + 4, 0.05):
        raise LabError("Envoy did not read the new DNS answer within %d s" % (TTL + 4))
