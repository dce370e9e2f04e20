#!/usr/bin/env bash
# Replays run 20261130T060045Z-5109a3 of bundle T1 (content/lab-local/index.md) without labdoc.
# Prints the transcript; exit code 1 when a block ends with another exit code than it should.
# Output is compared by: labdoc evidence judge T1/20261130T060045Z-5109a3 FILE
set +e
labdoc_here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 2
labdoc_work=$(mktemp -d "${TMPDIR:-/tmp}/labdoc-replay.XXXXXX") || exit 2
mkdir "$labdoc_work/home" "$labdoc_work/work" "$labdoc_work/out" || exit 2
labdoc_failed=0
labdoc_ready=
labdoc_open=
labdoc_torn_down=
labdoc_signal=
labdoc_children=

# Prints the output of the block that just ran, with lines that look like marks escaped, and its
# check line: exit code first, and a text that is not compared here is skip, not pass.
labdoc_end() {
  local code=$1 outcome
  LC_ALL=C awk '{ if ($0 ~ /^\\*labdoc-(block|check):/) printf "%s", "\\"; print }' "$labdoc_work/output"
  if [ "$labdoc_expect" != any ] && [ "$code" != "$labdoc_expect" ]; then
    outcome=fail; labdoc_failed=1
  elif [ "$labdoc_compared" = yes ]; then
    outcome=skip
  else
    outcome=pass
  fi
  printf 'labdoc-check: %s %s exit=%s\n' "$labdoc_open" "$outcome" "$code"
  labdoc_open=
}

labdoc_begin() {
  labdoc_open=$1 labdoc_expect=$2 labdoc_compared=$3
  printf 'labdoc-block: %s\n' "$1"
}

# A block that ends the shell ends here: its check is printed, teardown runs.
labdoc_leave() {
  local code=$?
  if [ -z "$labdoc_ready" ]; then rm -rf -- "$labdoc_work"; exit "$code"; fi
  if [ -n "$labdoc_open" ]; then labdoc_end "$code"; labdoc_failed=1; fi
  if [ -z "$labdoc_torn_down" ]; then labdoc_torn_down=1; labdoc_teardown; fi
  for labdoc_child in $labdoc_children; do kill "$labdoc_child" 2>/dev/null; done
  cd /
  rm -rf -- "$labdoc_work"
  exit "${labdoc_signal:-$labdoc_failed}"
}
trap labdoc_leave EXIT
trap 'labdoc_signal=130; exit 130' INT
trap 'labdoc_signal=143; exit 143' TERM

labdoc_kit=${KIT:-}
for labdoc_folder in "$labdoc_here/../../../labkit/dns-gslb-local" "$labdoc_here/../../../../kit/dns-gslb-local/files"; do
  if [ -z "$labdoc_kit" ] && [ -d "$labdoc_folder" ]; then labdoc_kit=$labdoc_folder; fi
done
if [ -z "$labdoc_kit" ]; then echo 'kit dns-gslb-local not found; set KIT=FOLDER' >&2; exit 2; fi
while IFS= read -r labdoc_file; do
  mkdir -p -- "$labdoc_work/work/$(dirname -- "$labdoc_file")" || exit 2
  cp -- "$labdoc_kit/$labdoc_file" "$labdoc_work/work/$labdoc_file" || exit 2
  case $(head -c 2 -- "$labdoc_work/work/$labdoc_file" | tr -d '\000') in '#!') chmod 755 -- "$labdoc_work/work/$labdoc_file" ;; esac
done <<'LABDOC-FILES'
configs/envoy-l4-logical.yaml
configs/envoy-l4-outlier.yaml
configs/envoy-l4-strict.yaml
configs/envoy-logical-noretry.yaml
configs/envoy-logical.yaml
configs/envoy-noretry.yaml
configs/envoy-outlier-retry.yaml
configs/envoy-outlier.yaml
configs/envoy-retry.yaml
configs/envoy-strict.yaml
configs/envoy-tax.yaml
configs/nginx-a-idle.conf
configs/nginx-a.conf
configs/nginx-b.conf
lab
lablib/__init__.py
lablib/envoy.py
lablib/lifecycle.py
lablib/passthrough.py
lablib/preflight.py
lablib/report.py
lablib/scenes.py
lablib/scenes_dead.py
lablib/scenes_l4.py
lablib/stream.py
lablib/world.py
LABDOC-FILES

export COLUMNS='120'
export LANG='C.UTF-8'
export LINES='40'
export NO_COLOR='1'
export TERM='dumb'
export TZ='UTC'
export HOME=$labdoc_work/home LABDOC_OUT=$labdoc_work/out
cd -- "$labdoc_work/work" || exit 2
shopt -s expand_aliases

labdoc_teardown() {
  :

  labdoc_begin down 0 no
  IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab down
LABDOC-TEXT
  eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
  labdoc_end $?
}

labdoc_ready=yes

labdoc_begin preflight 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab preflight
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin up 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab up
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin mode1-strict 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene mode1-strict
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin mode1-logical 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene mode1-logical
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin mode3-logical 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene mode3-logical
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin noretry-503 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene noretry-503
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin retry-503 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene retry-503
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin tax 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene tax
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin outlier 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene outlier
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin outlier-retry 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene outlier-retry
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin multi-a-strict 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene multi-a-strict
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin multi-a-logical 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene multi-a-logical
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin multi-a-dead 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene multi-a-dead
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin inflight-strict 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene inflight-strict
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin inflight-logical 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene inflight-logical
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin idle-unpin 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene idle-unpin
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin inflight-strict-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene inflight-strict-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin inflight-logical-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene inflight-logical-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin pin-strict-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene pin-strict-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin pin-logical-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene pin-logical-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin dead-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene dead-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin outlier-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene outlier-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin hang-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene hang-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin single-outlier-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene single-outlier-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin failover-l4 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
./lab scene failover-l4
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_torn_down=1
labdoc_teardown
exit 0
