#!/usr/bin/env bash
# Unpacks Debian's packages of another architecture: those that .ci/setup lists as "sysroot", and what they depend on. A
# cross build compiles against the folder, and packaging/image.sh takes libraries and records of packages from it. With lists
# of apt and a database of dpkg of its own, from where this machine gets its packages: nothing is installed, and no root is
# needed.
# usage: sysroot.sh ARCHITECTURE FOLDER
set -euo pipefail
export LC_ALL=C

mkdir -p "$2"
sysroot=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t packages < <(.ci/setup --list sysroot)
((${#packages[@]})) || { echo "sysroot: .ci/setup lists no packages" >&2; exit 1; }
[[ "$(cat "$sysroot/complete" 2>/dev/null)" != "${packages[*]}" ]] || exit 0

rm -rf "$sysroot"
apt=$sysroot/var/lib/apt
dpkg=$sysroot/var/lib/dpkg
mkdir -p "$apt"/{archives,lists}/partial "$dpkg/info" "$sysroot"/etc/ssl/certs "$sysroot"/usr/{bin,lib,sbin}
for merged in bin lib sbin; do ln -s usr/$merged "$sysroot/$merged"; done
touch "$dpkg/status"
echo "$1" >"$dpkg/arch"

get() {
  apt-get --quiet --option Dir::State="$apt" --option Dir::State::status="$dpkg/status" --option Dir::Cache="$apt" \
    --option APT::Architecture="$1" --option APT::Architectures="$1" --option APT::Sandbox::User=root "${@:2}"
}
get "$1" update
get "$1" install --yes --no-install-recommends --download-only "${packages[@]}"
for deb in "$apt"/archives/*.deb; do
  # As dpkg does, and its --extract does not: a folder of the package may be a link here.
  dpkg-deb --fsys-tarfile "$deb" | tar --extract --keep-directory-symlink --directory "$sysroot"
  dpkg-deb --fsys-tarfile "$deb" | tar --list | sed 's,^\.,,; s,/$,,; /^$/d' >"$dpkg/info/$(dpkg-deb --field "$deb" Package).list"
  dpkg-deb --field "$deb" | sed '1a Status: install ok installed' >>"$dpkg/status"
  echo >>"$dpkg/status"
done
rm -r "$apt"

# Absolute links would lead out of it.
find "$sysroot" -lname '/*' -printf '%l\n%p\n' | while read -r target && read -r link; do
  ln --force --no-dereference --symbolic --relative "$sysroot$target" "$link"
done
cat "$sysroot"/usr/share/ca-certificates/mozilla/*.crt >"$sysroot/etc/ssl/certs/ca-certificates.crt"  # as its postinst does
echo "${packages[*]}" >"$sysroot/complete"
