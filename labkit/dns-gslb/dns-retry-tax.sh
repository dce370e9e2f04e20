#!/usr/bin/env bash
# What a dead address costs: with and without retries, and by connectTimeout.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=dead.sh
. "$KIT/dead.sh"

usage 'usage: ./dns-retry-tax.sh retry|tax

  retry   A has no pod: 20 s with the policy that Istio puts in (42), 20 s with retries.attempts 0 (53)
  tax     DNS answers B and an address that nothing answers at: 20 s each with connectTimeout 1s (46) and
          250ms (54). BLACKHOLE=ADDRESS names another one than 192.0.2.1

Every request opens a new connection.

example:
  ./dns-retry-tax.sh retry' "$@"
what=${1-}
[ $# = 1 ] || wrong "one argument is needed: retry or tax"
case $what in retry | tax) ;; *) wrong "unknown argument $what" ;; esac
BLACKHOLE=${BLACKHOLE:-192.0.2.1}

preflight
scene "retry-tax-$what" "a dead address: $what"
addresses

# part_run LABEL "ADDRESS…" VIRTUALSERVICE DESTINATIONRULE
part_run() {
  local label=$1
  record "$2" "$POD_A"
  stage 40 "$2" "$3" "$4"
  if [ "$what" = retry ]; then scale_a 0; sleep 4; fi
  snapshot "${label}_before" netshoot "$HOST"
  serial_loop "$label.txt" 20 -m 10 "http://$HOST/"
  wait "$BACKGROUND" || die "the loop ended early: $(tail -n 2 "$WORK/raw/$label.txt")"
  snapshot "${label}_after" netshoot "$HOST"
  say "$label: $(loss "$label.txt")"
  # shellcheck disable=SC2086  # names are words
  table "${label}_before" "${label}_after" "$HOST" $FAIL_COUNTERS
  if [ "$what" = retry ]; then scale_a 1; fi
}
of() { delta "$1_before" "$1_after" "$HOST" "$2"; }

# taxed FILE LEAST: median of the times of at least so many seconds, in milliseconds; 0 where none.
taxed() {
  awk -v least="$2" '$5 >= least {print $5}' "$WORK/raw/$1" | LC_ALL=C sort -n \
    | awk '{time[NR] = $1} END {printf "%d", NR ? 1000 * time[int((NR + 1) / 2)] : 0}'
}

retry() {
  part_run default "$SERVICE_A $SERVICE_B" 42 46
  POD_A=$(pod_ip backend-a)
  part_run none "$SERVICE_A $SERVICE_B" 53 46
  expect "default: lost" "$(lost default.txt)" -le "$(few default.txt)"
  expect "default: retries" "$(of default upstream_rq_retry)" -ge 5
  local share
  share=$(percent "$(lost none.txt)" "$(requests none.txt)")
  expect "none: lost, whole percent" "${share%.*}" -ge 25
  expect "none: retries" "$(of none upstream_rq_retry)" -eq 0
}

tax() {
  part_run 1s "$SERVICE_B $BLACKHOLE" 42 46
  part_run 250ms "$SERVICE_B $BLACKHOLE" 42 54
  local long short
  long=$(taxed 1s.txt 0.2) short=$(taxed 250ms.txt 0.2)
  say "tax_1s_ms $long"
  say "tax_250ms_ms $short"
  expect "1s: lost" "$(lost 1s.txt)" -eq 0
  expect "250ms: lost" "$(lost 250ms.txt)" -eq 0
  expect "1s: timeouts" "$(of 1s upstream_cx_connect_timeout)" -ge 3
  expect "1s: median of the slow, ms" "$long" -ge 1000
  expect "1s: median of the slow, ms" "$long" -le 1400
  expect "250ms: median of the slow, ms" "$short" -ge 250
  expect "250ms: median of the slow, ms" "$short" -le 650
  expect "250ms: more requests" "$(requests 250ms.txt)" -gt "$(requests 1s.txt)"
}

case $what in
  retry) retry ;;
  tax) tax ;;
esac
verdict
