#!/usr/bin/env bash
# From nothing, or from what is left, to a ready cluster; read by ../cluster, not run.

# check: what `up` needs of the machine; each thing that lacks is named.
check() {
  [ "$(id -u)" = 0 ] || die "needs root"
  local tool lacks=
  for tool in containerd ctr runc nsenter unshare setsid ip iptables sysctl mount openssl find; do
    command -v "$tool" >/dev/null 2>&1 || lacks="$lacks $tool"
  done
  [ -x /usr/lib/cni/bridge ] && [ -x /usr/lib/cni/host-local ] || lacks="$lacks /usr/lib/cni/bridge"
  [ -z "$lacks" ] || die "this machine lacks:$lacks; tools/lab-tools --cluster installs them"
  [ -n "$(cgroup_roots)" ] || die "no cgroup hierarchy is mounted at /sys/fs/cgroup"
  local said probe
  probe=$(cgroup_roots | tail -n 1)/$CLUSTER-probe
  { mkdir "$probe" && rmdir "$probe"; } 2>/dev/null || die "no cgroup can be made here (is /sys/fs/cgroup read-only?)"
  said=$(unshare --net --mount --propagation private bash -euc '
    ip link add probe type bridge
    mount -t tmpfs tmpfs /run
    sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1
    iptables -t nat -L -n >/dev/null' 2>&1) \
    || die "no network and mount namespace of its own is to be had here: $(printf '%s' "$said" | tail -n 1)"
  # A layer of an image is mounted with overlay, which some containers forbid even to root.
  said=$(overlay_works 2>&1) || die "overlay file systems cannot be mounted here: $said"
}

overlay_works() {
  local at code=0
  at=$(mktemp -d "/var/lib/$CLUSTER-probe.XXXXXX")
  mkdir "$at/low" "$at/up" "$at/work" "$at/all"
  unshare --mount --propagation private mount -t overlay overlay \
    -o "lowerdir=$at/low,upperdir=$at/up,workdir=$at/work" "$at/all" || code=1
  rm -rf -- "$at"
  return $code
}

PROCESSES=(etcd containerd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy)

up() {
  case $DNS_LAYOUT in kubeadm | kubespray) ;; *) die "LABDOC_CLUSTER_DNS is kubeadm or kubespray, not $DNS_LAYOUT" ;; esac
  check
  is_built || die "not built; run \`$HERE/cluster build\` first"
  only_ours
  local settings
  settings="domain $DOMAIN, DNS as of $DNS_LAYOUT, Envoy $ENVOY, images $(images_path)"
  if is_up; then
    [ "$(cat "$STATE/up")" = "$settings" ] || die "a cluster with other settings is up ($(cat "$STATE/up")); run down first"
    say "up already"
    return
  fi
  export RUN STATE NODE_IP
  make_node
  identities
  configuration
  control_plane
  node_agents
  add_ons
  printf '%s\n' "$settings" >"$STATE/up"
  say "up: context lab, domain $DOMAIN, Envoy $ENVOY; use it through \`$HERE/cluster exec\`"
}

is_up() {
  local name
  [ -e "$STATE/up" ] || return 1
  for name in node "${PROCESSES[@]}"; do running "$name" >/dev/null || return 1; done
}

# ---- identities -------------------------------------------------------------------------------------

identities() {
  local pki=$STATE/pki
  mkdir -p "$pki"
  chmod 700 "$pki"
  [ ! -e "$pki/done" ] || return 0
  {
    openssl genrsa -out "$pki/ca.key" 2048
    openssl req -x509 -new -key "$pki/ca.key" -subj /CN=lab-ca -days 30 -out "$pki/ca.crt"
    openssl genrsa -out "$pki/sa.key" 2048
    openssl rsa -in "$pki/sa.key" -pubout -out "$pki/sa.pub"
    certificate apiserver /CN=kube-apiserver "IP:$NODE_IP,IP:127.0.0.1,IP:$API_IP,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.$DOMAIN"
    certificate kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
    certificate admin /O=system:masters/CN=lab-admin
    certificate controller-manager /CN=system:kube-controller-manager
    certificate scheduler /CN=system:kube-scheduler
    certificate proxy /CN=system:kube-proxy
    certificate kubelet /O=system:nodes/CN=system:node:lab "IP:$NODE_IP,DNS:lab"
    local name
    for name in admin controller-manager scheduler proxy kubelet; do kubeconfig "$name"; done
  } >"$STATE/pki.log" 2>&1 || die "openssl: $(tail -n 1 "$STATE/pki.log")"
  touch "$pki/done"
}

# certificate NAME SUBJECT [ALTERNATIVE NAMES]
certificate() {
  local at=$STATE/pki/$1
  openssl genrsa -out "$at.key" 2048
  openssl req -new -key "$at.key" -subj "$2" -out "$at.csr"
  printf 'extendedKeyUsage=clientAuth,serverAuth\n%s\n' "${3:+subjectAltName=$3}" >"$at.ext"
  openssl x509 -req -in "$at.csr" -CA "$STATE/pki/ca.crt" -CAkey "$STATE/pki/ca.key" -CAcreateserial -days 30 \
    -extfile "$at.ext" -out "$at.crt"
}

kubeconfig() {
  local config=("$BIN/kubectl" config --kubeconfig="$STATE/$1.kubeconfig") pki=$STATE/pki
  "${config[@]}" set-cluster lab --server="https://$NODE_IP:6443" --certificate-authority="$pki/ca.crt" --embed-certs
  "${config[@]}" set-credentials "$1" --client-certificate="$pki/$1.crt" --client-key="$pki/$1.key" --embed-certs
  "${config[@]}" set-context lab --cluster=lab --user="$1"
  "${config[@]}" use-context lab
}

configuration() {
  local file
  mkdir -p "$STATE/cni" "$STATE/etc"
  : >"$STATE/resolv.conf"
  local service=kube-dns
  [ "$DNS_LAYOUT" = kubeadm ] || service=coredns
  for file in "$HERE"/etc/*; do
    sed -e "s|@STATE@|$STATE|g; s|@RUN@|$RUN|g; s|@NAME@|$CLUSTER|g; s|@DOMAIN@|$DOMAIN|g; s|@NODE_IP@|$NODE_IP|g" \
      -e "s|@DNS_IP@|$DNS_IP|g; s|@DNS_SERVICE@|$service|g; s|@POD_CIDR@|$POD_CIDR|g" "$file" >"$STATE/etc/${file##*/}"
  done
  cp -- "$STATE/etc/cni.conflist" "$STATE/cni/10-lab.conflist"
}

# ---- processes --------------------------------------------------------------------------------------

control_plane() {
  local pki=$STATE/pki
  start etcd "$BIN/etcd" --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
  start containerd containerd --config "$STATE/etc/containerd.toml"
  # By address: by name, the API server would ask DNS for the node, and `exec` and `logs` hang.
  start kube-apiserver "$BIN/kube" kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$NODE_IP" \
    --secure-port=6443 --allow-privileged --service-cluster-ip-range="$SERVICE_CIDR" --authorization-mode=Node,RBAC \
    --enable-admission-plugins=NodeRestriction --client-ca-file="$pki/ca.crt" \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --kubelet-client-certificate="$pki/kubelet-client.crt" --kubelet-client-key="$pki/kubelet-client.key" \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --service-account-issuer="https://kubernetes.default.svc.$DOMAIN" --service-account-key-file="$pki/sa.pub" \
    --service-account-signing-key-file="$pki/sa.key"
  wait_for 90 kube-apiserver kube get --raw /readyz
  start kube-controller-manager "$BIN/kube" kube-controller-manager --leader-elect=false --bind-address=127.0.0.1 \
    --kubeconfig="$STATE/controller-manager.kubeconfig" --authentication-kubeconfig="$STATE/controller-manager.kubeconfig" \
    --authorization-kubeconfig="$STATE/controller-manager.kubeconfig" --use-service-account-credentials \
    --service-account-private-key-file="$pki/sa.key" --root-ca-file="$pki/ca.crt" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key"
  start kube-scheduler "$BIN/kube" kube-scheduler --leader-elect=false --bind-address=127.0.0.1 \
    --kubeconfig="$STATE/scheduler.kubeconfig"
}

node_agents() {
  local image
  wait_for 30 containerd containers version
  for image in "$(images_path)"/*.tar; do
    containers -n k8s.io images import "$image" >/dev/null || die "containerd could not import ${image##*/}"
  done
  start kubelet "$BIN/kube" kubelet --config="$STATE/etc/kubelet.yaml" --kubeconfig="$STATE/kubelet.kubeconfig" \
    --hostname-override=lab --node-ip="$NODE_IP" --root-dir="$STATE/kubelet" --v=1
  wait_for 90 node kube wait --for=condition=Ready node/lab --timeout=1s
  # Only now: started before its node object exists, kube-proxy may give up.
  start kube-proxy "$BIN/kube" kube-proxy --config="$STATE/etc/kube-proxy.yaml"
}
load() {
  holder >/dev/null || die "the cluster is not up"
  containers -n k8s.io images import "$1" >/dev/null || die "containerd could not import $1"
}
containers() { in_node ctr --address "$RUN/containerd.sock" "$@"; }

add_ons() {
  kube apply -f "$STATE/etc/coredns.yaml" -f "$STATE/etc/corefile-$DNS_LAYOUT.yaml" >/dev/null
  kube -n kube-system rollout status deployment/coredns --timeout=120s >&2 || die "the cluster's DNS is not ready"
  in_net "$BIN/istioctl" install -y -f "$STATE/etc/istio.yaml" --set "tag=$ISTIO" \
    --set "values.global.proxy.clusterDomain=$DOMAIN" --set "meshConfig.trustDomain=$DOMAIN" >"$STATE/istioctl.log" 2>&1 \
    || die "istioctl install: $(tail -n 1 "$STATE/istioctl.log")"
  say "istio $ISTIO ready"
}
