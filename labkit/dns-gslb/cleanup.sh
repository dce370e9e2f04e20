#!/usr/bin/env bash
# Removes the lab: routing first, then the namespace.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage 'usage: ./cleanup.sh

Deletes the namespace of the lab with everything in it, in the middle of a scene too. Run again, it finds
nothing to do. A namespace without the label of the lab is left alone. Takes about 40 seconds.

example:
  CTX=homelab ./cleanup.sh' "$@"
[ $# = 0 ] || wrong "unknown argument $1"

tools kubectl awk sed mktemp date
context
server
rights "delete namespaces" "get namespaces"

if [ -n "$(k get namespace "$NS" --ignore-not-found -o name)" ]; then
  is_ours || die "namespace $NS lacks the label app.kubernetes.io/part-of=$PART_OF: it is not the lab's and stays"
  # The way of the traffic is taken back before the backends go.
  say "== [1] routing =="
  if k get crd serviceentries.networking.istio.io >/dev/null 2>&1; then delete_routing; fi
  say "== [2] namespace =="
  k delete namespace "$NS" --ignore-not-found --wait=false
  k wait --for=delete "namespace/$NS" --timeout=180s >/dev/null 2>&1 || true
else
  say "== [1] routing == nothing there"
  say "== [2] namespace == nothing there"
fi

say "== [3] check =="
[ -z "$(k get namespace "$NS" --ignore-not-found -o name)" ] || die "namespace $NS is still there after 180 s: $(k get namespace "$NS" -o jsonpath='{.status.conditions[*].message}')"
say "namespace $NS: NotFound"
say "== cleaned =="
