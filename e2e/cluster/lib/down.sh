#!/usr/bin/env bash
# The end of the cluster, however it was left, and what runs of it; read by ../cluster, not run.

down() {
  [ "$(id -u)" = 0 ] || die "needs root"
  only_ours
  # Nothing of its state is kept, so nothing is asked to end in good order.
  end_all
  remove_cgroups
  # The mounts of the node ended with its last process; no other file system is entered.
  rm -rf --one-file-system -- "$STATE" "$RUN" || die "not everything below $STATE and $RUN can be removed"
  say down
}

# What is in the cluster's cgroups is the cluster's: containers, their shims, what a crash left.
end_all() {
  local pid round
  for round in $(seq 100); do
    [ -n "$(pids)" ] || return 0
    for pid in $(pids); do
      [ "$pid" != 0 ] || die "processes of the cluster run in another pid namespace; run \`cluster down\` there"
      kill -KILL "$pid" 2>/dev/null || true
    done
    sleep 0.1
  done
  die "after $round rounds these processes do not end: $(pids | tr '\n' ' ')"
}

# A cgroup is busy for a moment after its last process has ended.
remove_cgroups() {
  local root
  for _ in $(seq 50); do
    cgroup_roots | while IFS= read -r root; do
      [ ! -d "$root/$CLUSTER" ] || find "$root/$CLUSTER" -depth -type d -exec rmdir -- {} + 2>/dev/null || true
    done
    [ -n "$(cgroups_left)" ] || return 0
    sleep 0.1
  done
  die "these cgroups are left: $(cgroups_left)"
}
cgroups_left() {
  local root
  cgroup_roots | while IFS= read -r root; do [ ! -d "$root/$CLUSTER" ] || printf '%s ' "$root/$CLUSTER"; done
}

status() {
  local name pid
  if ! holder >/dev/null; then
    if [ -e "$RUN" ] || [ -n "$(pids)" ]; then say "not up, but something is left of a crash: run down"; else say "not up"; fi
    return
  fi
  only_ours
  for name in "${PROCESSES[@]}"; do
    if pid=$(running "$name"); then printf '%-24s running, pid %s\n' "$name" "$pid"; else printf '%-24s stopped\n' "$name"; fi
  done
  kube get nodes,pods -A -o wide 2>/dev/null || say "the API server does not answer"
}
