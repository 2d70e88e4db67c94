#!/usr/bin/env bash
# usage: schemas.sh FOLDER
# Writes, for each version below, JSON schemas of its kinds into FOLDER/vVERSION/KIND-GROUP-VERSION.json, and prints the
# versions. They refuse fields that a kind has not. What is there already stays.
#
# k8s.io/kubernetes brings the OpenAPI document that upstream records from its kube-apiserver (hack/update-openapi-spec.sh):
# what a server serves, less the lists of allowed words. The Prometheus operator brings its CustomResourceDefinitions.
set -euo pipefail
mkdir -p "$1"
cd "$1"

versions=(1.34.4 1.35.4 1.36.3 1.37.1)
operator=0.85.0

PATH="$PATH:/usr/local/go/bin" # where Go's own archive installs
module() {  # MODULE@VERSION: prints the folder with its files
  go mod download -json "$1" | jq --raw-output .Dir
}

# Of an object with fields no other is allowed; quantities and ports may be numbers as well.
strict='
  walk(if type != "object" then .
       elif .format? == "int-or-string" then {type: ["string", "integer"]}
       elif (.properties? | type) == "object" and (has("additionalProperties") or .["x-kubernetes-preserve-unknown-fields"]? | not)
         then .additionalProperties = false
       else . end)'

for version in "${versions[@]}"; do
  [[ ! -d v$version ]] || continue
  document=$(module "k8s.io/kubernetes@v$version")/api/openapi-spec/swagger.json
  mkdir "v$version.new"
  jq "{definitions: (.definitions | $strict | .[\"io.k8s.apimachinery.pkg.api.resource.Quantity\"].type = [\"string\", \"number\"])}" \
    "$document" >"v$version.new/all.json"
  # shellcheck disable=SC2016
  jq --raw-output '.definitions | to_entries[] | .key as $name | .value["x-kubernetes-group-version-kind"]?
      | select(length == 1)[] | "\(.kind)-\(.group | split(".")[0] // "")-\(.version)" | ascii_downcase
      | "\(sub("--"; "-")) \($name)"' "v$version.new/all.json" | while read -r file name; do
    printf '{"$ref": "all.json#/definitions/%s"}\n' "$name" >"v$version.new/$file.json"
  done
  definitions=$(module "github.com/prometheus-operator/prometheus-operator@v$operator")/jsonnet/prometheus-operator
  for kind in servicemonitor podmonitor prometheusrule; do
    jq ".spec.versions[] | select(.name == \"v1\") | .schema.openAPIV3Schema | $strict" \
      "$definitions/${kind}s-crd.json" >"v$version.new/$kind-monitoring-v1.json"
  done
  mv "v$version.new" "v$version" # a broken-off run leaves no half of it behind
done
printf '%s\n' "${versions[@]}"
