#!/usr/bin/env bash
# Puts etcd, kube-apiserver, kubectl and client-go-elector (rival/) where test_real can start them, and prints that folder
# on stdout; progress goes to stderr. $KUBEBUILDER_ASSETS (setup-envtest's convention) wins when set; otherwise they are
# built once, into a cache folder outside the tree: of the newest Kubernetes, which go.mod pins, or of VERSION, which
# another *.mod file pins.
# usage: [VERSION=1.36.3] build-servers.sh [--with-kcm]     (--with-kcm: kube-controller-manager too)
#        build-servers.sh --versions                        (prints what VERSION may be, the oldest first)
set -euo pipefail
[[ -z "${KUBEBUILDER_ASSETS:-}" ]] || KUBEBUILDER_ASSETS=$(realpath -m "$KUBEBUILDER_ASSETS")
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { printf 'real servers: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
misused() { say "$*"; exit 2; }

pinned_in() { sed -n 's|^\s*k8s.io/kubernetes v\([0-9.]*\)$|\1|p' "$@" | sort -V; }

wanted=(etcd kube-apiserver kubectl client-go-elector)
case "${1:-}" in
  '') ;;
  --with-kcm) wanted+=(kube-controller-manager) ;;
  --versions) pinned_in ./*.mod; exit 0 ;;
  *) misused "unknown argument '$1'; usage: [VERSION=…] build-servers.sh [--with-kcm | --versions]" ;;
esac

version=${VERSION:-$(pinned_in go.mod)}
pins=$(grep -lxF $'\t'"k8s.io/kubernetes v$version" ./*.mod) ||
  misused "VERSION is '$version'; there are: $(pinned_in ./*.mod | paste -sd' ')"

missing_in() {
  local folder=$1 program
  for program in "${wanted[@]}"; do
    [[ -x "$folder/$program" ]] || echo "$program"
  done
}

if [[ -n "${KUBEBUILDER_ASSETS:-}" ]]; then
  missing=$(missing_in "$KUBEBUILDER_ASSETS" | paste -sd' ')
  [[ -z "$missing" ]] || fail "\$KUBEBUILDER_ASSETS is set to $KUBEBUILDER_ASSETS, which lacks: $missing" \
    "(client-go-elector: cd tests/real && go build -o FOLDER/client-go-elector ./rival)"
  [[ -z "${VERSION:-}" ]] || there=$("$KUBEBUILDER_ASSETS/kube-apiserver" --version)
  [[ "${there:-}" == "${VERSION:+Kubernetes v$version}" ]] ||
    misused "VERSION is $version, but \$KUBEBUILDER_ASSETS is set to $KUBEBUILDER_ASSETS, which has $there"
  echo "$KUBEBUILDER_ASSETS"
  exit 0
fi

go_wanted=$(sed -n 's/^go //p' "$pins")
cache="${XDG_CACHE_HOME:-$HOME/.cache}/nlc-real-servers/$version"
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9 # two builds at once would only be slower

[[ "$cache/client-go-elector" -nt rival/main.go ]] || rm -f "$cache/client-go-elector"
missing=$(missing_in "$cache")
if [[ -z "$missing" ]]; then
  echo "$cache"
  exit 0
fi

needed="needed: Go >= $go_wanted (or >= 1.21 that may fetch it) and a Go module proxy, or KUBEBUILDER_ASSETS=<folder with ${wanted[*]}>"
PATH="$PATH:/usr/local/go/bin" # where Go's own archive installs
command -v go >/dev/null || fail "no go found; $needed"
go_minor=$(go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
((${go_minor:-99} >= 21)) || fail "$(go env GOVERSION) is too old; $needed"
if ! complaint=$(go mod download -modfile="$pins" k8s.io/kubernetes go.etcd.io/etcd/server/v3 2>&1); then
  fail "the Go modules cannot be had ($(tail -n 1 <<<"$complaint")); $needed"
fi

package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    client-go-elector) echo ./rival ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}
# Go names a program by the last word of its package that is no version.
built_as() {
  case "$1" in
    etcd) echo server ;;
    client-go-elector) echo rival ;;
    *) echo "$1" ;;
  esac
}

# Without these the programs call themselves v0.0.0-master.
IFS=. read -r major minor _ <<<"$version"
stamp=k8s.io/component-base/version
flags="-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor"
flags+=" -X $stamp.gitTreeState=clean"

# All at once: what several share is compiled side by side, and nobody waits for one that is linked. They are stripped, so
# nothing is written down for a debugger either. A broken-off build leaves no half program behind.
packages=()
for program in $missing; do packages+=("$(package_of "$program")"); done
new=$(mktemp -d "$cache/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
names=${missing//$'\n'/, }
say "building $names of Kubernetes $version ..."
SECONDS=0
CGO_ENABLED=0 go build -modfile="$pins" -buildvcs=false -gcflags=all=-dwarf=false -ldflags "$flags" -o "$new/" \
  "${packages[@]}" >&2 || fail "$names do not build; $needed"
for program in $missing; do
  mv "$new/$(built_as "$program")" "$cache/$program"
done
say "built them in $SECONDS s"
echo "$cache"
