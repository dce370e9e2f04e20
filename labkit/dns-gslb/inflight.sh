#!/usr/bin/env bash
# The course of an in-flight scene; read by dns-inflight-4snap.sh and dns-passthrough-inflight.sh, not run.

# Start, flip and looks are timed by this one process: started apart, the moments drift by minutes.
# in_flight HOST URL slow|stream A B: runs it, prints it, judges what holds for every variant.
in_flight() {
  local host=$1 url=$2 path=$3 a=$4 b=$5 size=409610 late=30 slow
  [ "$path" = slow ] || { size=1228810; late=110; }
  snapshot before netshoot "$host"
  start_clock
  say ">> $(now) CURL_LAUNCH (T0=$T0)"
  background curl.txt netshoot curl -s -k --http1.1 -m 180 -o /tmp/inflight.bin -D /tmp/inflight.head \
    -w 'CURL_EXIT=%{exitcode} SIZE=%{size_download} TIME=%{time_total} HTTPCODE=%{http_code}\n' "$url"
  slow=$BACKGROUND
  at 5
  flip_to_b
  say ">> $(now) FLIP_DONE (t=+$(($(date +%s) - T0))s)"
  at 12
  snapshot mid1 netshoot "$host"
  at "$late"
  snapshot mid2 netshoot "$host"
  wait "$slow" || true
  say ">> $(now) CURL_WAIT_DONE (t=+$(($(date +%s) - T0))s)"
  at $(($(date +%s) - T0 + 3))
  snapshot after netshoot "$host"
  looks "$host"
  received "$size"
  NEXT=$(netshoot curl -s -k --http1.1 -m 10 "${url%"$path"}" | head -n 1)
  say "next request $NEXT"
  expect "DNS before" "$(seen_dns before)" = "$a"
  expect "DNS at the end" "$(seen_dns after)" = "$b"
  expect "endpoints at the end" "$(seen_hosts after)" = "$b"
  expect "connections in mid-flight" "$(counter mid2 "$host" upstream_cx_active)" -ge 1
}

flip_to_b() { record "$(service_ip backend-b)" "$(pod_ip backend-b)"; }

# looks HOST: the four snapshots side by side.
looks() {
  local label name
  for label in before mid1 mid2 after; do
    say "$(printf '%-7s dns %s  endpoints %s' $label "$(seen_dns $label)" "$(seen_hosts $label)")"
  done
  for name in membership_change upstream_cx_total upstream_cx_active upstream_cx_destroy upstream_cx_destroy_local \
    upstream_cx_destroy_remote upstream_cx_destroy_with_active_rq; do
    say "$(printf '%-36s %s -> %s -> %s -> %s = %s' $name "$(counter before "$1" $name)" "$(counter mid1 "$1" $name)" \
      "$(counter mid2 "$1" $name)" "$(counter after "$1" $name)" "$(delta before after "$1" $name)")"
  done
}

# received SIZE: curl's last line, and whether every byte came from A.
received() {
  local file
  say "$(tail -n 1 "$WORK/raw/curl.txt")"
  # shellcheck disable=SC2016  # for the shell in the pod
  file=$(netshoot sh -c 'echo "$(wc -c </tmp/inflight.bin) $(head -n 1 /tmp/inflight.bin) $(tail -n +2 /tmp/inflight.bin | tr -d X | wc -c)"')
  say "received bytes ${file%% *}, first line $(echo "$file" | awk '{print $2}'), bytes that are no X ${file##* }"
  expect "received" "$file" = "$1 backend-a 0"
  expect "end of curl" "$(awk 'END {print $1, $2, $4}' "$WORK/raw/curl.txt")" = "CURL_EXIT=0 SIZE=$1 HTTPCODE=200"
}
