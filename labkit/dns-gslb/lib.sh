#!/usr/bin/env bash
# Common code of the lab's scripts: settings, checks before anything is created, the record, undoing.
# Read by the scripts, not run. Snapshots, counters and verdicts are in observe.sh.
set -euo pipefail

KIT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=versions.env
. "$KIT/versions.env"
# shellcheck source=observe.sh
. "$KIT/observe.sh"

SETTINGS='
settings (in front of the command):
  CTX=NAME            kubectl context (default: the current one)
  NS=NAME             namespace of the lab (default: dns-lab)
  ISTIO_NS=NAME       namespace of Istio (default: istio-system)
  REPORTS=FOLDER      where reports go (default: reports)
  IMAGE_PREFIX=HOST/PATH   take every image from this registry (setup.sh)
  OVERLAY=FOLDER      a kustomize Component over every manifest (setup.sh)
  CLUSTER_DNS=ADDRESS CLUSTER_DOMAIN=NAME   instead of looking them up (setup.sh)

exit codes:
  0  done, and every assertion holds
  1  an assertion does not hold
  2  could not run; what lacks is said, and what was changed is put back'

NS=${NS:-dns-lab}
CTX=${CTX:-}
ISTIO_NS=${ISTIO_NS:-istio-system}
REPORTS=${REPORTS:-reports}
HOST=gslb.lab.internal
PT_HOST=gslb-pt.lab.internal
PART_OF=dns-gslb-lab
ME=${0##*/}

k() { kubectl --context "$CTX" "$@"; }
kn() { k -n "$NS" "$@"; }

die() {
  printf '%s: %s\n' "$ME" "$*" >&2
  exit 2
}

# usage TEXT ARGUMENTS…: prints the help and ends where -h or --help is among the arguments.
usage() {
  local text=$1 argument
  shift
  for argument in "$@"; do
    case $argument in -h | --help) printf '%s\n%s\n' "$text" "$SETTINGS"; exit 0 ;; esac
  done
}

# wrong TEXT: an argument that means nothing here.
wrong() {
  printf '%s: %s; see %s --help\n' "$ME" "$*" "$ME" >&2
  exit 2
}

# ---- putting back ----------------------------------------------------------------------------------

WORK=$(mktemp -d "${TMPDIR:-/tmp}/dns-gslb.XXXXXX")
UNDO=()

# undo COMMAND…: run it when the script ends, however it ends; the last one first.
undo() { UNDO[${#UNDO[@]}]=$(printf '%q ' "$@"); }

# The commands run one by one, and one that fails does not keep the others from running.
put_back() {
  local code=$? at
  trap '' INT TERM HUP
  trap - EXIT
  set +e
  at=${#UNDO[@]}
  [ "$at" = 0 ] || [ "$code" -le 1 ] || printf '%s: putting back what was changed\n' "$ME" >&2
  while [ "$at" -gt 0 ]; do
    at=$((at - 1))
    eval "${UNDO[$at]}" || printf '%s: could not put back: %s\n' "$ME" "${UNDO[$at]}" >&2
  done
  rm -rf "$WORK"
  exit "$code"
}
# A command that fails without a word of its own is "could not run", never "differs". In a subshell nothing
# is said: its caller fails next, and says it.
failed() {
  [ "$BASH_SUBSHELL" = 0 ] || exit 2
  [ -z "${STAGED-}" ] || alive || die "namespace $NS is gone: the lab was removed while this ran"
  die "the command at line $1 failed: $2"
}
trap 'failed "$LINENO" "$BASH_COMMAND"' ERR
trap put_back EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
set -E

# Whether the namespace is still to be changed: a cleanup in mid-run takes it away under us.
alive() { [ "$(k get namespace "$NS" --ignore-not-found -o jsonpath='{.status.phase}' 2>/dev/null)" = Active ]; }

# ---- before anything is created --------------------------------------------------------------------

# least HAVE WANT: whether a version (v1.30.6, 1.30.0-alpha…) is not below another.
least() {
  awk -v have="${1#v}" -v want="$2" 'BEGIN {
    split(have, h, /[.+-]/); split(want, w, ".");
    exit !(h[1] + 0 > w[1] + 0 || (h[1] + 0 == w[1] + 0 && h[2] + 0 >= w[2] + 0)) }'
}

tools() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null 2>&1 || die "$tool is not on PATH; install it first"
  done
}

context() {
  local known
  known=$(kubectl config get-contexts -o name) || die "kubectl cannot read its configuration"
  if [ -z "$CTX" ]; then
    CTX=$(kubectl config current-context 2>/dev/null) \
      || die "no current context; name one with CTX= ($(printf '%s' "$known" | tr '\n' ' '))"
  fi
  printf '%s\n' "$known" | grep -Fxq -- "$CTX" \
    || die "no context \"$CTX\" in the kubeconfig; there are: $(printf '%s' "$known" | tr '\n' ' ')"
}

# server: the cluster answers and is new enough.
server() {
  local said
  said=$(k version -o json --request-timeout=10s 2>"$WORK/error") \
    || die "the cluster of context \"$CTX\" does not answer: $(tail -n 1 "$WORK/error")"
  KUBERNETES=$(printf '%s' "$said" | awk -F'"' '/"serverVersion"/ {on = 1} on && $2 == "gitVersion" && !n++ {print $4}')
  least "$KUBERNETES" "$KUBERNETES_LEAST" \
    || die "Kubernetes $KUBERNETES; the kit needs $KUBERNETES_LEAST or newer"
}

istio() {
  local crd ready
  for crd in serviceentries virtualservices destinationrules; do
    k get crd "$crd.networking.istio.io" >/dev/null 2>&1 \
      || die "no kind $crd.networking.istio.io: Istio is not installed behind context \"$CTX\", or you may not read it"
  done
  ready=$(k -n "$ISTIO_NS" get deployment -l app=istiod -o jsonpath='{.items[*].status.readyReplicas}' 2>/dev/null) || true
  [ -n "$ready" ] || die "no ready istiod in namespace $ISTIO_NS (another one: ISTIO_NS=)"
  ISTIO=$(istioctl --context "$CTX" version -i "$ISTIO_NS" --short=true 2>/dev/null \
    | awk '/control plane version/ && !n++ {print $NF}')
  [ -n "$ISTIO" ] || ISTIO=$(istioctl version --remote=false --short 2>/dev/null | awk '!n++ {print $NF}')
  least "$ISTIO" "$ISTIO_LEAST" || die "Istio $ISTIO; the kit needs $ISTIO_LEAST or newer"
}

# rights "VERB KIND [-n NAMESPACE]"…: each that lacks is named, not only the first.
rights() {
  local right lacks=
  for right in "$@"; do
    # shellcheck disable=SC2086  # the words of a right are separate arguments
    [ "$(k auth can-i $right 2>/dev/null)" = yes ] || lacks="$lacks; $right"
  done
  [ -z "$lacks" ] || die "the user of context \"$CTX\" lacks rights: ${lacks#; }"
}

# The checks of every script that runs a scene.
preflight() {
  tools kubectl istioctl awk sed mktemp date
  context
  server
  istio
  rights "create serviceentries.networking.istio.io -n $NS" "delete serviceentries.networking.istio.io -n $NS" \
    "create virtualservices.networking.istio.io -n $NS" "create destinationrules.networking.istio.io -n $NS" \
    "create pods/exec -n $NS" "create pods/portforward -n $NS" "patch deployments/scale -n $NS"
  the_lab_is_there
}

# Never a namespace that happens to have the name.
is_ours() { [ "$(k get namespace "$NS" -o jsonpath='{.metadata.labels.app\.kubernetes\.io/part-of}' 2>/dev/null)" = "$PART_OF" ]; }

the_lab_is_there() {
  local name
  alive || die "no namespace $NS behind context \"$CTX\"; run ./setup.sh first"
  is_ours || die "namespace $NS lacks the label app.kubernetes.io/part-of=$PART_OF: it is not the lab's; another one: NS="
  for name in lab-dns backend-a backend-b fortio netshoot; do
    kn rollout status "deployment/$name" --timeout=60s >/dev/null 2>&1 || die "deployment $name in $NS is not ready; run ./setup.sh again"
  done
}

# ---- manifests --------------------------------------------------------------------------------------

# apply NUMBER…: applies manifests/NUMBER-*.yaml with the namespace, the images and the placeholders.
apply() {
  local number
  for number in "$@"; do render "$number" | k apply -f - >>"$WORK/applied.txt"; done
}

# manifest NUMBER: its path.
manifest() {
  set -- "$KIT/manifests/$1"-*.yaml
  [ -e "$1" ] || die "no manifest $1 in $KIT/manifests"
  printf '%s\n' "$1"
}

render() {
  local at=$WORK/render
  mkdir -p "$at"
  sed -e "s|__CLUSTER_DNS__|${CLUSTER_DNS-}|; s|__CLUSTER_DOMAIN__|${CLUSTER_DOMAIN-}|" \
    -e "s|__LABDNS_IP__|${LABDNS_IP-}|; s|__NAMESPACE__|$NS|" "$(manifest "$1")" >"$at/one.yaml"
  {
    printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: %s\nresources: [one.yaml]\n' "$NS"
    # kustomize wants paths below its own folder, so that an overlay is copied.
    if [ -n "${OVERLAY-}" ]; then
      [ -d "$at/overlay" ] || cp -R -- "$OVERLAY" "$at/overlay"
      printf 'components: [overlay]\n'
    fi
    printf 'images:\n'
    image_list
  } >"$at/kustomization.yaml"
  kubectl kustomize "$at"
}

# The tags of versions.env, and the registry of IMAGE_PREFIX in place of the public one.
image_list() {
  local image name
  for image in $IMAGES; do
    name=${image%:*}
    printf -- '- {name: %s, newTag: "%s"' "$name" "${image##*:}"
    [ -z "${IMAGE_PREFIX-}" ] || printf ', newName: %s/%s' "${IMAGE_PREFIX%/}" "${name#*/}"
    printf '}\n'
  done
}

# ---- addresses and records --------------------------------------------------------------------------

service_ip() { kn get service "$1" -o jsonpath='{.spec.clusterIP}'; }

# The address of the running pod; one that is on its way out does not count.
pod_ip() {
  kn get pods -l "app=$1" -o jsonpath='{range .items[*]}{.metadata.deletionTimestamp}{" "}{.status.podIP}{"\n"}{end}' \
    | awk 'NF == 1 && !n++ {print $1}'
}

# record "ADDRESS…" "ADDRESS…": writes the records of both names, always both: the file is replaced as a
# whole, and a name that is not written again stops resolving.
record() {
  local lines='' address
  for address in $1; do lines="$lines$address $HOST\n"; done
  for address in $2; do lines="$lines$address $PT_HOST\n"; done
  kn exec deploy/lab-dns -c writer -- sh -c "printf '$lines' >/hosts/addn.new && mv /hosts/addn.new /hosts/addn"
}

# The record as setup.sh leaves it: both names at A.
record_a() { record "$(service_ip backend-a)" "$(pod_ip backend-a)"; }

netshoot() { kn exec deploy/netshoot -c netshoot -- "$@"; }

dig() { netshoot dig +short +tries=1 +time=2 "$1" | LC_ALL=C sort; }

# until_is SECONDS WHAT EXPECTED COMMAND…: waits until the command prints what is expected.
until_is() {
  local end=$(($(date +%s) + $1)) what=$2 expected=$3 got=
  shift 3
  while got=$("$@" 2>/dev/null || true); [ "$got" != "$expected" ]; do
    [ "$(date +%s)" -lt "$end" ] || die "$what: expected \"$expected\", still \"$got\""
    sleep 0.5
  done
}

sorted() { printf '%s\n' "$@" | LC_ALL=C sort; }

# served NAME "ADDRESS…": waits until lab-dns answers a name with these addresses.
served() {
  # shellcheck disable=SC2086  # addresses are words
  until_is 20 "DNS answer for $1" "$(sorted $2)" dig "$1"
}

scale_a() {
  kn scale deployment/backend-a --replicas="$1" >/dev/null
  if [ "$1" = 0 ]; then
    kn wait --for=delete pod -l app=backend-a --timeout=60s >/dev/null 2>&1 || true
  else
    kn rollout status deployment/backend-a --timeout=90s >/dev/null
  fi
}

# ---- the stage of a scene ---------------------------------------------------------------------------

ROUTING="serviceentry/gslb-strict serviceentry/gslb-logical serviceentry/gslb-passthrough serviceentry/gslb-passthrough-logical \
serviceentry/gslb-logical-2endpoints virtualservice/gslb-80-to-443 destinationrule/gslb-tls-origination destinationrule/gslb-passthrough-outlier"

# Names of the kinds in full: another API group may have the short ones too.
routing() { local one; for one in $ROUTING; do printf '%s.networking.istio.io/%s\n' "${one%/*}" "${one#*/}"; done; }

delete_routing() {
  # shellcheck disable=SC2046  # one argument each
  kn delete --ignore-not-found $(routing)
}

# After a scene: backend-a runs, both names are at A, and the plain routing is there: so one request
# answers `backend-a 200` again. Nothing is put back into a namespace that is gone.
restore() {
  alive || { printf '%s: namespace %s is gone; nothing to put back\n' "$ME" "$NS" >&2; return 0; }
  scale_a 1
  record_a
  kn delete --ignore-not-found destinationrule.networking.istio.io/gslb-passthrough-outlier \
    serviceentry.networking.istio.io/gslb-passthrough serviceentry.networking.istio.io/gslb-passthrough-logical >/dev/null
  apply 42 43
}

# stage NUMBER "ADDRESS…" [NUMBER…]: from nothing to a ServiceEntry (40, 41, 48 or 50) whose record is there.
# All routing goes first: a variant that stays would share the host, and pools and ejections of the run
# before would be counted as this one's. The record comes before the ServiceEntry: Envoy asks again for a
# name that failed only after up to 60 s.
stage() {
  local entry=$1 addresses=$2 host=$HOST
  shift 2
  case $entry in 48 | 50) host=$PT_HOST ;; esac
  [ -n "${STAGED-}" ] || undo restore
  STAGED=yes
  delete_routing >>"$WORK/applied.txt"
  gone "$host"
  served "$host" "$addresses"
  apply "$entry" "$@"
  local deploy
  # shellcheck disable=SC2086  # addresses are words
  for deploy in fortio netshoot; do
    if [ "$entry" = 41 ] || [ "$entry" = 50 ]; then
      until_is 60 "hosts in the sidecar of $deploy" 1 hosts_count "$deploy" "$host"
    else
      until_is 60 "hosts in the sidecar of $deploy" "$(printf '%s:443\n' $addresses | LC_ALL=C sort)" hosts "$deploy" "$host"
    fi
  done
}

# gone HOST: waits until no sidecar of a client has a cluster of the host.
gone() {
  local deploy
  for deploy in fortio netshoot; do
    until_is 60 "cluster $1 removed from the sidecar of $deploy" 0 hosts_count "$deploy" "$1"
  done
}
