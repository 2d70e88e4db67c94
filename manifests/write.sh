#!/usr/bin/env bash
# Writes what in this folder is made from something else: the dashboard from dashboard.jq, and the manifests, which are what
# the chart says with its default values. helm has to be on the PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

jq --null-input --raw-output --from-file dashboard.jq >chart/files/dashboard.json

rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
for kind in ServiceMonitor PodMonitor; do
  helm template node-lifecycle-controller chart --namespace kube-system --output-dir "$rendered" \
    --set monitoring.enabled=true,monitoring.kind=$kind >/dev/null
done
cd "$rendered/node-lifecycle-controller/templates"
find . -name '*.yaml' -printf '%P\n' | sort | while read -r file; do
  { echo "# Written by \`make manifests\` from chart/templates/$file."; sed '1{/^---$/d}; /^# Source: /d' "$file"; } >"$OLDPWD/$file"
done
