#!/usr/bin/env bash
# Prints the folder with helm, kubeconform and kubectl as pinned here and in tests/real/go.mod, built once into a cache
# folder outside the tree. Progress goes to stderr.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../real"

declare -A modules=(
  [helm]=helm.sh/helm/v3/cmd/helm@v3.22.0
  [kubeconform]=github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
)
pins=$(sed -n 's|^\s*k8s.io/kubernetes ||p' go.mod)-${modules[helm]##*@}-${modules[kubeconform]##*@}
cache="${XDG_CACHE_HOME:-$HOME/.cache}/nlc-manifest-tools/$pins"
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9 # two builds at once would only be slower

PATH="$PATH:/usr/local/go/bin" # where Go's own archive installs
build() {  # PROGRAM COMMAND…
  [[ ! -x "$cache/$1" ]] || return 0
  printf 'manifest tools: building %s\n' "$1" >&2
  "${@:2}" >&2 || {
    printf 'manifest tools: %s does not build; needed: Go >= %s and a Go module proxy\n' "$1" "$(sed -n 's/^go //p' go.mod)" >&2
    exit 1
  }
}

# As Helm's releases do; without these it takes every cluster for Kubernetes 1.20.
helm=helm.sh/helm/v3/pkg
flags="-s -w"
for variable in lint/rules chartutil; do
  flags+=" -X $helm/$variable.k8sVersionMajor=1 -X $helm/$variable.k8sVersionMinor=37"
done

export CGO_ENABLED=0 GOBIN="$cache"
for program in "${!modules[@]}"; do
  build "$program" go install -ldflags "$flags" "${modules[$program]}"
done
build kubectl go build -buildvcs=false -ldflags '-s -w' -o "$cache/kubectl" k8s.io/kubernetes/cmd/kubectl
echo "$cache"
