#!/usr/bin/env bash
# A program that says nothing on --help ends the making of manual pages, which names it.
# usage: manuals.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

programs=$(mktemp -d)
trap 'rm -r "$programs"' EXIT
printf '#!/bin/sh\necho nlc 1\n' >"$programs/nlc"
printf '#!/bin/sh\n' >"$programs/node-lifecycle-controller"
chmod +x "$programs"/*
ulimit -v 1000000
if said=$(timeout 10 packaging/manuals.sh "$programs" "$programs/manuals" 2>&1); then
  echo "manuals: it did not end with an error" >&2
  exit 1
fi
[[ "$said" == *"node-lifecycle-controller: what it says on --help"* ]] || { echo "manuals: it said \"$said\"" >&2; exit 1; }
