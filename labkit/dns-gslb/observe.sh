#!/usr/bin/env bash
# What the scenes see and how they judge it: the sidecar's hosts and counters, loads, the report.
# Read by lib.sh, not run.

# ---- looking into a sidecar -------------------------------------------------------------------------

# sidecar DEPLOYMENT PATH: Envoy's admin interface of a client. The agent talks on its error stream even
# when all is well, so that is shown only where it failed.
sidecar() {
  kn exec "deploy/$1" -c istio-proxy -- pilot-agent request GET "$2" 2>"$WORK/sidecar.txt" || {
    cat "$WORK/sidecar.txt" >&2
    return 1
  }
}

# hosts DEPLOYMENT HOST: the addresses that the cluster of port 443 has, sorted.
hosts() {
  sidecar "$1" clusters | awk -F'::' -v name="outbound|443||$2" \
    '$1 == name && $3 ~ /^cx_active$/ {print $2}' | LC_ALL=C sort
}
hosts_count() { hosts "$1" "$2" | awk 'END {print NR}'; }

endpoints() {
  istioctl --context "$CTX" -i "$ISTIO_NS" proxy-config endpoints "deploy/$1.$NS" --cluster "outbound|443||$2"
}

envoy_version() {
  sidecar netshoot server_info | awk -F'"' '$2 == "version" && !n++ {split($4, part, "/"); print part[2]}'
}

# snapshot LABEL DEPLOYMENT HOST: DNS answer, endpoints and counters of one moment, raw into a file.
snapshot() {
  local file=$WORK/raw/$1.txt
  mkdir -p "$WORK/raw"
  {
    printf '# %s  %s\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf '## dig\n'; dig "$3"
    printf '## endpoints\n'; endpoints "$2" "$3"
    printf '## stats\n'; sidecar "$2" "stats?filter=gslb"
    printf '## hosts\n'; sidecar "$2" clusters | awk -F'::' -v name="outbound|443||$3" '$1 == name'
  } >"$file"
  # Without the annotation every counter would read 0, and "nothing changed" would hold of anything.
  grep -q '^cluster\.outbound|443||.*membership_change: ' "$file" \
    || die "the sidecar of $2 hides its counters: the annotation proxyStatsMatcher is missing"
}

part() { awk -v part="## $2" '/^## / {on = $0 == part; next} on' "$WORK/raw/$1.txt"; }
seen_dns() { part "$1" dig | tr '\n' ' ' | sed 's/ $//'; }
seen_hosts() { part "$1" endpoints | awk 'NR > 1 {print $1}' | sed 's/:443$//' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'; }

# counter LABEL HOST NAME: its value. Istio ends the cluster's name with `;` in newer versions.
counter() {
  part "$1" stats | awk -v name="$3" -v with="cluster.outbound|443||$2;." -v without="cluster.outbound|443||$2." '
    {at = index($0, ": "); key = substr($0, 1, at - 1)}
    key == with name || key == without name {if (!found++) print substr($0, at + 2)}
    END {if (!found) print 0}'
}

# delta BEFORE AFTER HOST NAME
delta() { echo $(($(counter "$2" "$3" "$4") - $(counter "$1" "$3" "$4"))); }

# shellcheck disable=SC2034  # for the scripts
L7_COUNTERS="membership_change upstream_cx_total upstream_cx_active upstream_cx_destroy upstream_cx_destroy_local \
upstream_cx_destroy_remote upstream_cx_destroy_with_active_rq upstream_rq_total"
# shellcheck disable=SC2034  # for the scripts
FAIL_COUNTERS="upstream_cx_total upstream_cx_connect_fail upstream_cx_connect_timeout upstream_rq_total \
upstream_rq_pending_failure_eject upstream_rq_retry upstream_rq_retry_success outlier_detection.ejections_enforced_total \
outlier_detection.ejections_active"

# table BEFORE AFTER HOST NAME…: `name  before -> after = delta`, a line each.
table() {
  local before=$1 after=$2 host=$3 name
  shift 3
  for name in "$@"; do
    say "$(printf '%-42s %s -> %s = %s' "$name" "$(counter "$before" "$host" "$name")" \
      "$(counter "$after" "$host" "$name")" "$(delta "$before" "$after" "$host" "$name")")"
  done
}

# ---- saying and judging -----------------------------------------------------------------------------

say() { printf '%s\n' "$*" | tee -a "$WORK/out.txt"; }

CHECKS=0
FAILS=0

# expect WHAT ACTUAL OPERATOR EXPECTED: = != for words, -eq -le -ge … for numbers.
expect() {
  CHECKS=$((CHECKS + 1))
  # shellcheck disable=SC1072,SC1073  # the operator comes from the caller
  if ! test "$2" "$3" "$4"; then
    FAILS=$((FAILS + 1))
    say "FAIL  $1: $2, expected $3 $4"
  fi
}

# scene NAME TEXT: the first line, and the report that is written however the scene ends.
scene() {
  SCENE=$1
  STAMP=$(date -u +%Y-%m-%d_%H%M%S)
  ENVOY=$(envoy_version)
  undo report
  say "== $2 (envoy $ENVOY)"
}

# LOGICAL_DNS keeps its connections through a flip up to Envoy 1.38; from 1.39 on a new DNS cluster
# drains them like STRICT_DNS.
pins() { ! least "$ENVOY" 1.39; }

# verdict: the last line, and the exit code.
verdict() {
  local code=0
  if [ "$FAILS" = 0 ]; then say "result: ok ($CHECKS assertions)"; else
    say "result: differs ($FAILS of $CHECKS assertions)"
    code=1
  fi
  DONE=yes
  exit $code
}

report() {
  local file="$REPORTS/${STAMP}_dns-$SCENE.md" raw
  mkdir -p "$REPORTS"
  {
    printf '# dns-%s\n\n' "$SCENE"
    printf -- '- start %s UTC, end %s UTC\n' "$STAMP" "$(date -u +%Y-%m-%d_%H%M%S)"
    printf -- '- context %s, namespace %s, Kubernetes %s, Istio %s, Envoy %s\n' "$CTX" "$NS" "$KUBERNETES" "$ISTIO" "$ENVOY"
    printf -- '- clocks: every time in this file is UTC; host zone %s, container zone %s\n' "$(date +%z)" \
      "$(netshoot date +%z 2>/dev/null || echo unknown)"
    [ -n "${DONE-}" ] || printf -- '- the scene did not reach its end\n'
    printf '\n```text\n'
    cat "$WORK/out.txt"
    printf '```\n'
    for raw in "$WORK"/raw/*; do
      [ -e "$raw" ] || continue
      printf '\n## %s\n\n```text\n' "${raw##*/}"
      cat "$raw"
      printf '```\n'
    done
  } >"$file"
  printf 'report: %s\n' "$file" >&2
}

# ---- time and load ----------------------------------------------------------------------------------

# The zero of a scene's clock, and waiting for a second of it.
start_clock() { T0=$(date +%s); }
at() {
  local left=$((T0 + $1 - $(date +%s)))
  [ "$left" -le 0 ] || sleep "$left"
}
now() { date -u +%H:%M:%S; }

# background FILE COMMAND…: output into raw/FILE; ended with the script. Its pid is in BACKGROUND.
background() {
  local file=$WORK/raw/$1
  shift
  mkdir -p "$WORK/raw"
  "$@" >"$file" 2>&1 </dev/null &
  BACKGROUND=$!
  undo end_background "$BACKGROUND"
}
end_background() { kill "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }

# fortio_load CONNECTIONS SECONDS: keepalive load, 8 requests a second.
fortio_load() {
  # shellcheck disable=SC2153  # HOST is a setting of lib.sh
  kn exec deploy/fortio -c fortio -- fortio load -c "$1" -qps 8 -t "$2s" -nocatchup "http://$HOST/"
}
fortio_codes() { awk '/^Code +[0-9-]+ : / {print $2 " " $4}' "$WORK/raw/$1"; }
code_200() { fortio_codes "$1" | awk '$1 == 200 {print $2; found = 1} END {if (!found) print 0}'; }
code_other() { fortio_codes "$1" | awk '$1 != 200 {sum += $2} END {print sum + 0}'; }
sockets() { awk '/^Sockets used: / {print $3; exit}' "$WORK/raw/$1"; }

# who SECONDS PAUSE [CURL ARGUMENT…]: one request after another from netshoot, each by a new process.
# A line is `EPOCH HH:MM:SS who=BODY CODE SECONDS EXIT`.
who() {
  local seconds=$1 pause=$2
  shift 2
  # shellcheck disable=SC2016  # for the shell in the pod
  netshoot sh -c '
    end=$(($(date +%s) + $1)); pause=$2; shift 2
    while [ "$(date +%s)" -lt "$end" ]; do
      code=0
      said=$(curl -s -o /tmp/who.$$ -w "%{http_code} %{time_total}" "$@") || code=$?
      body=$(head -n 1 /tmp/who.$$ 2>/dev/null | tr " " _); rm -f /tmp/who.$$
      echo "$(date -u "+%s %H:%M:%S") who=${body:--} $said $code"
      [ "$pause" = 0 ] || sleep "$pause"
    done' who "$seconds" "$pause" "$@"
}

# From such a file: how many lines, how many of them lost, how many slower than SECONDS.
requests() { awk 'END {print NR}' "$WORK/raw/$1"; }
lost() { awk '$4 != 200 || $6 != 0 {n++} END {print n + 0}' "$WORK/raw/$1"; }
slow() { awk -v least="$2" '$5 >= least {n++} END {print n + 0}' "$WORK/raw/$1"; }
exits() { awk -v code="$2" '$6 == code {n++} END {print n + 0}' "$WORK/raw/$1"; }
percent() { awk -v part="$1" -v whole="$2" 'BEGIN {printf "%.2f", whole ? 100 * part / whole : 0}'; }

# answers FILE FROM TO: who answered between two epochs, each once, in order.
answers() { awk -v from="$2" -v to="$3" '$1 >= from && $1 < to && $3 != last {printf "%s%s", sep, substr($3, 5); last = $3; sep = " "}' "$WORK/raw/$1"; }
# first_b FILE EPOCH: seconds from the epoch to the first answer of backend-b after it; empty where none.
first_b() { awk -v from="$2" '$1 >= from && $3 == "who=backend-b" {print $1 - from; exit}' "$WORK/raw/$1"; }
