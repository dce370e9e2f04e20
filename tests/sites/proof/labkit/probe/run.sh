#!/bin/sh
# Prints what the file says.
read -r lost kept <"$1"
echo "lost $lost"
echo "kept $kept"
