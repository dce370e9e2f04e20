#!/usr/bin/env bash
# Replays run 20261130T061238Z-aa8bf4 of bundle T2 (content/guide/why-stale.en.md) without labdoc.
# Prints the transcript; exit code 1 when a block ends with another exit code than it should.
# Output is compared by: labdoc evidence judge T2/20261130T061238Z-aa8bf4 FILE
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
}

labdoc_ready=yes

labdoc_begin version 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
labdoc --version
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin site 0 no
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
git init -q site && cd site
git config user.name author && git config user.email author@docs.example
mkdir -p content labkit/demo
printf '[book]\ntitle = "Stale"\nlanguage = "en"\n' > book.toml
printf '#!/bin/sh\necho "lost 0"\n' > labkit/demo/measure.sh
printf 'Notes of the authors.\n' > labkit/demo/notes.txt
cat > content/index.md <<'END'
---
title: Loss
kit: demo
environment: {shell: "5"}
verify:
  workdir: kit
  uses: [measure.sh]
  capture:
    measure.lost: '^lost (\d+)$'
    shell.version: '^bash (\d+)'
  measure: {shell: shell.version}
---

# Loss

```sh {#shell}
echo "bash ${BASH_VERSION%%(*}"
```

```sh {#measure}
sh measure.sh
```

```output {for=measure}
lost 0
```

[A switch loses [0]{=measure.lost} requests]{#C1}.

Some more words about it.
END
cat > content/claims.yaml <<'END'
C1:
  grade: measured
  evidence: [T1#measure]
  expect: ["measure.lost == 0"]
  expires_after: 180d
END
labdoc verify --record --quiet
git add . && git commit -qm 'Recorded'
look() {
  tried=$((tried + 1))
  state=$(labdoc evidence show C1 | sed -n '1s/^C1 //p')
  printf '%-10s %s\n' "$state" "$1"
  if [ "$state" != verified ]; then stale=$((stale + 1)); fi
}
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin same 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
stale=0 tried=0
touch -d 2001-01-01 content/* labkit/demo/*;                look 'other file times'
chmod 600 labkit/demo/measure.sh;                           look 'another mode'
sed -i 's/^\[A switch loses/[A switch\nloses/' content/index.md; look 'the sentence wrapped at another place'
sed -i 's/Some more/Many more/' content/index.md;           look 'another paragraph of the page'
sed -i 's/Notes/Remarks/' labkit/demo/notes.txt;            look 'a kit file that the run could not see'
printf '# New\n' > content/new.md;                          look 'a new page'
sed -i 's/"Stale"/"Fresh"/' book.toml;                      look "the site's title"
echo "stale $stale of $tried"
git checkout -q . && git clean -fdq
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin changed 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
stale=0 tried=0 back=0
why() {
  look "$1"
  labdoc evidence show C1 | sed -n 's/^ = \(.*\(changed\|the run was on\|limit\).*\)/             \1/p'
  git checkout -q .
  if labdoc evidence show C1 | grep -q '^C1 verified'; then back=$((back + 1)); fi
}
echo '# a comment' >> labkit/demo/measure.sh;                  why 'a comment in a kit file'
sed -i 's/^sh measure.sh/sh -e measure.sh/' content/index.md; why 'the text of the block'
sed -i 's/A switch loses/Every switch loses/' content/index.md; why 'the words of the claim'
sed -i 's/lost == 0/lost <= 3/' content/claims.yaml;           why 'the condition of the claim'
sed -i 's/shell: "5"/shell: "6"/' content/index.md;            why 'what the page is about'
echo "stale $stale of $tried"
echo "back to verified $back"
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin age 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
labdoc check --as-of 2031-01-01 2>&1 | grep 'is stale'
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin edited 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
sed -i 's/^lost 0$/lost 1/' evidence/T1/*/result.txt
labdoc evidence show C1 | sed -n '1p'
labdoc check 2>&1 | grep -o '^error.[A-Z0-9]*.: .*edited after the run'
git checkout -q .
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin printed 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
sed -i 's/^lost 0$/lost 7/' content/index.md
labdoc check 2>&1 | grep '^[a-z]*\['
labdoc check --release --quiet > check.log 2>&1; echo "exit code $?"
git checkout -q . && git clean -fdq
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_begin twice 0 yes
IFS= read -r -d '' labdoc_text <<'LABDOC-TEXT'
labdoc build --quiet --out ../one
(umask 077; TZ=Asia/Seoul LC_ALL=ko_KR.UTF-8 labdoc build --quiet --jobs 1 --out ../two)
echo "different files $(diff -rq ../one ../two | wc -l)"
LABDOC-TEXT
eval "$labdoc_text" </dev/null >"$labdoc_work/output" 2>&1
labdoc_end $?

labdoc_torn_down=1
labdoc_teardown
exit 0
