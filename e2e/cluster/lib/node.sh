#!/usr/bin/env bash
# The node: who owns it, its namespaces and cgroup, starting a process in it; read by ../cluster, not run.
#
# One process holds a network and a mount namespace that have no name, so that nothing of them can outlive
# the last process. No interface of the network leads to the machine's, so no packet can leave. What
# containerd, kubelet and CNI write to fixed places (/run/containerd, /var/lib/cni, /var/log/pods, …) goes
# to file systems of the mount namespace and ends with it.

# Every process of the cluster is in one tree of cgroups, so that `down` finds it without a pid file too.
cgroup_roots() {
  local at=/sys/fs/cgroup
  # One root where there is cgroup v2 only; else each hierarchy of v1, and v2's beside them.
  if [ -e $at/cgroup.procs ]; then printf '%s\n' $at; return; fi
  for at in /sys/fs/cgroup/*; do
    [ -L "$at" ] || [ ! -e "$at/cgroup.procs" ] || printf '%s\n' "$at"
  done
}
home_cgroup() { printf '%s/%s/system' "$(cgroup_roots | tail -n 1)" "$CLUSTER"; }

# pids: all processes of the cluster; 0 stands for one that this pid namespace does not show.
pids() {
  local root
  cgroup_roots | while IFS= read -r root; do
    [ ! -d "$root/$CLUSTER" ] || find "$root/$CLUSTER" -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done | sort -un
}

# The owner of the running cluster: the folder of its recipe. Another one's is neither used nor ended.
owner() { cat "$RUN/owner" 2>/dev/null || true; }
only_ours() {
  local by
  by=$(owner)
  [ "$by" != "$HERE" ] || return 0
  # Leftovers without a process belong to nobody. Ours are all in the cgroups; of a folder that names no
  # owner only the pid files are known.
  [ -n "$by" ] || ! runs_by_pid_files || die "a cluster whose owner is unknown runs here (see $RUN)"
  [ -z "$(pids)" ] || die "a cluster of ${by:-an unknown owner} runs here; end it with its own \`cluster down\`"
}
runs_by_pid_files() {
  local file
  for file in "$RUN"/*.pid; do
    [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && return
  done
  return 1
}

holder() {
  local pid
  pid=$(running node) && printf '%s\n' "$pid"
}

# running NAME: its pid, where it runs. A pid that was given to another program since is not ours, and one
# that ended but was not waited for has no program any more.
running() {
  local pid
  pid=$(cat "$RUN/$1.pid" 2>/dev/null) && [ -e "/proc/$pid/exe" ] \
    && grep -q "/$CLUSTER/" "/proc/$pid/cgroup" 2>/dev/null && printf '%s\n' "$pid"
}

# in_net COMMAND…: the node's network, the machine's files. in_node COMMAND…: both the node's. Never
# `ip netns exec`: it gives each command a mount namespace of its own, and a pod's volumes, mounted by the
# kubelet, would be invisible to containerd.
in_net() { nsenter --target "$(holder)" --net -- "$@"; }
in_node() { nsenter --target "$(holder)" --net --mount -- "$@"; }
kube() { in_net "$BIN/kubectl" --cache-dir="$STATE/cache" "$@"; }

exec_in_node() {
  holder >/dev/null || die "the cluster is not up"
  PATH=$BIN:$PATH KUBECACHEDIR=$STATE/cache exec nsenter --target "$(holder)" --net -- "$@"
}

make_node() {
  if holder >/dev/null && [ -e "$RUN/node.done" ]; then return; fi
  # What a crash left has lost its namespaces, or never had whole ones.
  end_all
  rm -rf --one-file-system -- "$STATE" "$RUN"
  mkdir -p "$STATE/empty" "$RUN"
  printf '%s\n' "$HERE" >"$RUN/owner"
  make_cgroups
  # The namespaces are there when their holder has written its pid, from inside.
  # shellcheck disable=SC2016  # for the shell in the node
  in_cgroup setsid unshare --net --mount --propagation private -- \
    bash -c 'echo $$ >"$1" && exec sleep infinity' hold "$RUN/node.pid" >"$STATE/node.log" 2>&1 </dev/null &
  wait_for 10 namespaces holder
  in_node bash -euc "$(declare -f node_files node_network); node_files; node_network" >>"$STATE/node.log" 2>&1 \
    || die "the node's file systems or network cannot be made: $(tail -n 1 "$STATE/node.log")"
  touch "$RUN/node.done"
}

make_cgroups() {
  local root at
  cgroup_roots | while IFS= read -r root; do
    mkdir -p "$root/$CLUSTER" || exit 1
    # cgroup v2 hands a controller on only where it is told to; the kubelet asks for these.
    for at in "$root" "$root/$CLUSTER"; do
      [ ! -e "$at/cgroup.subtree_control" ] || for controller in cpu cpuset memory pids; do
        echo "+$controller" 2>/dev/null >"$at/cgroup.subtree_control" || true
      done
    done
  done || die "no cgroup can be made below /sys/fs/cgroup"
  mkdir -p "$(home_cgroup)"
}

# Runs inside the node. The sockets and pids of $RUN stay reachable from outside.
node_files() {
  local at
  mount --bind "$RUN" "$STATE/empty"
  mount -t tmpfs tmpfs /run
  mkdir -p "$RUN"
  mount --move "$STATE/empty" "$RUN"
  for at in /var/log /var/lib/cni /var/lib/kubelet; do
    [ ! -d "$at" ] || mount -t tmpfs tmpfs "$at"
  done
}

node_network() {
  ip link set lo up
  ip link add node0 type bridge
  ip addr add "$NODE_IP/24" dev node0
  ip link set node0 up
  # A bridge without a port: nothing answers there, nothing leaves.
  ip route add default dev node0
  # Pods on one bridge reach each other's Services only where bridged packets pass iptables.
  sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1
}

in_cgroup() {
  echo "$BASHPID" >"$(home_cgroup)/cgroup.procs" || exit 1
  exec "$@"
}

# start NAME COMMAND…: unless it runs already. Not a function in the background: its subshell's pid would
# not be the program's, which is why in_cgroup ends in exec.
start() {
  local name=$1
  shift
  running "$name" >/dev/null && return
  in_cgroup setsid nsenter --target "$(holder)" --net --mount -- "$@" >"$STATE/$name.log" 2>&1 </dev/null &
  echo $! >"$RUN/$name.pid"
}
