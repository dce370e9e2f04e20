#!/usr/bin/env bash
# Replays run 20261130T094347Z-6a09d8 of bundle T1 (content/lab-local/index.md) without labdoc.
# Prints the transcript; exit code 1 when a block ends with another exit code than it should.
# Output is compared by: labdoc evidence judge T1/20261130T094347Z-6a09d8 FILE
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
labdoc_save=' \builtin printf '\''builtin cd -- %q\n'\'' "${PWD-}" >&9; \builtin umask -p >&9; \builtin shopt -p >&9; \builtin declare -p >&9; \builtin declare -f >&9; \builtin declare -F >&9; \builtin alias -p >&9; \builtin trap -p >&9; \builtin printf '\''set --'\'' >&9; \builtin printf '\'' %q'\'' "$@" >&9; \builtin printf '\''\n'\'' >&9; \builtin set +o >&9;'

# What every replay has in common; the plan of the run stands below it.
#
# The blocks run in a bash of their own, the session, one after the other, while this one watches.
# So a block may end its shell: the next block begins in a new one, in the state that the last
# finished block left. Nothing of what is written here is seen by a block.
set +e
# shellcheck disable=SC2034 # the kit and the page's folder are found from here
labdoc_here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 2
labdoc_work=$(mktemp -d "${TMPDIR:-/tmp}/labdoc-replay.XXXXXX") || exit 2
labdoc_groups=()
trap 'labdoc_clear' EXIT
trap 'labdoc_stop 130' INT
trap 'labdoc_stop 143' TERM
mkdir "$labdoc_work"/{home,work,out,shell,text,lines,state,output} || exit 2
mkfifo "$labdoc_work/report" || exit 2
exec 9<>"$labdoc_work/report"
labdoc_cwd=$labdoc_work/work
labdoc_env=("HOME=$labdoc_work/home" "LABDOC_OUT=$labdoc_work/out")
labdoc_ids=() labdoc_expects=() labdoc_compares=()
labdoc_count=0 labdoc_next=0 labdoc_teardown=''
labdoc_shells=0 labdoc_failed=0 labdoc_signal='' labdoc_state=''

# Ends what still runs and removes all files.
labdoc_clear() {
  local group
  cd /
  for group in "${labdoc_groups[@]}"; do kill -KILL -- "-$group"; done 2>/dev/null
  rm -rf -- "$labdoc_work"
}

# A signal ends the block that runs; teardown still runs, and ends with a second signal.
labdoc_stop() {
  [ ${#labdoc_groups[@]} -gt 0 ] || exit "$1"
  labdoc_signal=$1
  kill -KILL -- "-${labdoc_groups[${#labdoc_groups[@]} - 1]}" 2>/dev/null
  printf 'end %s - %s\n' "$labdoc_shells" "$1" >&9
}

# Takes in one block, its text on standard input: ID EXIT COMPARED ROLE [OPTION…]. ROLE is page,
# on-failure, teardown or skip. Options: apart (standard error is not printed), retry=SECONDS,
# background=SECONDS with ready=COMMAND (how long it may take until that succeeds).
labdoc_add() {
  local at=$labdoc_count
  labdoc_ids[at]=$1 labdoc_expects[at]=$2 labdoc_compares[at]=$3
  if [ "$4" = teardown ] && [ -z "$labdoc_teardown" ]; then labdoc_teardown=$at; fi
  cat >"$labdoc_work/text/$at"
  if [ "$4" != skip ]; then labdoc_lines "$@"; fi >"$labdoc_work/lines/$at"
  labdoc_count=$((at + 1))
}

# Prints the lines of the session that run block number $at. Neither aliases nor functions nor
# options of the page change what they do.
# shellcheck disable=SC2016,SC2028,SC2154 # the session expands them; bash is the only reader
labdoc_lines() {
  local expect=$2 role=$4 work option streams='2>&$((LINENO=1,1))' retry='' limit='' ready=''
  work=$(printf %q "$labdoc_work")
  shift 4
  for option in "$@"; do
    case $option in
      apart) streams='1>&$((LINENO=1,1)) 2>/dev/null' ;;
      retry=*) retry=${option#*=} ;;
      background=*) limit=${option#*=} ;;
      ready=*) ready=${option#*=} ;;
    esac
  done
  local text="\"\$(<$work/text/$at)" output=$work/output/$at
  if [ "$role" = on-failure ]; then echo "if [[ -e $work/failed ]]; then"; fi
  if [ -n "$limit" ]; then
    echo "( \\builtin eval $text\" ) </dev/null >|$output.late 2>&1 &"
    echo "\\builtin disown; labdoc_code=0 labdoc_until=\$((SECONDS + $limit))"
    if [ -n "$ready" ]; then
      echo "until ${ready//@OUTPUT@/$output.late}; do"
      echo 'if [[ $SECONDS -ge $labdoc_until ]]; then labdoc_code=1; \builtin break; fi; \builtin command sleep 0.1; done'
    fi
  else
    if [ -n "$retry" ]; then echo "labdoc_until=\$((SECONDS + $retry)); while :; do"; fi
    echo "\\builtin eval $text\$( \\builtin exit \"\$labdoc_code\")\" </dev/null >|$output $streams"
    echo 'labdoc_code=$?'
    if [ -n "$retry" ]; then
      echo "if [[ $expect = any || \$labdoc_code = $expect || \$SECONDS -ge \$labdoc_until ]]; then \\builtin break; fi"
      echo '\builtin command sleep 1; done'
    fi
  fi
  if [ "$expect" != any ]; then echo "[[ \$labdoc_code = $expect ]] || \\builtin : >|$work/failed"; fi
  echo "{$labdoc_save } 9>|$work/state/$at 2>/dev/null"
  echo "\\builtin printf 'ran @SHELL@ $at %s\\n' \"\$labdoc_code\" >>$work/report"
  if [ "$role" = on-failure ]; then
    echo "else \\builtin printf 'skip @SHELL@ $at -\\n' >>$work/report; fi"
  fi
}

# Starts a session that runs all blocks from the next one on.
labdoc_start() {
  local at line work
  work=$(printf %q "$labdoc_work")
  labdoc_shells=$((labdoc_shells + 1))
  {
    printf '\\builtin shopt -s expand_aliases; \\builtin cd -- %q\n' "$labdoc_cwd"
    printf '%s\n' '\builtin unset -v OLDPWD; \builtin declare -x OLDPWD; labdoc_code=0'
    if [ -n "$labdoc_state" ]; then
      # shellcheck disable=SC2016 # the session reads it
      printf '\\builtin eval "$(<%s/state/%s)"\n' "$work" "$labdoc_state"
      printf '%s\n' '\builtin set +o errexit +o nounset'
    fi
    for ((at = labdoc_next; at < labdoc_count; at++)); do
      printf '\\builtin printf '\''begin %s %s -\\n'\'' >>%s/report\n' "$labdoc_shells" "$at" "$work"
      while IFS= read -r line; do printf '%s\n' "${line//@SHELL@/$labdoc_shells}"; done <"$labdoc_work/lines/$at"
    done
    printf '\\builtin printf '\''done %s - -\\n'\'' >>%s/report\n' "$labdoc_shells" "$work"
    printf '%s\n' '\builtin exit >/dev/null'
  } >"$labdoc_work/shell/bash"
  # In a process group of its own, so that it can be ended whole.
  set -m
  (
    cd "$labdoc_work/shell" || exit
    env -i "${labdoc_env[@]}" bash --noprofile --norc bash </dev/null >/dev/null 2>&1
    printf 'end %s - %s\n' "$labdoc_shells" "$?" >>"$labdoc_work/report"
  ) 9>&- 2>/dev/null &
  labdoc_groups+=($!)
  set +m
  # It may be killed in its last moment; nobody is to be told of that.
  disown "$!"
}

# Says of the blocks before number $1 that were not run that they were not.
labdoc_skip() {
  while [ "$labdoc_next" -lt "$1" ]; do
    printf 'labdoc-block: %s\nlabdoc-check: %s skip\n' "${labdoc_ids[labdoc_next]}" "${labdoc_ids[labdoc_next]}"
    labdoc_next=$((labdoc_next + 1))
  done
}

# Prints what block number $1 printed, with lines that look like marks escaped, and its check. The
# exit code $2 decides; a text that is not compared here is skip, not pass.
labdoc_print() {
  local at=$1 code=$2 outcome
  labdoc_skip "$at"
  printf 'labdoc-block: %s\n' "${labdoc_ids[at]}"
  if [ -e "$labdoc_work/output/$at" ]; then
    LC_ALL=C awk '{ if ($0 ~ /^\\*labdoc-(block|check):/) printf "%s", "\\"; print }' "$labdoc_work/output/$at"
  fi
  if [ "${labdoc_expects[at]}" != any ] && [ "$code" != "${labdoc_expects[at]}" ]; then
    outcome=fail labdoc_failed=1
    : >"$labdoc_work/failed"
  elif [ "${labdoc_compares[at]}" = yes ]; then
    outcome=skip
  else
    outcome=pass
  fi
  printf 'labdoc-check: %s %s exit=%s\n' "${labdoc_ids[at]}" "$outcome" "$code"
  labdoc_next=$((at + 1))
}

# Runs all blocks from the next one on, in as many sessions as it takes.
labdoc_run() {
  local word shell at code first open ended
  while [ "$labdoc_next" -lt "$labdoc_count" ]; do
    first=$labdoc_next open='' ended=''
    labdoc_start
    while read -r word shell at code <&9; do
      [ "$shell" = "$labdoc_shells" ] || continue
      case $word in
        begin) open=$at ;;
        ran) labdoc_print "$at" "$code"; labdoc_state=$at open='' ;;
        skip) open='' ;;
        done) ended=yes ;;
        end) break ;;
      esac
    done
    if [ -n "$open" ]; then
      labdoc_print "$open" "$code"
    elif [ -n "$ended" ]; then
      labdoc_skip "$labdoc_count"
    elif [ "$labdoc_next" = "$first" ] && [ -z "$labdoc_signal" ]; then
      echo 'no session can be started: is bash in PATH?' >&2
      exit 2
    fi
    [ -z "$labdoc_signal" ] || return
  done
}

# Runs the plan; the exit code is that of the replay.
labdoc_replay() {
  labdoc_run
  if [ -n "$labdoc_signal" ]; then
    labdoc_skip "${labdoc_teardown:-$labdoc_count}"
    local signal=$labdoc_signal
    labdoc_signal=''
    labdoc_run
    labdoc_skip "$labdoc_count"
    exit "$signal"
  fi
  exit "$labdoc_failed"
}

labdoc_env+=(COLUMNS='120')
labdoc_env+=(LANG='C.UTF-8')
labdoc_env+=(LINES='40')
labdoc_env+=(NO_COLOR='1')
labdoc_env+=(TERM='dumb')
labdoc_env+=(TZ='UTC')
for labdoc_name in PATH SHELL SSL_CERT_DIR SSL_CERT_FILE; do
  if [ -n "${!labdoc_name+set}" ]; then labdoc_env+=("$labdoc_name=${!labdoc_name}"); fi
done

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

labdoc_add preflight 0 yes page <<'LABDOC-TEXT'
./lab preflight
LABDOC-TEXT

labdoc_add up 0 yes page <<'LABDOC-TEXT'
./lab up
LABDOC-TEXT

labdoc_add mode1-strict 0 yes page <<'LABDOC-TEXT'
./lab scene mode1-strict
LABDOC-TEXT

labdoc_add mode1-logical 0 yes page <<'LABDOC-TEXT'
./lab scene mode1-logical
LABDOC-TEXT

labdoc_add mode3-logical 0 yes page <<'LABDOC-TEXT'
./lab scene mode3-logical
LABDOC-TEXT

labdoc_add noretry-503 0 yes page <<'LABDOC-TEXT'
./lab scene noretry-503
LABDOC-TEXT

labdoc_add retry-503 0 yes page <<'LABDOC-TEXT'
./lab scene retry-503
LABDOC-TEXT

labdoc_add tax 0 yes page <<'LABDOC-TEXT'
./lab scene tax
LABDOC-TEXT

labdoc_add outlier 0 yes page <<'LABDOC-TEXT'
./lab scene outlier
LABDOC-TEXT

labdoc_add outlier-retry 0 yes page <<'LABDOC-TEXT'
./lab scene outlier-retry
LABDOC-TEXT

labdoc_add multi-a-strict 0 yes page <<'LABDOC-TEXT'
./lab scene multi-a-strict
LABDOC-TEXT

labdoc_add multi-a-logical 0 yes page <<'LABDOC-TEXT'
./lab scene multi-a-logical
LABDOC-TEXT

labdoc_add multi-a-dead 0 yes page <<'LABDOC-TEXT'
./lab scene multi-a-dead
LABDOC-TEXT

labdoc_add inflight-strict 0 yes page <<'LABDOC-TEXT'
./lab scene inflight-strict
LABDOC-TEXT

labdoc_add inflight-logical 0 yes page <<'LABDOC-TEXT'
./lab scene inflight-logical
LABDOC-TEXT

labdoc_add idle-unpin 0 yes page <<'LABDOC-TEXT'
./lab scene idle-unpin
LABDOC-TEXT

labdoc_add inflight-strict-l4 0 yes page <<'LABDOC-TEXT'
./lab scene inflight-strict-l4
LABDOC-TEXT

labdoc_add inflight-logical-l4 0 yes page <<'LABDOC-TEXT'
./lab scene inflight-logical-l4
LABDOC-TEXT

labdoc_add pin-strict-l4 0 yes page <<'LABDOC-TEXT'
./lab scene pin-strict-l4
LABDOC-TEXT

labdoc_add pin-logical-l4 0 yes page <<'LABDOC-TEXT'
./lab scene pin-logical-l4
LABDOC-TEXT

labdoc_add dead-l4 0 yes page <<'LABDOC-TEXT'
./lab scene dead-l4
LABDOC-TEXT

labdoc_add outlier-l4 0 yes page <<'LABDOC-TEXT'
./lab scene outlier-l4
LABDOC-TEXT

labdoc_add hang-l4 0 yes page <<'LABDOC-TEXT'
./lab scene hang-l4
LABDOC-TEXT

labdoc_add single-outlier-l4 0 yes page <<'LABDOC-TEXT'
./lab scene single-outlier-l4
LABDOC-TEXT

labdoc_add failover-l4 0 yes page <<'LABDOC-TEXT'
./lab scene failover-l4
LABDOC-TEXT

labdoc_add down 0 yes teardown <<'LABDOC-TEXT'
./lab down
LABDOC-TEXT

labdoc_replay
