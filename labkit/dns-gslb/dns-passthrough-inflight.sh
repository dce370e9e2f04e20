#!/usr/bin/env bash
# A response is in flight while the name moves: TLS passthrough (L4), four snapshots.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=inflight.sh
. "$KIT/inflight.sh"

usage 'usage: ./dns-passthrough-inflight.sh strict|logical

The client speaks TLS itself, the sidecar relays bytes to pod addresses (48 or 50). A response of about 40 s
starts, 5 s later the name moves from pod A to pod B; looks before, at +12 s, at +30 s and after the end.

example:
  ./dns-passthrough-inflight.sh strict' "$@"

variant=${1-}
case $variant in strict) entry=48 ;; logical) entry=50 ;; *) wrong "the argument is strict or logical" ;; esac
[ $# = 1 ] || wrong "unknown argument $2"

preflight
service_a=$(service_ip backend-a)
a=$(pod_ip backend-a)
b=$(pod_ip backend-b)
scene "passthrough-inflight-$variant" "in flight, L4 passthrough, $variant"
record "$service_a" "$a"
stage "$entry" "$a"
in_flight "$PT_HOST" "https://$PT_HOST/slow" slow "$a" "$b"

# L4 keeps no pool: the client's end closes the one connection, whatever the flip did. A TCP connection
# counts as one active request for its whole life, so destroy_with_active_rq says nothing of a cut here.
changed=0
if [ "$variant" = strict ] || ! pins; then changed=1; fi
expect "membership_change at the end" "$(delta before after "$PT_HOST" membership_change)" -eq $changed
expect "destroy in mid-flight" "$(delta before mid2 "$PT_HOST" upstream_cx_destroy)" -eq 0
expect "destroy after the end" "$(delta before after "$PT_HOST" upstream_cx_destroy)" -eq 1
expect upstream_cx_total "$(delta before after "$PT_HOST" upstream_cx_total)" -eq 1
expect "next request" "$NEXT" = backend-b
verdict
