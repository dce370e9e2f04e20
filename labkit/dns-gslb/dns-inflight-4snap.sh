#!/usr/bin/env bash
# A response is in flight while the name moves: L7, four snapshots.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=inflight.sh
. "$KIT/inflight.sh"

usage 'usage: ./dns-inflight-4snap.sh strict|logical [--http2] [--stream]

A response of about 40 s (409,610 bytes at 10 KB/s) starts, 5 s later the name moves from A to B; the sidecar
is looked at before, at +12 s, at +30 s and after the end. TLS origination, so the sidecar sees HTTP.

  --http2    HTTP/2 between sidecar and backend
  --stream   a response of about 120 s (1,228,810 bytes); the third look is at +110 s

example:
  ./dns-inflight-4snap.sh strict' "$@"

variant=${1-}
name=inflight-$variant path=slow extra=43
case $variant in strict) entry=40 ;; logical) entry=41 ;; *) wrong "the first argument is strict or logical" ;; esac
shift
for option in "$@"; do
  case $option in
    --http2) extra=52 name=$name-http2 ;;
    --stream) path=stream name=$name-stream ;;
    *) wrong "unknown argument $option" ;;
  esac
done

preflight
a=$(service_ip backend-a)
b=$(service_ip backend-b)
pt=$(pod_ip backend-a)
scene "$name" "in flight, L7 TLS origination, ${name#inflight-}"
record "$a" "$pt"
stage "$entry" "$a" 42 "$extra"
in_flight "$HOST" "http://$HOST/$path" "$path" "$a" "$b"

# The flip itself never cuts: the connection ends after the response (drained) or stays (pinned).
local_closed=0 changed=0 next=backend-a
if [ "$variant" = strict ] || ! pins; then local_closed=1 changed=1 next=backend-b; fi
expect "membership_change at the end" "$(delta before after "$HOST" membership_change)" -eq $changed
expect "destroy_local in mid-flight" "$(delta before mid2 "$HOST" upstream_cx_destroy_local)" -eq 0
expect "destroy_local after the end" "$(delta before after "$HOST" upstream_cx_destroy_local)" -eq $local_closed
expect destroy_remote "$(delta before after "$HOST" upstream_cx_destroy_remote)" -eq 0
expect destroy_with_active_rq "$(delta before after "$HOST" upstream_cx_destroy_with_active_rq)" -eq 0
if [ "$extra" = 52 ]; then
  expect "HTTP/2 connections" "$(delta before after "$HOST" upstream_cx_http2_total)" -ge 1
  expect "HTTP/1 connections" "$(delta before after "$HOST" upstream_cx_http1_total)" -eq 0
fi
expect "next request" "$NEXT" = "$next"
verdict
