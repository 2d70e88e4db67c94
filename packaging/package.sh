#!/usr/bin/env bash
# Writes the Debian packages of a build's programs and libraries, and a tarball of both.
# usage: package.sh BUILD-FOLDER OUTPUT-FOLDER
set -euo pipefail

build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/identity.sh "$build"
umask 022

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rm -f "$out"/*.deb "$out"/*.tar.gz
for generator in DEB TGZ; do
  cpack --config "$build/CPackConfig.cmake" -G "$generator" -B "$folder" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }
done
mv "$folder"/*.deb "$folder"/*.tar.gz "$out/"
(cd "$out" && ls -l -- *.deb *.tar.gz | awk '{print $5 " bytes", $9}')
