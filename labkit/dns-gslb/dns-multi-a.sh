#!/usr/bin/env bash
# Two A records in one answer, and two endpoints written down: what each variant makes of them.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage 'usage: ./dns-multi-a.sh [answer|refusal]

  answer    DNS answers A and B: hosts and answers of LOGICAL_DNS and STRICT_DNS, and whether the sidecar
            refused a configuration
  refusal   manifest 51 (LOGICAL_DNS with two endpoints) must be refused when it is applied

Without an argument both.

example:
  ./dns-multi-a.sh refusal' "$@"
what=${1-both}
case $what in answer | refusal | both) ;; *) wrong "unknown argument $what" ;; esac

preflight
scene "multi-a-$what" "two addresses: $what"

rejected() { sidecar netshoot "stats?filter=update_rejected" | awk '/^(cluster|listener)_manager\.(cds|lds)\.update_rejected: / {sum += $2} END {print sum + 0}'; }
nacks() { k -n "$ISTIO_NS" logs -l app=istiod --tail=-1 --since="$1s" | awk 'tolower($0) ~ /nack|rejected/ {n++} END {print n + 0}'; }

# ask VARIANT COUNT: who answers so many requests.
ask() {
  # shellcheck disable=SC2016  # for the shell in the pod
  netshoot sh -c 'for i in $(seq "$1"); do curl -s -m 5 -w " %{http_code}\n" "$2" | tr "\n" " "; echo; done' ask "$2" "http://$HOST/" >"$WORK/raw/$1_answers.txt"
  say "$1 answers: $(awk '{n[$1 " " $2]++} END {for (one in n) print one " x" n[one]}' "$WORK/raw/$1_answers.txt" | LC_ALL=C sort | tr '\n' ' ')"
}
of_a() { awk '$1 == "backend-a"' "$WORK/raw/$1_answers.txt" | awk 'END {print NR}'; }
of_b() { awk '$1 == "backend-b"' "$WORK/raw/$1_answers.txt" | awk 'END {print NR}'; }

answer() {
  local a b before i
  a=$(service_ip backend-a) b=$(service_ip backend-b)
  start_clock
  before=$(rejected)
  record "$a $b" "$(pod_ip backend-a)"
  stage 41 "$a $b" 42 43
  for i in 1 2 3 4 5; do say "dig $i: $(dig "$HOST" | tr '\n' ' ')"; done
  ask logical 15
  snapshot logical netshoot "$HOST"
  say "logical endpoints: $(seen_hosts logical)"
  expect "logical: hosts" "$(seen_hosts logical | wc -w)" -eq 1
  expect "logical: answers of one backend" "$(($(of_a logical) * $(of_b logical)))" -eq 0
  expect "logical: answers" "$(($(of_a logical) + $(of_b logical)))" -eq 15
  stage 40 "$a $b" 42 43
  ask strict 12
  snapshot strict netshoot "$HOST"
  say "strict endpoints: $(seen_hosts strict)"
  expect "strict: hosts" "$(seen_hosts strict | wc -w)" -eq 2
  expect "strict: answers of A" "$(of_a strict)" -ge 1
  expect "strict: answers of B" "$(of_b strict)" -ge 1
  say "update_rejected $before -> $(rejected) = $(($(rejected) - before))"
  say "lines of istiod that say nack or rejected: $(nacks $(($(date +%s) - T0)))"
  expect update_rejected "$(rejected)" -eq "$before"
}

refusal() {
  local code=0 said
  said=$(render 51 | k apply -f - 2>&1) || code=$?
  say "apply 51: exit $code"
  say "$said"
  expect "exit of apply" "$code" -ne 0
  expect "the refusal names its reason" "$(printf '%s' "$said" | grep -c 'DNS_ROUND_ROBIN mode cannot have multiple endpoints' || true)" -ge 1
  expect "objects of 51" "$(kn get serviceentries.networking.istio.io gslb-logical-2endpoints --ignore-not-found -o name | awk 'END {print NR}')" -eq 0
}

mkdir -p "$WORK/raw"
case $what in
  answer) answer ;;
  refusal) refusal ;;
  both) answer; refusal ;;
esac
verdict
