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
    timeout --kill-after=10 "$seconds" bash -c 'set -euo pipefail; '"$(declare -p HERE ROOT KIT CLUSTER); $(declare -f)"'; "$@"' step "$@"
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

pages() {
  cd -- "$ROOT" || return
  cargo test --locked --test cluster --no-run
  # The node's network leads nowhere.
  on cargo test --locked --offline --test cluster -- --ignored
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
