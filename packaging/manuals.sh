#!/usr/bin/env bash
# Writes manual pages, made from what each program says on --help: one for each program and one for each command of nlc.
# usage: manuals.sh FOLDER-OF-PROGRAMS OUTPUT-FOLDER
set -euo pipefail

programs=$(realpath "$1")
version=$("$programs/nlc" --version)  # behind the program's name
version=${version#* }
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$(dirname "${BASH_SOURCE[0]}")" log -1 --format=%ct)}
rm -rf "$2"
mkdir -p "$2"
cd "$2"

page() {  # SEE-ALSO PROGRAM [COMMAND]
  local also=$1 name
  shift
  name=$(IFS=-; echo "$*")
  "$programs/$1" "${@:2}" --help | awk -v name="$name" -v version="$version" -v date="$(date --utc --date="@$epoch" +%F)" \
    -v also="$also" "$to_roff" | gzip -9n >"$name.1.gz"
}

# First what it is, then "Usage:", then sections ("Options:", …) of rows. A row begins after two spaces with a flag, a
# command or an argument; what it does stands beside it, or in lines indented deeper. Examples stay as they are.
to_roff='
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  sub(/^[.\047]/, "\\\\\\&&", text)
  return text
}
{ line[NR] = $0 }
END {
  while (++usage <= NR && line[usage] !~ /^Usage: /) {}
  if (usage > NR) {
    print "manuals: " name ": what it says on --help has no \"Usage:\"" >"/dev/stderr"
    exit 1
  }
  summary = line[1] " " line[2]
  sub(/[.:?] .*|[.:?]$/, "", summary)
  printf ".TH %s 1 %s \"node\\-lifecycle\\-controller %s\" \"Kubernetes node lifecycle controller\"\n", toupper(name), date, version
  print ".nh\n.ad l\n.SH NAME\n" roff(name) " \\- " roff(summary)
  print ".SH SYNOPSIS\n" roff(substr(line[usage], 8)) "\n.SH DESCRIPTION"
  for (i = 1; i < usage; ++i) print (line[i] ~ /^ / ? ".nf\n" roff(line[i]) "\n.fi" : roff(line[i]))
  for (i = usage + 1; i <= NR; ++i) {
    if (line[i] ~ /^Example/ || line[i] ~ /^[^ ].*:$/) {
      if (examples) print ".fi"
      examples = line[i] ~ /^Example/
      print ".SH " roff(toupper(substr(line[i], 1, length(line[i]) - 1)))
      if (examples) print ".nf"
    } else if (examples) {
      print roff(line[i])
    } else if (match(line[i], /^  [^ ]+( [A-Z][^ ]*)?( \.\.\.)?/)) {
      print ".TP\n.B " roff(substr(line[i], 3, RLENGTH - 2))
      rest = substr(line[i], RLENGTH + 1)
      if (sub(/^ +/, "", rest)) print roff(rest)
    } else if (sub(/^ +/, "", line[i])) {
      print roff(line[i])
    } else if (line[i] != "") {
      print ".PP\n" roff(line[i])
    }
  }
  if (examples) print ".fi"
  print ".SH SEE ALSO\n" roff(also)
}'

page "nlc(1), leader-elector(1)" node-lifecycle-controller
page "node-lifecycle-controller(1)" leader-elector
read -r -d '' -a commands < <("$programs/nlc" --help | sed -n '/^Subcommands:/,$ s/^  \([a-z]\{1,\}\) .*/\1/p') || true
page "node-lifecycle-controller(1)$(printf ', nlc-%s(1)' "${commands[@]}")" nlc
for command in "${commands[@]}"; do
  page "nlc(1)" nlc "$command"
done
