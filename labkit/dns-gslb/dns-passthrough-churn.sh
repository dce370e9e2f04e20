#!/usr/bin/env bash
# One of two addresses is dead: TLS passthrough and the HTTP path under the same load at the same time.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=dead.sh
. "$KIT/dead.sh"

usage 'usage: ./dns-passthrough-churn.sh

DNS answers A and B for both names, A has no pod. For 40 s one loop goes through the HTTP path (42, 46), one
through TLS passthrough (48); each request is a new connection.

example:
  ./dns-passthrough-churn.sh' "$@"
[ $# = 0 ] || wrong "unknown argument $1"

preflight
addresses
scene passthrough-churn "a dead address, HTTP path and TLS passthrough at once"
both
stage 40 "$SERVICE_A $SERVICE_B" 42 46
apply 48
until_is 60 "hosts in the sidecar of netshoot" "$(sorted "$POD_A:443" "$POD_B:443")" hosts netshoot "$PT_HOST"
scale_a 0
sleep 4
snapshot before netshoot "$HOST"
serial_loop http.txt 40 -m 10 "http://$HOST/"
http=$BACKGROUND
serial_loop passthrough.txt 40 -k --http1.1 --connect-timeout 3 -m 10 "https://$PT_HOST/"
wait "$http" "$BACKGROUND" || die "a loop ended early: $(tail -n 2 "$WORK/raw/http.txt" "$WORK/raw/passthrough.txt" | tr '\n' ' ')"
snapshot after netshoot "$HOST"
say "http        $(loss http.txt)"
say "passthrough $(loss passthrough.txt)"
say "passthrough exit 28 (timed out) $(exits passthrough.txt 28), exit 35 (TLS cut) $(exits passthrough.txt 35)"
say "-- HTTP path"
# shellcheck disable=SC2086  # names are words
table before after "$HOST" $FAIL_COUNTERS
say "-- passthrough"
# shellcheck disable=SC2086  # names are words
table before after "$PT_HOST" $FAIL_COUNTERS
share=$(percent "$(lost passthrough.txt)" "$(requests passthrough.txt)")
expect "HTTP path: lost" "$(lost http.txt)" -le "$(few http.txt)"
expect "HTTP path: retries" "$(delta before after "$HOST" upstream_rq_retry)" -ge 5
expect "passthrough: lost, whole percent" "${share%.*}" -ge 20
expect "passthrough: lost, whole percent" "${share%.*}" -le 80
verdict
