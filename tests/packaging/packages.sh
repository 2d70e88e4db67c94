#!/usr/bin/env bash
# The packages as a user has them: installed by apt into a bare Debian 12, which brings what they depend on, and used
# there: demo, manual pages, completions, the systemd unit, a program built against the libraries; then purged, and
# nothing is left. The bare root and what apt fetched stay in build/bare/. Needs root, for chroot.
# usage: packages.sh DELIVERY-FOLDER
set -euo pipefail
delivery=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { printf 'packages: %s\n' "$*" >&2; exit 1; }
((EUID == 0)) || fail "have to be tried as root"
if [[ "${IN_OWN_MOUNTS:-}" != yes ]]; then
  IN_OWN_MOUNTS=yes exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi
mount --make-rprivate /

# Beside what every Debian has: the shells, and what reads manuals and units.
bare=$PWD/build/bare
mkdir -p "$bare/fetched/partial"
if [[ ! -f "$bare/bookworm.tar" ]]; then
  mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion,zsh,fish,systemd bookworm "$bare/new.tar" \
    http://deb.debian.org/debian >&2
  mv "$bare/new.tar" "$bare/bookworm.tar"
fi

root=$(mktemp -d)
mount --types tmpfs tmpfs "$root"  # gone with these mounts, and faster than a disk
trap 'umount --lazy "$root"; rmdir "$root"' EXIT
tar --extract --file "$bare/bookworm.tar" --directory "$root"
mount --types proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind "$bare/fetched" "$root/var/cache/apt/archives"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$delivery"/*.deb "$root/tmp/"
within() { chroot "$root" env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
within_or_fail() {  # WHAT COMMAND…
  within "${@:2}" >"$root/log" 2>&1 || { tail -20 "$root/log" >&2; fail "$1"; }
}
install_there() {
  within_or_fail "not installed: $*" apt-get install --quiet --yes --no-install-recommends \
    --option APT::Keep-Downloaded-Packages=true "$@"
}
holds() {  # WHAT TEXT PART
  [[ "$2" == *"$3"* ]] || fail "$1 lacks \"$3\": $2"
}
deb() { (cd "$root" && ls "tmp/$1"_*.deb) | sed 's,^,/,'; }
flags_of() { within "$@" --help | sed -nE 's/^  (-[a-z],)?(--[a-z0-9-]+).*/\2/p' | sort -u; }

version=$(dpkg-deb --field "$root$(deb node-lifecycle-controller)" Version)
within_or_fail "apt knows no packages" apt-get update
install_there "$(deb node-lifecycle-controller)"

# Each program, and each command of nlc, has a page that names every one of its flags.
read -r -d '' -a commands < <(within nlc --help | sed -n '/^Subcommands:/,$ s/^  \([a-z]*\) .*/\1/p') || true
((${#commands[@]})) || fail "nlc --help names no commands"
for program in node-lifecycle-controller leader-elector nlc "${commands[@]/#/nlc }"; do
  page=$(within man "${program/ /-}" | col -bx)
  flags=$(flags_of $program)
  [[ -n "$flags" ]] || fail "$program --help names no flags"
  for flag in $flags; do holds "man ${program/ /-}" "$page" "$flag"; done
done
holds "nlc --version" "$(within nlc --version)" "$version"
within_or_fail "no index of manual pages" mandb --quiet
holds apropos "$(within apropos workbench)" "nlc (1)"
demo=$(within nlc demo --port 0 2>&1) || fail "nlc demo: $demo"

# WORD…: what the shell would add where the last one stands.
offered_by_bash() {
  within bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader "$1"; COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1)); _node_lifecycle_controller "$1"; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
offered_by_zsh() {
  within zsh -fc 'autoload -Uz compinit && compinit -u; [[ $_comps[$1] == _nlc ]] || exit 1
    compadd() { print -l -- "${(M@)@:#$words[CURRENT]*}" }; words=("$@"); CURRENT=$#; autoload -Uz _nlc; _nlc' zsh "$@"
}
offered_by_fish() { within fish -c 'complete -C "$argv"' "$@" | cut -f 1; }
for shell in bash zsh fish; do
  for program in nlc kubectl-nlc; do holds "$shell: $program sc" "$(offered_by_$shell $program sc)" scenario; done
  for program in node-lifecycle-controller leader-elector "nlc demo" "kubectl-nlc why"; do
    difference=$(diff <(flags_of $program) <(offered_by_$shell $program -- | grep '^--.' | sort -u)) ||
      fail "$shell offers $program other flags than it has: $difference"
  done
done

unit=/usr/lib/systemd/system/node-lifecycle-controller.service
said=$(within systemd-analyze verify --man=yes "$unit" 2>&1) || fail "the unit: $said"
[[ -z "$said" ]] || fail "the unit: $said"
[[ -z "$(within find /etc/systemd/system -name 'node-lifecycle*')" ]] || fail "the unit is started unasked"

# A project of somebody else's against the libraries, and the unit's own command line, beside a cluster.
install_there g++ cmake ninja-build libboost-dev libssl-dev libspdlog-dev libyaml-dev "$(deb nlc-dev)"
mkdir "$root/tmp/user"
cp tests/installed/CMakeLists.txt tests/installed/node_count.cpp docs/election_example.cpp "$root/tmp/user"
within_or_fail "nothing can be built against nlc-dev" \
  sh -c 'cd /tmp/user && cmake -G Ninja -D EXAMPLES=. . && ninja node_count'
within_or_fail "nothing works against a cluster" bash -euc '
  until_true() { local left; for ((left = 200; left > 0; --left)); do "$@" && return; sleep 0.1; done; echo "not: $*"; exit 1; }
  nlc cluster --nodes 5 --port 0 --kubeconfig /tmp/kubeconfig >/tmp/cluster 2>&1 & trap "kill \$(jobs -p)" EXIT
  until_true grep -q "all nodes and pods run" /tmp/cluster
  /tmp/user/node_count /tmp/kubeconfig | grep -x "5 nodes"
  export CREDENTIALS_DIRECTORY=/tmp NLC_FLAGS=--metrics-bind-address=127.0.0.1:0
  eval "$(sed -n ":join; /\\\\$/ { N; s/\\\\\\n//; b join }; s/^ExecStart=//p" "$1")" >/tmp/unit 2>&1 &
  until_true grep -q "leader changed" /tmp/unit' bash "$unit"

# The tarball needs no installation where the libraries are.
mkdir "$root/tmp/tarball"
tar --extract --gzip --file "$(ls "$delivery"/*.tar.gz)" --directory "$root/tmp/tarball" --strip-components 1
holds "the tarball's nlc" "$(within /tmp/tarball/bin/nlc --version)" "$version"
rm -r "$root/tmp/tarball"

within_or_fail "not purged" apt-get purge --quiet=2 --yes nlc-dev node-lifecycle-controller
left=$(within find /usr /etc -name '*node-lifecycle*' -o -name 'nlc*' -o -name _nlc -o -name 'leader-elector*')
[[ -z "$left" ]] || fail "purged, they leave $left"
printf 'packages: %s installed into a bare Debian 12 and used there: %s; purged without a trace\n' "$version" \
  "$(tail -1 <<<"$demo")"
