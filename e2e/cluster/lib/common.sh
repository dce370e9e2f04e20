#!/usr/bin/env bash
# Names and small helpers of the cluster; read by ../cluster, not run.
# shellcheck disable=SC2034  # the other files use them

# shellcheck source=../versions.env
. "$HERE/versions.env"

CLUSTER=labdoc-cluster
CACHE=${LABDOC_CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/$CLUSTER}
# All that a running cluster has on this machine: these two folders and one tree of cgroups.
STATE=/var/lib/$CLUSTER
RUN=/run/$CLUSTER
DOMAIN=${LABDOC_CLUSTER_DOMAIN:-homelab.local}
DNS_LAYOUT=${LABDOC_CLUSTER_DNS:-kubeadm}
NODE_IP=172.30.0.2
POD_CIDR=10.244.0.0/24
SERVICE_CIDR=10.96.0.0/16
API_IP=10.96.0.1
DNS_IP=10.96.0.10
export KUBECONFIG=$STATE/admin.kubeconfig

# Debian keeps containerd's and iptables' programs out of a user's PATH, and Go's own archive puts it where
# no PATH leads.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/go/bin

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'cluster: %s\n' "$*" >&2
  exit 2
}

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || die "$what: not ready in time; logs are in $STATE"
    sleep 0.3
  done
  say "$what ready"
}
