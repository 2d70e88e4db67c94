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

# One replica has nobody to stand by for it, and nothing else is other than with two.
chart --set monitoring.enabled=true >"$work/two.yaml"
chart --set monitoring.enabled=true,replicas=1 >"$work/one.yaml"
alerts() { sed -n 's/^ *- alert: //p' "$1"; }
[[ "$(diff <(alerts "$work/two.yaml") <(alerts "$work/one.yaml") | grep '^[<>]')" == '< NodeLifecycleStandbyLost' ]] ||
  fail "with one replica the alerts are: $(alerts "$work/one.yaml" | xargs)"
[[ "$(diff "$work/two.yaml" "$work/one.yaml" | grep '^>' | xargs)" == '> replicas: 1' ]] ||
  fail "with one replica the chart says: $(diff "$work/two.yaml" "$work/one.yaml")"

# What is said after an installation, which `helm template` leaves out: as a text in an object of a copy.
cp -r "$work/manifests/chart" "$work/telling"
{
  echo '{{ define "notes" }}'
  cat manifests/chart/templates/NOTES.txt
  echo '{{ end }}{{ dict "notes" (include "notes" .) | toYaml }}'
} >"$work/telling/templates/notes.yaml"
notes() {
  helm template node-lifecycle-controller "$work/telling" --namespace kube-system --show-only templates/notes.yaml "$@" >"$work/said"
}
notes --set monitoring.enabled=true
grep -q 'runbook_url begins with https://node-lifecycle-controller.invalid and leads nowhere' "$work/said" ||
  fail "it is not said that runbook_url leads nowhere: $(cat "$work/said")"
for settings in monitoring.enabled=false monitoring.enabled=true,monitoring.pages=https://example.com/elsewhere; do
  notes --set "$settings"
  ! grep runbook_url "$work/said" || fail "with $settings it is said that runbook_url leads nowhere"
done
notes
! grep 'nothing runs' "$work/said" || fail "of two replicas it is said that nothing runs"
notes --set replicas=0
grep -q 'With replicas: 0 nothing runs' "$work/said" || fail "it is not said that nothing runs: $(cat "$work/said")"
echo "told: what one replica lacks, that none judges nothing, and where alerts lead nowhere"

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
  conforms "$version" "$work"/by-{kustomize,chart}.yaml "$work"/{other-values,observe,secure}.yaml \
      manifests/{leader-elector,admission-policy}.yaml >"$work/said" ||
    fail "Kubernetes $version: $(cat "$work/said")"
  echo "Kubernetes $version: $(tail -n 1 "$work/said")"
  ! conforms "$version" "$work/misspelt.yaml" >"$work/said" || fail "Kubernetes $version: a misspelt field is not seen"
  grep -q maxSkews "$work/said" || fail "Kubernetes $version: a misspelt field is not named: $(cat "$work/said")"
done

# A number is written as a person would.
for flag in node-eviction-rate=0.2 large-cluster-size-threshold=1000000 hold-pods-ready-in-full-disruption=true; do
  grep -q -- "- \"--$flag\"" "$work/other-values.yaml" || fail "the chart does not say --$flag"
done

helm lint --strict --quiet --namespace kube-system manifests/chart
helm lint --strict --quiet --namespace kube-system manifests/chart --values tests/manifests/values.yaml
refused=0
refuses_set() {  # VALUE WORDS [OPTION…]: what is wrong with it is said
  local how=${how:---set}
  ! chart $how "$1" "${@:3}" >"$work/said" 2>&1 || fail "the chart takes $how $1"
  grep -qE -- "$2" "$work/said" || fail "the chart refuses $how $1, and says: $(cat "$work/said")"
  refused=$((refused + 1))
}
refuses() {  # the same as a text too, for --set takes 5 for a number and 1.5 for none
  how=--set-string refuses_set "$@"
  refuses_set "$@"
}
taken=0
takes() {  # VALUE [OPTION…]
  chart --set "$1" "${@:2}" >"$work/said" 2>&1 || fail "the chart refuses $1, and says: $(cat "$work/said")"
  taken=$((taken + 1))
}

# Lock and policy ConfigMap stand where guides and commands look for them, or somebody wants them elsewhere.
refuses_set namespace=other 'say --namespace other, .* says --namespace kube-system --set namespace=kube-system'
refuses_set namespace=Other namespace
refuses flags.v=1 'say --namespace kube-system, .* says --namespace default --set namespace=default' --namespace default
takes namespace=nlc --namespace nlc
! grep kube-system "$work/said" || fail "in another namespace the chart names kube-system"
grep -q -- '--leader-elect-resource-namespace=nlc' "$work/said" || fail "the lock is not in the namespace of the release"
mkdir "$work/overlay"
printf 'namespace: nlc\nresources: [../manifests]\n' >"$work/overlay/kustomization.yaml"
! kubectl kustomize "$work/overlay" >"$work/said" 2>&1 || fail "an overlay moves the roles of two namespaces into one"
grep -q 'ID conflict' "$work/said" || fail "an overlay with a namespace: $(cat "$work/said")"

refuses replicas=two replicas
refuses_set replica=2 replica
refuses flags.node-monitor-grace=40s node-monitor-grace
refuses flags.leader-elect-resource-name=other leader-elect-resource-name
refuses image.digest=0123 digest
refuses_set 'networkPolicy.apiServerPorts={70000}' apiServerPorts
refuses_set 'networkPolicy.apiServerPorts={}' apiServerPorts
refuses monitoring.kind=Probe kind
refuses_set securePort.enabled=true,monitoring.enabled=true,monitoring.kind=PodMonitor ServiceMonitor
refuses securePort.certificateSecret=No certificateSecret
refuses securePort.certificateSecret=tls securePort.enabled
refuses monitoring.pages=https://example.com/ pages

# Whatever has a default, and is null.
for value in namespace image image.{repository,tag,digest,pullPolicy} imagePullSecrets replicas priorityClassName nodeSelector tolerations \
  podAnnotations resources flags securePort securePort.{enabled,certificateSecret} networkPolicy \
  networkPolicy.{enabled,scrapers,apiServerPorts} monitoring monitoring.{enabled,kind,labels,pages}; do
  refuses_set "$value=null" "${value##*.}"
done

# A value that the program would refuse, as a number and as a text.
for duration in banana 15 0s 0.1ns -5s 87600h1s 99999999h 1e3s; do
  refuses "flags.node-monitor-grace-period=$duration" flags.node-monitor-grace-period
done
refuses flags.node-monitor-grace-period=banana 'node-monitor-grace-period: banana must be a duration .* such as 40s'
refuses flags.node-monitor-grace-period=40 'node-monitor-grace-period: 40 must be a duration .* such as 40s'
for flag in node-monitor-period node-startup-grace-period pod-eviction-timeout min-resync-period; do refuses "flags.$flag=0s" "$flag"; done
for rate in -1 1.1.1 inf . 99999999999999999999999; do refuses "flags.node-eviction-rate=$rate" node-eviction-rate; done
refuses flags.secondary-node-eviction-rate=1.1.1 secondary-node-eviction-rate
for share in -1 55 1.5 1.01 0.5.5; do refuses "flags.unhealthy-zone-threshold=$share" unhealthy-zone-threshold; done
for limit in fast 1.1.1 --1; do refuses "flags.kube-api-qps=$limit" kube-api-qps; done
for flag in large-cluster-size-threshold kube-api-burst v; do
  for count in -1 1.5 99999999999 few; do refuses "flags.$flag=$count" "$flag"; done
done
for list in '' nope '*\,bootstrapsigner' '*\,' '-*' -taint-eviction-controller '*\,-nodelifecycle\,-taint-eviction-controller'; do
  refuses "flags.controllers=$list" flags.controllers
done
refuses 'flags.controllers=*\,-nodelifecycle,flags.enable-taint-manager=false' enable-taint-manager
for gates in Nope=true TaintTolerationComparisonOperators TaintTolerationComparisonOperators=perhaps SeparateTaintEvictionController=false; do
  refuses "flags.feature-gates=$gates" feature-gates
done
for address in foo 127.0.0.1 :65536 256.0.0.1:1 host:80 ::1:80 :10290; do
  refuses "flags.status-bind-address=$address" status-bind-address
done
refuses_set flags.status-bind-address=:10292,securePort.enabled=true status-bind-address
refuses flags.leader-elect-lease-duration=15 leader-elect-lease-duration
refuses flags.leader-elect-lease-duration=15500ms 'lease-duration: 15500ms must be whole seconds'
refuses flags.leader-elect-lease-duration=5s 'lease-duration: 5s must be greater than .*\(10s\)'
refuses flags.leader-elect-lease-duration=10s 'lease-duration: 10s must be greater than .*\(10s\)'
refuses flags.leader-elect-renew-deadline=15s 'lease-duration: 15s must be greater than .*\(15s\)'
refuses flags.leader-elect-retry-period=20s 'renew-deadline: 10s must be greater than .*\(20s\)'
refuses flags.leader-elect-renew-deadline=2400ms 'renew-deadline: 2400ms must be greater than .*\(2s\)'
for flag in enable-taint-manager hold-pods-ready-in-full-disruption on-lost standby logging-format; do
  refuses "flags.$flag=perhaps" "$flag"
done

# The last value that the program takes.
takes flags.node-monitor-grace-period=87599h59m59s
takes flags.node-monitor-period=1ns
takes flags.min-resync-period=1.5h30m.5s5µs
takes flags.node-eviction-rate=0
takes flags.unhealthy-zone-threshold=1.0
takes flags.kube-api-qps=-1
takes flags.large-cluster-size-threshold=2147483647
takes 'flags.controllers=-nodelifecycle\,*'
takes flags.controllers=taint-eviction-controller
takes 'flags.feature-gates=TaintTolerationComparisonOperators=true\,SeparateTaintEvictionController=true'
for address in '' :0 localhost:1 127.0.0.1:65535 '[::1]:80'; do takes "flags.status-bind-address=$address"; done
takes flags.status-bind-address=:10290,securePort.enabled=true
takes flags.leader-elect-lease-duration=11s
takes flags.leader-elect-renew-deadline=2401ms
takes flags.leader-elect-lease-duration=1m,flags.leader-elect-renew-deadline=40s,flags.leader-elect-retry-period=33s
echo "values: $refused wrong ones are refused, $taken right ones taken"
