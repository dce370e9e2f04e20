#!/usr/bin/env bash
# A kept connection through a flip: how long does it stay with A?
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage 'usage: ./dns-keepalive-pin.sh pin|idle

  pin    TLS passthrough, STRICT_DNS: three requests on one connection of the client, the name moves after
         the first; then one on a new connection
  idle   LOGICAL_DNS, L7: the pinned connection is left alone for longer than the server keeps an idle one
         (keepalive_timeout 65 s); then one request

example:
  ./dns-keepalive-pin.sh idle' "$@"
what=${1-}
[ $# = 1 ] || wrong "one argument is needed: pin or idle"
case $what in pin | idle) ;; *) wrong "unknown argument $what" ;; esac

preflight
scene "keepalive-$what" "a kept connection: $what"
mkdir -p "$WORK/raw"
service_a=$(service_ip backend-a)
service_b=$(service_ip backend-b)
a=$(pod_ip backend-a)
b=$(pod_ip backend-b)

# requests COUNT: on one connection, 10 s apart; `NEW_CONNECTIONS LOCAL_PORT SERVER`, a line each.
on_one_connection() {
  netshoot curl -s -k --http1.1 -m 60 --rate 6/m -o /dev/null \
    -w '%{num_connects} %{local_port} %header{x-backend} %{http_code}\n' "https://$PT_HOST/?n=[1-$1]"
}

pin() {
  record "$service_a" "$a"
  stage 48 "$a"
  snapshot before netshoot "$PT_HOST"
  start_clock
  background requests.txt on_one_connection 3
  local client=$BACKGROUND
  at 3
  record "$service_b" "$b"
  say ">> $(now) FLIP A->B (+$(($(date +%s) - T0)) s)"
  wait "$client" || die "curl ended early: $(tail -n 2 "$WORK/raw/requests.txt")"
  served "$PT_HOST" "$b"
  snapshot kept netshoot "$PT_HOST"
  until_is 30 "hosts in the sidecar of netshoot" "$b:443" hosts netshoot "$PT_HOST"
  on_one_connection 1 >>"$WORK/raw/requests.txt"
  snapshot after netshoot "$PT_HOST"
  say "$(awk '{printf "REQ%d new connections %s, local port %s, server %s, %s\n", NR, $1, $2, $3, $4}' "$WORK/raw/requests.txt")"
  table before kept "$PT_HOST" upstream_cx_total
  table kept after "$PT_HOST" upstream_cx_total
  expect "servers" "$(awk '{printf "%s ", $3}' "$WORK/raw/requests.txt")" = "backend-a backend-a backend-a backend-b "
  expect "new connections" "$(awk '{printf "%s ", $1}' "$WORK/raw/requests.txt")" = "1 0 0 1 "
  expect "upstream_cx_total through the flip" "$(delta before kept "$PT_HOST" upstream_cx_total)" -eq 1
  expect "upstream_cx_total of the new connection" "$(delta kept after "$PT_HOST" upstream_cx_total)" -eq 1
}

ask() { netshoot curl -s -m 10 "http://$HOST/" | awk 'NR == 1'; }

# The address that endpoints shows: for LOGICAL_DNS only a label.
# shellcheck disable=SC2317  # called by until_is
listed() { endpoints netshoot "$HOST" | awk 'NR > 1 {sub(/:443$/, "", $1); print $1}'; }

idle() {
  local first pinned last
  record "$service_a" "$a"
  stage 41 "$service_a" 42 43
  first=$(ask)
  record "$service_b" "$b"
  say ">> $(now) FLIP A->B"
  served "$HOST" "$service_b"
  until_is 30 "host in the sidecar of netshoot" "$service_b" listed
  pinned=$(ask)
  snapshot before netshoot "$HOST"
  say ">> $(now) no request for 72 s"
  start_clock
  at 72
  snapshot idle netshoot "$HOST"
  last=$(ask)
  say "before the flip $first, after it $pinned, after the pause $last"
  # shellcheck disable=SC2086  # names are words
  table before idle "$HOST" $L7_COUNTERS
  expect "before the flip" "$first" = backend-a
  if pins; then expect "after the flip" "$pinned" = backend-a; else expect "after the flip" "$pinned" = backend-b; fi
  expect "after the pause" "$last" = backend-b
  expect "destroy_remote in the pause" "$(delta before idle "$HOST" upstream_cx_destroy_remote)" -eq 1
  expect "destroy_local in the pause" "$(delta before idle "$HOST" upstream_cx_destroy_local)" -eq 0
}
case $what in
  pin) pin ;;
  idle) idle ;;
esac
verdict
