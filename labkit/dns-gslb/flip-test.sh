#!/usr/bin/env bash
# Moves the name from A to B while sessions exist, and says what became of them.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage 'usage: ./flip-test.sh strict mode1|mode2
       ./flip-test.sh logical mode1|mode3

  mode1   40 s of load on 2 kept connections, the name moves from A to B in mid-load
  mode2   A and B in one answer, A dies; then outlier detection (44) and a retry policy (45) are added
  mode3   60 s of load on 1 kept connection, flip at +10 s, A dies at +30 s

mode2 is for strict only: LOGICAL_DNS uses the first address of an answer. Needs ./setup.sh. Counters are
printed as "name  before -> after = delta" and judged by the delta: they count since the sidecar started.

example:
  CTX=homelab ./flip-test.sh strict mode1' "$@"

variant=${1-} mode=${2-}
[ $# = 2 ] || wrong "two arguments are needed"
case "$variant $mode" in
  "strict mode1" | "strict mode2" | "logical mode1" | "logical mode3") ;;
  "logical mode2") wrong "mode2 is for strict only: LOGICAL_DNS uses only the first address of an answer" ;;
  *) wrong "no scene \"$variant $mode\"" ;;
esac
entry=40
[ "$variant" = strict ] || entry=41

preflight
a=$(service_ip backend-a)
b=$(service_ip backend-b)
pt=$(pod_ip backend-a)
scene "$variant-$mode" "flip-test $variant $mode"

# requests_line FILE PREFIX: what a who-loop came to.
loop_lines() {
  say "who_requests $(requests who.txt)"
  say "who_other $(lost who.txt)"
}

fortio_lines() {
  say "fortio_sockets $(sockets fortio.txt)"
  say "fortio_200 $(code_200 fortio.txt)"
  say "fortio_other $(code_other fortio.txt)"
}

# flip: A -> B, with the moment of it.
flip() {
  FLIPPED=$(date +%s)
  record "$b" "$pt"
  say ">> $(now) FLIP A->B (+$((FLIPPED - T0)) s)"
}

kill_a() {
  KILLED=$(date +%s)
  say ">> $(now) KILL backend-a (+$((KILLED - T0)) s)"
  kn scale deployment/backend-a --replicas=0 >/dev/null
}

observed() { say "$(printf '%-7s dns %s  endpoints %s' "$1" "$(seen_dns "$2")" "$(seen_hosts "$2")")"; }

mode1() {
  record "$a" "$pt"
  stage "$entry" "$a" 42 43
  start_clock
  background fortio.txt fortio_load 2 40
  local fortio=$BACKGROUND
  background who.txt who 40 1 -m 5 "http://$HOST/"
  local loop=$BACKGROUND
  at 9
  snapshot 3a fortio "$HOST"
  at 14
  flip
  at 30
  snapshot 3b fortio "$HOST"
  wait "$fortio" "$loop" || die "a load ended early: $(tail -n 2 "$WORK/raw/fortio.txt" "$WORK/raw/who.txt" | tr '\n' ' ')"
  observed before 3a
  observed after 3b
  say "answers before: $(answers who.txt "$T0" "$FLIPPED")"
  say "answers after:  $(answers who.txt "$FLIPPED" $((T0 + 99)))"
  loop_lines
  fortio_lines
  # shellcheck disable=SC2086  # names are words
  table 3a 3b "$HOST" $L7_COUNTERS
  judge_flip
}

# What a flip does to two kept connections: drained where hosts follow DNS, left alone where they are pinned.
judge_flip() {
  local changed=0 closed=0 end=backend-a
  if [ "$variant" = strict ] || ! pins; then changed=1 closed=2 end=backend-b; fi
  expect "DNS before" "$(seen_dns 3a)" = "$a"
  expect "DNS after" "$(seen_dns 3b)" = "$b"
  expect "endpoints before" "$(seen_hosts 3a)" = "$a"
  expect "endpoints after" "$(seen_hosts 3b)" = "$b"
  expect "last answer" "$(awk 'END {print $3}' "$WORK/raw/who.txt")" = "who=$end"
  [ "$closed" = 2 ] || expect "answers after the flip" "$(answers who.txt "$FLIPPED" $((T0 + 99)))" = backend-a
  expect membership_change "$(delta 3a 3b "$HOST" membership_change)" -eq "$changed"
  expect upstream_cx_destroy_local "$(delta 3a 3b "$HOST" upstream_cx_destroy_local)" -eq "$closed"
  expect upstream_cx_destroy "$(delta 3a 3b "$HOST" upstream_cx_destroy)" -eq "$closed"
  expect upstream_cx_total "$(delta 3a 3b "$HOST" upstream_cx_total)" -eq "$closed"
  expect upstream_cx_destroy_with_active_rq "$(delta 3a 3b "$HOST" upstream_cx_destroy_with_active_rq)" -eq 0
  expect "requests of fortio that answered 200" "$(code_200 fortio.txt)" -ge 300
  expect "other answers to fortio" "$(code_other fortio.txt)" -eq 0
  expect "sockets of fortio" "$(sockets fortio.txt)" = 2
  expect "lost requests of the loop" "$(lost who.txt)" -eq 0
}

mode2() {
  record "$a $b" "$pt"
  stage "$entry" "$a $b" 42 43
  start_clock
  background who.txt who 60 0.2 -m 5 "http://$HOST/"
  local loop=$BACKGROUND
  at 8
  snapshot before netshoot "$HOST"
  kill_a
  at 20
  snapshot dead netshoot "$HOST"
  apply 44
  say ">> $(now) apply 44 (outlier detection)"
  at 40
  apply 45
  say ">> $(now) apply 45 (retry policy)"
  wait "$loop" || die "the loop ended early: $(tail -n 2 "$WORK/raw/who.txt")"
  snapshot after netshoot "$HOST"
  observed before before
  observed after after
  say "answers before: $(awk -v to="$KILLED" '$1 < to {print substr($3, 5)}' "$WORK/raw/who.txt" | sort -u | tr '\n' ' ')"
  say "answers after:  $(awk -v from=$((KILLED + 3)) '$1 >= from {print substr($3, 5)}' "$WORK/raw/who.txt" | sort -u | tr '\n' ' ')"
  loop_lines
  # shellcheck disable=SC2086  # names are words
  table before after "$HOST" $FAIL_COUNTERS
  expect "endpoints before" "$(seen_hosts before)" = "$(sorted "$a" "$b" | tr '\n' ' ' | sed 's/ $//')"
  expect "answers before" "$(awk -v to="$KILLED" '$1 < to {print $3}' "$WORK/raw/who.txt" | sort -u | awk 'END {print NR}')" -eq 2
  expect "answers of backend-a after its death" "$(awk -v from=$((KILLED + 3)) '$1 >= from && $3 == "who=backend-a"' "$WORK/raw/who.txt" | awk 'END {print NR}')" -eq 0
  # Default connectTimeout is 10 s: a request that picks A while its Service still leads to a pod that is
  # on its way out waits longer than the loop does.
  expect "lost requests" "$(lost who.txt)" -le 2
  expect upstream_cx_connect_fail "$(delta before after "$HOST" upstream_cx_connect_fail)" -ge 1
  expect upstream_rq_retry "$(delta before after "$HOST" upstream_rq_retry)" -ge 1
}

mode3() {
  record "$a" "$pt"
  stage "$entry" "$a" 42 43
  snapshot before fortio "$HOST"
  start_clock
  background fortio.txt fortio_load 1 60
  local fortio=$BACKGROUND
  background who.txt who 60 0.5 -m 5 "http://$HOST/"
  local loop=$BACKGROUND
  at 10
  flip
  at 27
  snapshot flipped fortio "$HOST"
  at 30
  kill_a
  wait "$fortio" "$loop" || die "a load ended early: $(tail -n 2 "$WORK/raw/fortio.txt" "$WORK/raw/who.txt" | tr '\n' ' ')"
  snapshot after fortio "$HOST"
  observed before before
  observed flipped flipped
  observed after after
  say "answers from flip to kill: $(answers who.txt "$FLIPPED" "$KILLED")"
  say "answers after the kill:    $(answers who.txt $((KILLED + 3)) $((T0 + 99)))"
  say "kill_to_b_s $(first_b who.txt "$KILLED")"
  loop_lines
  fortio_lines
  # shellcheck disable=SC2086  # names are words
  table before after "$HOST" $L7_COUNTERS
  local between=backend-a remote=1
  pins || { between="backend-a backend-b"; remote=0; }
  expect "DNS after" "$(seen_dns after)" = "$b"
  expect "endpoints when flipped" "$(seen_hosts flipped)" = "$b"
  expect "answers from flip to kill" "$(answers who.txt "$FLIPPED" "$KILLED")" = "$between"
  expect "answers after the kill" "$(answers who.txt $((KILLED + 3)) $((T0 + 99)))" = backend-b
  expect upstream_cx_destroy_remote "$(delta before after "$HOST" upstream_cx_destroy_remote)" -eq "$remote"
  expect upstream_cx_destroy_with_active_rq "$(delta before after "$HOST" upstream_cx_destroy_with_active_rq)" -eq 0
  expect "requests of fortio that answered 200" "$(code_200 fortio.txt)" -ge 450
  expect "other answers to fortio" "$(code_other fortio.txt)" -eq 0
  expect "lost requests of the loop" "$(lost who.txt)" -eq 0
}

case $mode in
  mode1) mode1 ;;
  mode2) mode2 ;;
  mode3) mode3 ;;
esac
verdict
