#!/usr/bin/env bash
# One of two addresses is dead and every request opens a new connection: three stages.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=dead.sh
. "$KIT/dead.sh"

usage 'usage: ./dns-churn-stages.sh

  stage 1   forced churn (46), plain routing (42)
  stage 2   and outlier detection (47)
  stage 3   and a retry policy (45)

In each, DNS answers A and B, A has no pod, and requests follow one another for 40 s without a pause.
The cluster is made anew between the stages, so that no ejection is carried over. About 4 minutes.

example:
  ./dns-churn-stages.sh' "$@"
[ $# = 0 ] || wrong "unknown argument $1"

preflight
addresses
scene churn-stages "forced churn with a dead address, three stages"

# stage_run NUMBER VIRTUALSERVICE DESTINATIONRULE
stage_run() {
  local name=stage$1
  both
  stage 40 "$SERVICE_A $SERVICE_B" "$2" "$3"
  scale_a 0
  sleep 4
  snapshot "${name}_before" netshoot "$HOST"
  say ">> $(now) stage $1: VirtualService $2, DestinationRule $3"
  serial_loop "${name}_loop.txt" 40 -m 3 "http://$HOST/"
  wait "$BACKGROUND" || die "the loop ended early: $(tail -n 2 "$WORK/raw/${name}_loop.txt")"
  snapshot "${name}_after" netshoot "$HOST"
  say "$(loss "${name}_loop.txt")"
  # shellcheck disable=SC2086  # names are words
  table "${name}_before" "${name}_after" "$HOST" $FAIL_COUNTERS
  say "health of A: $(flags "${name}_after" "$SERVICE_A")"
  scale_a 1
}

of() { delta "stage$1_before" "stage$1_after" "$HOST" "$2"; }

stage_run 1 42 46
expect "stage 1: lost" "$(lost stage1_loop.txt)" -le "$(few stage1_loop.txt)"
expect "stage 1: connect_fail" "$(of 1 upstream_cx_connect_fail)" -ge 10
expect "stage 1: retries" "$(of 1 upstream_rq_retry)" -ge $(($(of 1 upstream_cx_connect_fail) - 1))
expect "stage 1: connections" "$(of 1 upstream_cx_total)" -eq $(($(of 1 upstream_rq_total) + $(of 1 upstream_cx_connect_fail)))
stage_run 2 42 47
expect "stage 2: lost" "$(lost stage2_loop.txt)" -le "$(few stage2_loop.txt)"
expect "stage 2: ejections" "$(of 2 outlier_detection.ejections_enforced_total)" -ge 1
expect "stage 2: connect_fail against stage 1" $(($(of 2 upstream_cx_connect_fail) * 5)) -le "$(of 1 upstream_cx_connect_fail)"
stage_run 3 45 47
expect "stage 3: lost" "$(lost stage3_loop.txt)" -le "$(few stage3_loop.txt)"
expect "stage 3: ejections" "$(of 3 outlier_detection.ejections_enforced_total)" -ge 1
expect "stage 3: connect_fail against stage 1" $(($(of 3 upstream_cx_connect_fail) * 5)) -le "$(of 1 upstream_cx_connect_fail)"
verdict
