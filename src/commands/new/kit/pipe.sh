#!/usr/bin/env bash
# Counts the lines of a file that comes through a pipe.
set -eu
kept=0
cat "$1" | {
  while read -r _; do kept=$((kept + 1)); done
  echo "counted $kept"
}
echo "kept $kept"
