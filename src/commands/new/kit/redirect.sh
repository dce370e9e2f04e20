#!/usr/bin/env bash
# Counts the lines of a file that is read directly.
set -eu
kept=0
while read -r _; do kept=$((kept + 1)); done < "$1"
echo "counted $kept"
echo "kept $kept"
