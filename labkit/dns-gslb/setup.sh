#!/usr/bin/env bash
# Sets the lab up: namespace, certificate, GSLB simulator, two backends, two clients.
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage 'usage: ./setup.sh

Creates the namespace of the lab and everything in it, and nothing anywhere else. Takes one to two
minutes, without the time for pulling images. Run again, it changes nothing that is as it should be.

example:
  CTX=homelab ./setup.sh
  ./flip-test.sh strict mode1
  ./cleanup.sh' "$@"
[ $# = 0 ] || wrong "unknown argument $1"

# dns_service: the address of the cluster's DNS. The label is the same with kubeadm (Service kube-dns),
# kubespray (coredns) and others, the name is not. Headless Services and those without port 53 do not count.
dns_service() {
  k -n kube-system get services -l k8s-app=kube-dns \
    -o jsonpath='{range .items[*]}{.spec.clusterIP}{" "}{.spec.ports[*].port}{"\n"}{end}' \
    | awk '$1 != "None" && $1 != "" {for (at = 2; at <= NF; at++) if ($at == 53 && !n++) print $1}'
}

# cluster_domain: the first zone of the `kubernetes` plugin in a Corefile of the cluster's DNS; where the
# plugin names none it serves the zones of its server block. Reverse zones do not count.
cluster_domain() {
  k -n kube-system get configmaps -o jsonpath='{range .items[*]}{.data.Corefile}{"\n"}{end}' | awk '
    function zone(word) {
      sub(/^(dns|tls):\/\//, "", word); sub(/:[0-9]+$/, "", word); sub(/\.$/, "", word)
      return word != "" && word != "{" && word !~ /(^|\.)(in-addr|ip6)\.arpa$/ && word !~ /^[0-9a-f.:]+\/[0-9]+$/ ? word : ""
    }
    {sub(/#.*/, "")}
    depth == 0 && NF {block = $0}
    $1 == "kubernetes" && !found {
      words = NF; from = 2; split($0, word)
      if (zone(word[2]) == "") {words = split(block, word); from = 1}
      for (at = from; at <= words; at++) if (zone(word[at]) != "") {print zone(word[at]); found = 1; break}
    }
    {depth += gsub(/{/, "{") - gsub(/}/, "}")}'
}

tools kubectl istioctl openssl awk sed mktemp date
context
say "== [0] preflight (context=$CTX) =="
server
istio
rights "create namespaces" "list services -n kube-system" "list configmaps -n kube-system" \
  "create secrets -n $NS" "create configmaps -n $NS" "create services -n $NS" "create deployments.apps -n $NS" \
  "create pods/exec -n $NS" "create serviceentries.networking.istio.io -n $NS"
phase=$(k get namespace "$NS" --ignore-not-found -o jsonpath='{.status.phase}')
if [ "$phase" = Terminating ]; then
  say "namespace $NS is still being deleted; waiting"
  k wait --for=delete "namespace/$NS" --timeout=120s >/dev/null || die "namespace $NS does not go away"
elif [ -n "$phase" ]; then
  is_ours || die "namespace $NS exists and lacks the label app.kubernetes.io/part-of=$PART_OF: it is not the lab's; another one: NS="
fi
CLUSTER_DNS=${CLUSTER_DNS:-$(dns_service)}
[ -n "$CLUSTER_DNS" ] || die "no Service of the cluster's DNS in kube-system (label k8s-app=kube-dns); name its address with CLUSTER_DNS="
CLUSTER_DOMAIN=${CLUSTER_DOMAIN:-$(cluster_domain)}
[ -n "$CLUSTER_DOMAIN" ] || die "no Corefile with the kubernetes plugin in a ConfigMap of kube-system; name the domain with CLUSTER_DOMAIN="
if [ -n "${OVERLAY-}" ]; then [ -e "$OVERLAY/kustomization.yaml" ] || die "OVERLAY=$OVERLAY holds no kustomization.yaml"; fi
say "Kubernetes $KUBERNETES, Istio $ISTIO"

say "== [1] server certificate (signs itself, SAN $HOST, $PT_HOST) =="
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=$HOST" -addext "subjectAltName=DNS:$HOST,DNS:$PT_HOST" \
  -keyout "$WORK/tls.key" -out "$WORK/tls.crt" 2>"$WORK/error" || die "openssl: $(tail -n 1 "$WORK/error")"

say "== [2] namespace and secret =="
render 00 | k apply -f -
# A certificate that is there stays: the backends would otherwise run on with the one before.
if ! kn get secret gslb-tls >/dev/null 2>&1; then
  kn create secret tls gslb-tls --cert="$WORK/tls.crt" --key="$WORK/tls.key"
fi

rolled_out() {
  local name
  for name in "$@"; do
    if ! kn rollout status "deployment/$name" --timeout=180s | tail -n 1; then
      kn get pods -l "app=$name" -o wide >&2 || true
      kn get events --field-selector type=Warning 2>/dev/null | tail -n 5 >&2 || true
      die "deployment $name is not ready after 180 s; the events above may say why"
    fi
  done
}

say "== [3] lab-dns: the GSLB =="
say "cluster DNS = $CLUSTER_DNS"
apply 10
rolled_out lab-dns

say "== [4] backends =="
apply 20
rolled_out backend-a backend-b

say "== [4b] first value of the GSLB =="
a=$(service_ip backend-a)
say "backend-a = $a"
say "backend-b = $(service_ip backend-b)"
record_a
say "$HOST -> $a"

say "== [5] clients =="
LABDNS_IP=$(service_ip lab-dns)
say "lab-dns = $LABDNS_IP"
say "cluster domain = $CLUSTER_DOMAIN"
apply 30
rolled_out fortio netshoot
for name in fortio netshoot; do
  kn get pods -l "app=$name" -o jsonpath='{.items[*].spec.containers[*].name} {.items[*].spec.initContainers[*].name}' \
    | grep -qw istio-proxy \
    || die "$name has no sidecar: does Istio inject into namespaces with the label istio-injection=enabled here?"
done
served "$HOST" "$a"
say "== ready =="
