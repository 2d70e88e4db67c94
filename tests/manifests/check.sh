#!/usr/bin/env bash
# manifests/ by the tools of its users: what is written is what the chart says, the chart and the kustomization say the same,
# every supported API server knows every field of it, and a wrong value is refused by name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PATH="$(tests/manifests/tools.sh):$PATH"
export PATH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'manifests: %s\n' "$*" >&2; exit 1; }

cp -r manifests "$work/manifests"
"$work/manifests/write.sh"
diff --recursive manifests "$work/manifests" || fail "these files are not what 'make manifests' writes"
echo "written: $(grep -lr '^# Written by' manifests | wc -l) files are what the chart says"

chart() { helm template node-lifecycle-controller "$work/manifests/chart" --namespace kube-system "$@"; }
normal() {  # RESOURCE…: sorted by kind and name, keys by their names, without remarks; with $components
  printf 'sortOptions: {order: legacy}\ncomponents: [%s]\nresources:\n' "${components:-}" >"$work/kustomization.yaml"
  printf -- '- %s\n' "$@" >>"$work/kustomization.yaml"
  kubectl kustomize "$work"
}
same() {  # WHAT VALUES RESOURCE…
  local what=$1
  chart --set "$2" >"$work/chart.yaml"
  components='' normal chart.yaml >"$work/by-chart.yaml"
  normal "${@:3}" >"$work/by-kustomize.yaml"
  diff "$work/by-kustomize.yaml" "$work/by-chart.yaml" || fail "$what: chart and kustomization differ"
  echo "same: $(grep -c '^kind: ' "$work/by-chart.yaml") objects, $what"
}
same "as they are" replicas=2 manifests
same "with monitoring" monitoring.enabled=true manifests manifests/monitoring
components=manifests/secure-port \
  same "with monitoring through the secure port" securePort.enabled=true,monitoring.enabled=true manifests manifests/monitoring
sed -i 's/^- service-monitor.yaml.*/- pod-monitor.yaml/' "$work/manifests/monitoring/kustomization.yaml"
sed -i 's|url: .*|url: https://example.com/elsewhere|' "$work/manifests/monitoring/pages.yaml"
same "with a PodMonitor, and pages elsewhere" \
  monitoring.enabled=true,monitoring.kind=PodMonitor,monitoring.pages=https://example.com/elsewhere \
  manifests manifests/monitoring

schemas="${XDG_CACHE_HOME:-$HOME/.cache}/nlc-manifest-tools/schemas-$(sha256sum <tests/manifests/schemas.sh | cut -c1-12)"
versions=$(tests/manifests/schemas.sh "$schemas")
conforms() {  # VERSION FILE…
  kubeconform -strict -summary -kubernetes-version "$1" \
    -schema-location "$schemas/{{ .NormalizedKubernetesVersion }}/{{ .ResourceKind }}{{ .KindSuffix }}.json" "${@:2}"
}
chart --values tests/manifests/values.yaml >"$work/other-values.yaml"
kubectl kustomize manifests/observe >"$work/observe.yaml"
chart --set securePort.enabled=true,securePort.certificateSecret=tls,monitoring.enabled=true >"$work/secure.yaml"
sed 's/maxSkew/maxSkews/' "$work/by-chart.yaml" >"$work/misspelt.yaml"
for version in $versions; do
  conforms "$version" "$work"/by-{kustomize,chart}.yaml "$work"/{other-values,observe,secure}.yaml manifests/leader-elector.yaml >"$work/said" ||
    fail "Kubernetes $version: $(cat "$work/said")"
  echo "Kubernetes $version: $(tail -n 1 "$work/said")"
  ! conforms "$version" "$work/misspelt.yaml" >"$work/said" || fail "Kubernetes $version: a misspelt field is not seen"
  grep -q maxSkews "$work/said" || fail "Kubernetes $version: a misspelt field is not named: $(cat "$work/said")"
done

# A number is written as a person would.
for flag in node-eviction-rate=0.2 large-cluster-size-threshold=1000000 hold-pods-ready-in-full-disruption=true; do
  grep -q -- "- \"--$flag\"" "$work/other-values.yaml" || fail "the chart does not say --$flag"
done

helm lint --strict --quiet manifests/chart
helm lint --strict --quiet manifests/chart --values tests/manifests/values.yaml
refused=0
refuses() {  # VALUE WORDS: what is wrong with it is said
  ! chart --set "$1" >"$work/said" 2>&1 || fail "the chart takes $1"
  grep -qE -- "$2" "$work/said" || fail "the chart refuses $1, and says: $(cat "$work/said")"
  refused=$((refused + 1))
}
refuses replicas=two replicas
refuses replica=2 replica
refuses flags.node-monitor-grace=40s node-monitor-grace
refuses flags.leader-elect-resource-name=other leader-elect-resource-name
refuses flags.node-monitor-grace-period=banana flags/node-monitor-grace-period
refuses flags.leader-elect-lease-duration=15 leader-elect-lease-duration
refuses flags.node-eviction-rate=-1 node-eviction-rate
refuses flags.unhealthy-zone-threshold=55 unhealthy-zone-threshold
refuses flags.enable-taint-manager=perhaps enable-taint-manager
refuses flags.standby=hot standby
refuses image=null image
refuses image.digest=0123 digest
refuses networkPolicy.apiServerPorts={70000} apiServerPorts
refuses monitoring.kind=Probe kind
refuses securePort.enabled=true,monitoring.enabled=true,monitoring.kind=PodMonitor ServiceMonitor
refuses securePort.certificateSecret=No certificateSecret
refuses securePort.certificateSecret=tls securePort.enabled
refuses monitoring.pages=https://example.com/ pages
echo "values: $refused wrong ones are refused"
