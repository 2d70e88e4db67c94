#!/usr/bin/env bash
# usage: fuzz.sh BUILD RUNS [READER…]
# Runs the libFuzzer targets that BUILD has, those of all readers or of those named, RUNS times each and two at once. They
# begin with what is in tests/bytes and with what earlier runs found; what is new stays in BUILD/bytes. Prints a table, and
# for each crash its file and what repeats it. Fails when there is one. Crashes of earlier runs stay as well, and are told of:
# they belong into tests/bytes/crashes.
set -euo pipefail
build=$(realpath "$1")
runs=$2
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")"
targets=$build/tests/bytes
found=$build/bytes
(($#)) || set -- corpus/*/

fuzz() {  # READER
  local reader=$1 corpus=$found/corpus/$1 crashes=$found/crashes/$1 seeds=()
  mkdir -p "$corpus" "$crashes"
  for folder in "corpus/$reader" "crashes/$reader"; do
    [[ ! -d "$folder" ]] || seeds+=("$folder")
  done
  printf 'bytes: %s\n' "$reader" >&2
  touch "$found/$reader.began"
  "$targets/bytes_$reader" -runs="$runs" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$crashes/" "$corpus" "${seeds[@]}" >"$found/$reader.log" 2>&1 || true
}

# READER [!]: those of this run, also where an earlier one had them; with ! those of earlier runs alone
crashes_of() { find "$found/crashes/$1" -type f ${2:+"$2"} -newer "$found/$1.began" | sort; }
stat_of() { sed -n "s/^stat::$2: *//p" "$found/$1.log" | tail -n 1; }  # READER NAME

export -f fuzz
export targets found runs
mkdir -p "$found"
readers=()
for reader; do readers+=("$(basename "$reader")"); done
printf '%s\n' "${readers[@]}" | xargs --max-procs=2 -I READER bash -euc 'fuzz READER'

failed=0
printf '\n%-16s %12s %10s %8s\n' reader executions 'a second' crashes
for reader in "${readers[@]}"; do
  mapfile -t crashes < <(crashes_of "$reader")
  printf '%-16s %12s %10s %8s\n' "$reader" "$(stat_of "$reader" number_of_executed_units)" \
    "$(stat_of "$reader" average_exec_per_sec)" "${#crashes[@]}"
  ((failed += ${#crashes[@]})) || true
  # A run that broke off otherwise has no such line.
  [[ -n "$(stat_of "$reader" number_of_executed_units)" ]] || { tail -n 20 "$found/$reader.log" >&2; failed=1; }
done
for reader in "${readers[@]}"; do
  mapfile -t crashes < <(crashes_of "$reader")
  for crash in "${crashes[@]}"; do
    printf '\n%s: %s\n' "$reader" "$(grep -m 1 -E 'what\(\): |SUMMARY: |runtime error: ' "$found/$reader.log")"
    printf '  %s %s\n' "$targets/bytes_$reader" "$crash"
  done
  mapfile -t earlier < <(crashes_of "$reader" !)
  ((${#earlier[@]} == 0)) || printf '\n%s: %d crashes of earlier runs are still in %s\n' "$reader" "${#earlier[@]}" \
    "$found/crashes/$reader"
done
((failed == 0))
