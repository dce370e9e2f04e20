#!/usr/bin/env bash
# The steps of ../test; read by it, not run. A step is a function or a command that ends with 0.

PASSED=0
FAILED=0

# step NAME COMMAND…: its output goes to a log, of which the end is shown where it failed.
step() {
  local name=$1 started=$SECONDS left
  shift
  left=$((LIMIT - (SECONDS - BEGIN)))
  if [ "$left" -gt 0 ] && limited "$left" "$@" >"$LOGS/$name.txt" 2>&1; then
    PASSED=$((PASSED + 1))
    printf 'ok      %-28s %s s\n' "$name" $((SECONDS - started))
  else
    FAILED=$((FAILED + 1))
    [ "$left" -gt 0 ] || echo "no time is left of $LIMIT s" >"$LOGS/$name.txt"
    printf 'FAILED  %-28s %s s\n' "$name" $((SECONDS - started))
    tail -n 25 "$LOGS/$name.txt" | sed 's/^/        /'
  fi
}

# limited SECONDS COMMAND…: a function too is ended when its time is over.
limited() {
  local seconds=$1
  shift
  if [ "$(type -t "$1")" = function ]; then
    # shellcheck disable=SC2016  # for the inner shell
    timeout --kill-after=10 "$seconds" bash -c 'set -euo pipefail; '"$(declare -p HERE ROOT KIT CLUSTER LABDOC_IMAGE); $(declare -f)"'; "$@"' step "$@"
  else
    timeout --kill-after=10 "$seconds" "$@"
  fi
}

on() { "$CLUSTER" exec "$@"; }
kit() { on "$KIT/$1" "${@:2}"; }

# others: everything outside the lab's namespace, without what changes by itself.
others() {
  on kubectl get all,configmaps,secrets,serviceentries,virtualservices,destinationrules -A -o json | jq -S '
    [.items[] | select(.metadata.namespace != "dns-lab")
      | select(.metadata.annotations["control-plane.alpha.kubernetes.io/leader"] == null and (.metadata.name | endswith("-leader") | not))
      | del(.status, .metadata.resourceVersion, .metadata.managedFields, .metadata.generation)]'
}
others_are_the_same() {
  others >"$LOGS/others-after.yaml"
  diff -u "$LOGS/others-before.yaml" "$LOGS/others-after.yaml"
}
no_lab() {
  [ -z "$(on kubectl get namespace dns-lab --ignore-not-found -o name)" ] || { echo "namespace dns-lab is there"; return 1; }
  [ -z "$(on kubectl get serviceentries,virtualservices,destinationrules -A -o name)" ] || { echo "routing objects are left"; return 1; }
}

life_cycle() {
  kit setup.sh
  kit cleanup.sh
  no_lab
  kit cleanup.sh
  others_are_the_same
  kit setup.sh
  kit setup.sh
}

# says CODE TEXT COMMAND…: ends with this code and says this.
says() {
  local code=0 said want=$1 text=$2
  shift 2
  said=$("$@" 2>&1) || code=$?
  printf '%s\n' "$said"
  [ "$code" = "$want" ] || { echo "exit $code, expected $want"; return 1; }
  case $said in *"$text"*) ;; *) echo "does not say: $text"; return 1 ;; esac
}

# What a user may get wrong: a sentence and exit 2, and nothing is made.
wrong_uses() {
  local at
  at=$(mktemp -d "$LOGS/wrong.XXXXXX")
  says 2 'no context "nope" in the kubeconfig; there are: lab' env CTX=nope "$CLUSTER" exec "$KIT/setup.sh"
  mkdir "$at/bin"
  ln -s "$(command -v bash)" "$(command -v dirname)" "$(command -v mktemp)" "$(command -v rm)" "$(command -v awk)" "$(command -v sed)" "$(command -v date)" "$at/bin"
  says 2 'kubectl is not on PATH' on env PATH="$at/bin" bash "$KIT/setup.sh"
  ln -s "$(on sh -c 'command -v kubectl')" "$at/bin/kubectl"
  says 2 'istioctl is not on PATH' on env PATH="$at/bin" bash "$KIT/setup.sh"
  says 2 'lacks the label' env NS=kube-system "$CLUSTER" exec "$KIT/setup.sh"
  says 2 'lacks the label' env NS=kube-system "$CLUSTER" exec "$KIT/cleanup.sh"
  says 2 'mode2 is for strict only' kit flip-test.sh logical mode2
  # A user who may read only.
  on sh -c "cp \$KUBECONFIG $at/poor && kubectl create serviceaccount poor -n default \
    && kubectl create clusterrolebinding poor --clusterrole=view --serviceaccount=default:poor \
    && kubectl --kubeconfig=$at/poor config set-credentials poor --token=\$(kubectl create token poor -n default) \
    && kubectl --kubeconfig=$at/poor config set-context --current --user=poor"
  says 2 'lacks rights' on env KUBECONFIG="$at/poor" "$KIT/cleanup.sh" || { poor_goes; return 1; }
  poor_goes
  # A cluster that does not answer.
  on sh -c "cp \$KUBECONFIG $at/gone && kubectl --kubeconfig=$at/gone config set-cluster lab --server=https://127.0.0.1:1"
  says 2 'does not answer' on env KUBECONFIG="$at/gone" "$KIT/cleanup.sh"
}
poor_goes() { on kubectl delete clusterrolebinding/poor serviceaccount/poor -n default; }

# The lab is taken away in the middle of a flip: no object is left, and the flip puts none back.
cleanup_in_mid_flip() {
  kit flip-test.sh strict mode1 >"$LOGS/mid-flip.txt" 2>&1 &
  local flip=$! code=0
  wait_for_line "$LOGS/mid-flip.txt" '>> .* FLIP'
  kit cleanup.sh
  wait "$flip" || code=$?
  cat "$LOGS/mid-flip.txt"
  [ "$code" = 2 ] || { echo "the flip ended with $code, expected 2"; return 1; }
  no_lab
  others_are_the_same
  kit setup.sh
}

wait_for_line() {
  for _ in $(seq 600); do
    ! grep -q "$2" "$1" || return 0
    sleep 0.1
  done
  echo "never said: $2"
  return 1
}

# Ctrl-C after A was killed: A runs again and both names are at A.
interrupted() {
  setsid "$CLUSTER" exec "$KIT/flip-test.sh" logical mode3 >"$LOGS/interrupt.txt" 2>&1 &
  local flip=$! code=0
  wait_for_line "$LOGS/interrupt.txt" '>> .* KILL'
  # A shell starts its background jobs deaf to SIGINT, so that it is SIGTERM here.
  kill -TERM -- "-$flip"
  wait "$flip" || code=$?
  cat "$LOGS/interrupt.txt"
  [ "$code" = 143 ] || { echo "ended with $code, expected 143"; return 1; }
  [ "$(on kubectl -n dns-lab get deployment backend-a -o jsonpath='{.status.readyReplicas}')" = 1 ]
  local a
  a=$(on kubectl -n dns-lab get service backend-a -o jsonpath='{.spec.clusterIP}')
  on kubectl -n dns-lab exec deploy/lab-dns -c writer -- grep -q "^$a gslb.lab.internal$" /hosts/addn
}

compile() { (cd -- "$ROOT" && cargo test --locked --test cluster --no-run); }

# The pods of cluster-run are of an image with the labdoc that is tested.
LABDOC_IMAGE=lab.local/labdoc:test
pages() {
  cd -- "$ROOT" || return
  python3 "$HERE/labdoc_image.py" "${CARGO_TARGET_DIR:-target}/debug/labdoc" "$(on sh -c 'command -v kubectl')" "$LABDOC_IMAGE" "$LOGS"
  "$CLUSTER" load "$LOGS"/lab.local_labdoc_*.tar
  rm -f -- "$LOGS"/lab.local_labdoc_*.tar
  # The node's network leads nowhere.
  on env LABDOC_IMAGE="$LABDOC_IMAGE" cargo test --locked --offline --test cluster -- --ignored
}

# strictly: each manifest against the API server's schemas, unknown fields included.
strictly() {
  local file
  for file in "$KIT"/manifests/*.yaml; do
    case $file in */00-* | */51-*) continue ;; esac
    sed -e 's/__CLUSTER_DNS__/10.96.0.10/; s/__LABDNS_IP__/10.96.0.11/; s/__CLUSTER_DOMAIN__/homelab.local/; s/__NAMESPACE__/dns-lab/' "$file" \
      | on kubectl apply --dry-run=server --validate=strict -f -
  done
}

short_set() {
  step life-cycle life_cycle
  step wrong-uses wrong_uses
  step strict-mode1 kit flip-test.sh strict mode1
  step logical-mode1 kit flip-test.sh logical mode1
  step logical-mode3 kit flip-test.sh logical mode3
  step inflight-strict kit dns-inflight-4snap.sh strict
  step refusal kit dns-multi-a.sh refusal
  step manifests strictly
  step cleanup kit cleanup.sh
  step other-namespaces others_are_the_same
  step pages pages
}

# ---- the long set -----------------------------------------------------------------------------------

# Every scene, by name and command.
SCENE_LIST='
strict-mode1|flip-test.sh strict mode1
logical-mode1|flip-test.sh logical mode1
strict-mode2|flip-test.sh strict mode2
logical-mode3|flip-test.sh logical mode3
inflight-strict|dns-inflight-4snap.sh strict
inflight-logical|dns-inflight-4snap.sh logical
passthrough-inflight-strict|dns-passthrough-inflight.sh strict
passthrough-inflight-logical|dns-passthrough-inflight.sh logical
churn-stages|dns-churn-stages.sh
passthrough-churn|dns-passthrough-churn.sh
passthrough-outlier|dns-passthrough-outlier.sh
multi-a|dns-multi-a.sh
keepalive-pin|dns-keepalive-pin.sh pin
keepalive-idle|dns-keepalive-pin.sh idle
inflight-strict-http2|dns-inflight-4snap.sh strict --http2
inflight-logical-http2|dns-inflight-4snap.sh logical --http2
inflight-strict-stream|dns-inflight-4snap.sh strict --stream
inflight-logical-stream|dns-inflight-4snap.sh logical --stream
retry|dns-retry-tax.sh retry
tax|dns-retry-tax.sh tax
'

long_set() {
  local round name command
  step life-cycle life_cycle
  step wrong-uses wrong_uses
  step manifests strictly
  for round in 1 2 3; do
    while IFS='|' read -r name command; do
      [ -n "$name" ] || continue
      case " ${SCENES:-$name} " in *" $name "*) ;; *) continue ;; esac
      # shellcheck disable=SC2086  # a command and its arguments
      step "$name-$round" kit $command
    done <<<"$SCENE_LIST"
  done
  step cleanup-in-mid-flip cleanup_in_mid_flip
  step interrupted interrupted
  step cleanup kit cleanup.sh
  step other-namespaces others_are_the_same
  step pages pages
  step crash crash
  step other-dns-layout other_dns_layout
  all_runs >"$LOGS/all-runs.md"
}

# all_runs: verdict and counters of all reports of this run, a line each. A report with several tables says
# before each which part it is of.
all_runs() {
  local file
  printf '| report | part | counter | before | after | delta |\n|---|---|---|---:|---:|---:|\n'
  for file in "$REPORTS"/*.md; do
    awk -v report="$(basename "$file" .md)" '
      /^```/ {block++}
      block != 1 {next}
      /^>> .* stage [0-9]:/ {part = substr($0, index($0, "stage"), 7)}
      /^-- / {part = substr($0, 4)}
      /^[0-9a-z]+: requests / {part = substr($1, 1, length($1) - 1)}
      /requests [0-9]+  lost / {print "| " report " | " part " | " $0 " | | | |"}
      / -> / && / = -?[0-9]+$/ {print "| " report " | " part " | " $1 " | " $2 " | " $(NF - 2) " | " $NF " |"}
      /^result: / {print "| " report " | | **" $0 "** | | | |"}' "$file"
  done
}

# The cluster is killed while it starts, at three moments; then down leaves nothing, and up works.
crash() {
  local seconds pid
  "$CLUSTER" down
  for seconds in 1 4 9; do
    setsid "$CLUSTER" up >"$LOGS/crash-up.txt" 2>&1 &
    pid=$!
    sleep "$seconds"
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    "$CLUSTER" status
  done
  "$CLUSTER" down
  nothing_left
  "$CLUSTER" down
  "$CLUSTER" up
  "$CLUSTER" up
}

nothing_left() {
  local left
  left=$(find /run /var/lib /sys/fs/cgroup -maxdepth 2 -name 'labdoc-cluster*' 2>/dev/null; grep labdoc-cluster /proc/mounts || true)
  [ -z "$left" ] || { echo "left: $left"; return 1; }
}

# DNS Service and Corefile in the manner of kubespray.
other_dns_layout() {
  "$CLUSTER" down
  LABDOC_CLUSTER_DNS=kubespray "$CLUSTER" up
  kit setup.sh
  on kubectl -n kube-system get service coredns
  kit dns-multi-a.sh refusal
  kit cleanup.sh
}
