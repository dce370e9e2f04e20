#!/bin/sh
# Fetches the lab kit @TITLE@, file by file, into a new folder, and checks every file.
#   sh fetch.sh [ADDRESS [FOLDER]]
# ADDRESS is that of the kit's page (the folder in which this script is published), FOLDER the
# folder that is made. Nothing is run, nothing outside the folder is written, nothing is sent.
# The braces make the shell read all of it before it does any of it.
{
set -u
LC_ALL=C
export LC_ALL
umask 022

url=@URL@
target=@TOP@
digest=@DIGEST@
temp=

fail() {
  printf 'fetch.sh: %s\n' "$*" >&2
  exit 1
}

# Whether a file of the kit is a script (mode 755).
is_script() {
  case $1 in
@SCRIPTS@    *) return 1 ;;
  esac
}

# https, or http on this machine.
check_address() {
  case $1 in
    https://?*) return 0 ;;
    http://*) ;;
    *) return 1 ;;
  esac
  host=${1#http://}
  host=${host%%/*}
  case $host in
    *@*) return 1 ;;
    '[::1]' | '[::1]:'*) return 0 ;;
  esac
  host=${host%%:*}
  case $host in
    localhost) return 0 ;;
    127.*) case $host in *[!0-9.]*) return 1 ;; esac ;;
    *) return 1 ;;
  esac
}

# A path as it is written in an address.
encode() {
  case $1 in
    *[!A-Za-z0-9._~/-]*) printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g;s/%2f/\//g' ;;
    *) printf '%s' "$1" ;;
  esac
}

# get PATH FILE; wget and curl take https_proxy from the environment.
get() {
  from=$url/files/$(encode "$1")
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --globoff --output "$2" "$from"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$from"
  else
    fail 'neither curl nor wget is here; take the archive or all.txt from the page'
  fi
}

hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1"
  else
    fail 'none of sha256sum, shasum, openssl is here; the kit could not be checked'
  fi | cut -d ' ' -f 1
}

# check FILE DIGEST NAME
check() {
  found=$(hash_of "$1") || exit 1
  [ "$found" = "$2" ] && return 0
  fail "$3 has sha256 ${found:-(none)}, expected $2: changed kit, or a proxy answered with its own page. Nothing was kept."
}

# A path that stays inside the folder.
check_path() {
  case $1 in
    '' | /* | *\\* | .. | ../* | */.. | */../* | . | ./* | */. | */./* | *//* | */)
      fail "the list has a path that is refused: $1" ;;
  esac
}

[ $# -gt 0 ] && url=$1
[ $# -gt 1 ] && target=$2
[ -n "$url" ] || fail 'this kit does not know its address; run: sh fetch.sh ADDRESS'
url=${url%/index.html}
url=${url%/}
check_address "$url" || fail "the address must begin with https:// (http:// only on this machine): $url"
case $target in /*) ;; *) target=./$target ;; esac
{ [ -e "$target" ] || [ -L "$target" ]; } && fail "$target exists already; move it away or name another folder"

temp=$target.part.$$
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$temp" || { temp=; exit 1; }

get SHA256SUMS "$temp/SHA256SUMS" || fail "cannot get $url/files/SHA256SUMS"
check "$temp/SHA256SUMS" "$digest" SHA256SUMS

count=0
while IFS= read -r line; do
  sum=${line%%  *}
  path=${line#*  }
  check_path "$path"
  case $path in */*) mkdir -p "$temp/${path%/*}" || exit 1 ;; esac
  get "$path" "$temp/$path" || fail "cannot get $path. Nothing was kept."
  check "$temp/$path" "$sum" "$path"
  if is_script "$path"; then chmod 755 "$temp/$path"; else chmod 644 "$temp/$path"; fi || exit 1
  count=$((count + 1))
done <"$temp/SHA256SUMS"

{ [ -e "$target" ] || [ -L "$target" ]; } && fail "$target appeared meanwhile. Nothing was kept."
mv "$temp" "$target" || exit 1
printf '%s files in %s, all as published (sha256 of SHA256SUMS: %s)\n' "$count" "$target" "$digest"
exit 0
}
