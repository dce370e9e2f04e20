#!/usr/bin/env bash
# Scenes with a dead address in the answer; read by the scripts that run one, not run.

# Sets SERVICE_A, SERVICE_B, POD_A and POD_B: the pod's address is to be known before the pod goes away.
addresses() {
  SERVICE_A=$(service_ip backend-a) SERVICE_B=$(service_ip backend-b)
  POD_A=$(pod_ip backend-a) POD_B=$(pod_ip backend-b)
}
both() { record "$SERVICE_A $SERVICE_B" "$POD_A $POD_B"; }

# serial_loop FILE SECONDS [CURL ARGUMENT…]: requests one after another without a pause, in the background.
serial_loop() {
  local file=$1 seconds=$2
  shift 2
  background "$file" who "$seconds" 0 "$@"
}

# loss FILE: what a loop came to, in one line.
loss() {
  local all gone
  all=$(requests "$1") gone=$(lost "$1")
  printf 'requests %s  lost %s (%s %%)  slow (0.9 s or more) %s (%s %%)' "$all" "$gone" "$(percent "$gone" "$all")" \
    "$(slow "$1" 0.9)" "$(percent "$(slow "$1" 0.9)" "$all")"
}

# few FILE: two of a hundred. A retry draws a host again, and rarely draws the dead one each time.
few() { echo $(($(requests "$1") / 50)); }

# flags LABEL ADDRESS: health_flags of one host in a snapshot.
flags() { part "$1" hosts | awk -F'::' -v host="$2:443" '$2 == host && $3 == "health_flags" {print $4}'; }
