#!/usr/bin/env bash
# TLS passthrough with a dead address, without and with outlier detection.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=dead.sh
. "$KIT/dead.sh"

usage 'usage: ./dns-passthrough-outlier.sh

DNS answers pods A and B, A has gone. 40 s of requests on new connections without, then with outlier
detection (49). What is left with it are the failures before each ejection: a count, not a rate.

example:
  ./dns-passthrough-outlier.sh' "$@"
[ $# = 0 ] || wrong "unknown argument $1"

preflight
scene passthrough-outlier "TLS passthrough with a dead address, outlier detection off and on"

# outlier_run LABEL [MANIFEST]
outlier_run() {
  local label=$1
  shift
  addresses
  both
  stage 48 "$POD_A $POD_B" "$@"
  scale_a 0
  sleep 4
  snapshot "${label}_before" netshoot "$PT_HOST"
  start_clock
  serial_loop "$label.txt" 40 -k --http1.1 --connect-timeout 3 -m 10 "https://$PT_HOST/"
  # Ejected by its third failure, A is out for 30 s; at the end of the load it may be back.
  at 20
  snapshot "${label}_middle" netshoot "$PT_HOST"
  wait "$BACKGROUND" || die "the loop ended early: $(tail -n 2 "$WORK/raw/$label.txt")"
  snapshot "${label}_after" netshoot "$PT_HOST"
  say "$label: $(loss "$label.txt")"
  # shellcheck disable=SC2086  # names are words
  table "${label}_before" "${label}_after" "$PT_HOST" $FAIL_COUNTERS
  say "health of A: $(flags "${label}_middle" "$POD_A"), of B: $(flags "${label}_middle" "$POD_B")"
  scale_a 1
}

outlier_run off
share=$(percent "$(lost off.txt)" "$(requests off.txt)")
expect "off: lost, whole percent" "${share%.*}" -ge 20
outlier_run on 49
enforced=$(delta on_before on_after "$PT_HOST" outlier_detection.ejections_enforced_total)
expect "on: ejections" "$enforced" -ge 1
# About three for each ejection, and up to two more that have not led to one yet.
expect "on: lost, by ejections" "$(lost on.txt)" -le $((enforced * 4 + 2))
expect "on: A is out" "$(flags on_middle "$POD_A")" = /failed_outlier_check
expect "on: B is in" "$(flags on_middle "$POD_B")" = healthy
verdict
