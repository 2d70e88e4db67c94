#!/usr/bin/env bash
# Installs the libraries of a build into a folder of their own, builds the project beside this script against nothing but
# that folder, and runs it against an embedded cluster.
# usage: check.sh BUILD-FOLDER NLC-PROGRAM
set -euo pipefail
build=$(realpath "$1")
nlc=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() { printf 'installed package: %s\n' "$*" >&2; exit 1; }
folder=$(mktemp -d)
cluster=
trap '[[ -z "$cluster" ]] || kill "$cluster"; rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" --component library >"$folder/log"
cmake -S . -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" -DEXAMPLES="$(realpath ../../docs)" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; fail "it is not found"; }
cmake --build "$folder/build" --parallel 2 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "users do not build"; }

# Waits, 20 s at most, until FILE has a line that matches.
until_said() {  # FILE PATTERN
  local left
  for ((left = 200; left > 0; --left)); do
    grep -q "$2" "$1" 2>/dev/null && return
    sleep 0.1
  done
  cat "$1"
  fail "not said: $2"
}

"$nlc" cluster --nodes 5 --port 0 --kubeconfig "$folder/kubeconfig" >"$folder/cluster" &
cluster=$!
until_said "$folder/cluster" 'all nodes and pods run'

said=$("$folder/build/node_count" "$folder/kubeconfig")
[[ "$said" == "5 nodes" ]] || fail "node_count says: $said"

"$folder/build/election_example" outsider "$folder/kubeconfig" >"$folder/example" &
example=$!
until_said "$folder/example" started
kill -TERM "$example"
wait "$example" || fail "election_example ended with $?"
grep -q stopped "$folder/example" || fail "election_example did not stop leading"
echo "installed package: found, built against and run"
