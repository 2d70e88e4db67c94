#!/usr/bin/env bash
# Prints the folder with prometheus and promtool: where they are installed, else Debian's package `prometheus`, unpacked
# once into a cache folder. It is not installed: that would start a service on every machine that runs the tests.
set -euo pipefail

say() { printf 'prometheus: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

if installed=$(command -v promtool) && command -v prometheus >/dev/null; then
  dirname "$installed"
  exit 0
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/nlc-real-servers/prometheus"
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9
if [[ ! -x "$cache/usr/bin/promtool" ]]; then
  say "fetching Debian's package"
  fetched=$(mktemp -d)
  trap 'rm -rf "$fetched"' EXIT
  cd "$fetched"
  fetch() { apt-get download -q prometheus >apt.log 2>&1; }
  as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  fetch || { "${as_root[@]}" apt-get update >update.log 2>&1 && fetch; } ||
    fail "Debian's package prometheus cannot be had ($(tail -n 1 apt.log)); install it, or put prometheus and promtool on the PATH"
  dpkg-deb --extract prometheus_*.deb "$fetched/new"
  rm -rf "$cache/usr"
  mv "$fetched/new/usr" "$cache/usr" # a broken-off download leaves nothing behind
fi
echo "$cache/usr/bin"
