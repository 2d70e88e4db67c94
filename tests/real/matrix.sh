#!/usr/bin/env bash
# usage: matrix.sh RESULTS PAGE [VERSION…]
# Runs the stories of `make test-real-short`, already built, on each Kubernetes that build-servers.sh knows, or on those that
# are named, and what failed once more, for a busy machine makes stories late. Writes PAGE from what is in the folder RESULTS
# then: of each version what its runs printed, and their results. Fails when a story fails twice or a run breaks off.
set -euo pipefail
results=$(realpath -m "$1")
page=$(realpath -m "$2")
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p "$results"

say() { printf 'matrix: %s\n' "$*" >&2; }

failed_in() {  # FILE: as a filter of gtest
  jq --raw-output '[.testsuites[] | .name as $suite | .testsuite[] | select(.failures) | "\($suite).\(.name)"] | join(":")' "$1"
}

run() {  # VERSION
  local there=$results/$1 failed
  rm -f "$there".*
  say "Kubernetes $1"
  KUBEBUILDER_ASSETS=$(VERSION=$1 ./build-servers.sh)
  export KUBEBUILDER_ASSETS
  "$KUBEBUILDER_ASSETS/etcd" --version | sed -n 's/^etcd Version: //p' >"$there.etcd"
  rm -f ../../build/dev/tests/real/third-?.json
  (cd ../.. && ctest --preset dev --verbose --parallel 3 --label-regex '^real$') >"$there.log" 2>&1 || true
  jq --slurp 'select(length == 3) | {tests: map(.tests) | add, testsuites: map(.testsuites[])}' \
    ../../build/dev/tests/real/third-?.json >"$there.json" || true
  if ! [[ -s "$there.json" ]] || ! grep -qF "kube-apiserver v$1" "$there.log"; then
    say "the run broke off; $there.log ends:"
    tail -n 20 "$there.log" >&2
    exit 1
  fi
  failed=$(failed_in "$there.json")
  [[ -z "$failed" ]] || run_again "$there" "$failed"
  unset KUBEBUILDER_ASSETS
}

run_again() {  # VERSION'S-RESULTS FILTER
  say "once more: $2"
  GTEST_OUTPUT="json:$1.again.json" ../../build/dev/tests/real/test_real --gtest_filter="$2" >"$1.again.log" 2>&1 || true
}

row() {  # VERSION
  local there=$results/$1 again
  [[ -s "$there.json" ]] || return 0
  again=$there.json
  [[ ! -s "$there.again.json" ]] || again=$there.again.json
  # shellcheck disable=SC2016
  jq --raw-output --arg version "$1" --arg etcd "$(<"$there.etcd")" --slurpfile again "$again" '
    def words: gsub("\\s+"; " ") | gsub("\\|"; "\\|");
    def why: [.failures[].failure | split("\n")[1:] | join(" ") | words] | join("; ");
    def failed: [.testsuites[] | .name as $suite | .testsuite[] | select(.failures) | {name: "`\($suite).\(.name)`", why: why}];
    ($again[0] | failed) as $for_good
    | ([failed[].name] - [$for_good[].name]) as $late
    | [$version, $etcd, .tests, .tests - ($for_good | length), ($late | join("<br>")),
       ($for_good | map("\(.name): \(.why)") | join("<br>"))]
    | "| \(map(tostring) | join(" | ")) |"' "$there.json"
}

known=$(./build-servers.sh --versions)
tools=$(./prometheus.sh)
PATH="$PATH:$tools"
for version in ${*:-$known}; do run "$version"; done

{
  cat <<'PAGE'
# Compatibility

Written by `make test-real-matrix`: the tests of [tests/real](../tests/real/README.md) that `make test-real-short` runs, on a
kube-apiserver, an etcd and a kubectl of each of these releases. The newest is what `make test-real` runs on; another is
chosen by `make test-real VERSION=…`. What fails is run once more, for a test may be late on a busy machine.

| Kubernetes | etcd | tests run | passed | only when run once more | failed, and why |
| --- | --- | --- | --- | --- | --- |
PAGE
  for version in $known; do row "$version"; done
} >"$page"
grep '^|' "$page"
! grep -q ' | `[^|]* |$' "$page"
