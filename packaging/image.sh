#!/usr/bin/env bash
# Writes an OCI archive of the programs of a build, and beside it its SBOM. In the image: the programs, the libraries that
# they load, from where the build found them, and certificates. Nothing is pulled and no privilege is needed; the same build
# of the same commit gives the same bytes.
# usage: [PAGES=URL] image.sh BUILD-FOLDER OUTPUT-FOLDER, where URL is where this repository is to be read
set -euo pipefail

name=node-lifecycle-controller
user=65532  # manifests/deployment.yaml
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/identity.sh "$build"
multiarch=$("$(cached CMAKE_CXX_COMPILER "$build")" -print-multiarch)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root
umask 022

mkdir -p "$root"/{dev,etc/ssl/certs,proc,run,sys,usr/bin,usr/lib,usr/lib64,usr/lib/ssl,usr/share/doc,var/lib/dpkg/status.d}
for merged in bin lib lib64; do ln -s usr/$merged "$root/$merged"; done
ln -s /run "$root/var/run"  # where a kubelet mounts the service account

DESTDIR=$root cmake --install "$build" --prefix /usr/local --component programs --strip >"$folder/log" ||
  { cat "$folder/log" >&2; exit 1; }
rm -rf "$root/usr/local/share" "$root/usr/local/lib"  # manual pages, completions, the systemd unit

# The loader, and what it would find, by the headers of the files: they need not be for this machine.
declare -A found=()
find_needed() {  # FILE…
  local name
  for name in $(readelf --wide --program-headers --dynamic "$@" |
      sed -nE 's/.*(interpreter: |\(NEEDED\).*\[)(.*)\]$/\2/p'); do
    [[ -z "${found[${name##*/}]:-}" ]] || continue
    [[ "$name" == /* ]] || name=/lib/$multiarch/$name
    found[${name##*/}]=$name
    find_needed "$sysroot$name"
  done
}
find_needed "$root"/usr/local/bin/*
mapfile -t libraries < <(printf '%s\n' "${found[@]}" | sort)
for library in "${libraries[@]}"; do
  install -D -m 755 "$sysroot$library" "$root/usr$library"
done
install -m 644 "$sysroot/etc/ssl/certs/ca-certificates.crt" "$root/etc/ssl/certs/"
ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"
ln -s /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
printf 'root:x:0:0:root:/:/none\n%s:x:%d:%d::/:/none\n' nonroot "$user" "$user" >"$root/etc/passwd"
printf 'root:x:0:\n%s:x:%d:\n' nonroot "$user" >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
cp "$sysroot/usr/lib/os-release" "$root/etc/os-release"  # by which scanners know whose packages these are

# Whose they are, for scanners (as in the images of distroless) and for their licences.
packages=(ca-certificates)
for library in "${libraries[@]}"; do
  packages+=("$(dpkg-query --admindir="$records" --search "*$library" | grep -v ^diversion | sed 's/:.*//;q')")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
for package in "${packages[@]}"; do
  dpkg-query --admindir="$records" --status "$package" >"$root/var/lib/dpkg/status.d/$package"
  install -D -m 644 "$sysroot/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
done
packaging/sbom.sh "$build" "${packages[@]}" >"$folder/sbom"
install -D -m 644 "$folder/sbom" "$root/usr/share/doc/$name/sbom.spdx.json"

tarred() {  # FOLDER FILE: sorted, of one moment, nobody's
  tar --create --file "$2" --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner --format=gnu .
}
tarred "$root" "$folder/layer.tar"

created=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
image="$folder/oci:docker.io/library/$name:$version"
umoci init --layout "$folder/oci"
umoci new --image "$image"
umoci raw add-layer --history.created "$created" --history.created_by packaging/image.sh --image "$image" "$folder/layer.tar"
settings=(
  --no-history --created "$created" --author "" --os linux --architecture "$architecture"
  --config.user "$user:$user" --config.workingdir / --config.entrypoint "/usr/local/bin/$name"
  --config.env PATH=/usr/local/bin --config.exposedports 10290/tcp
)
labels=(
  title="$name" version="$version" revision="$revision" created="$created"
  description="What kube-controller-manager does for nodes, as a program of its own"
)
[[ -z "${PAGES:-}" ]] || labels+=(documentation="$PAGES/docs/README.md")
for label in "${labels[@]}"; do
  settings+=(--config.label "org.opencontainers.image.$label"
             --manifest.annotation "org.opencontainers.image.$label")
done
umoci config --image "$image" "${settings[@]}"
umoci gc --layout "$folder/oci"

tarred "$folder/oci" "$folder/$name.oci.tar"
mv "$folder/$name.oci.tar" "$out/"
mv "$folder/sbom" "$out/$name.spdx.json"
printf '%s: %s bytes, digest %s\n' "$2/$name.oci.tar" "$(stat -c %s "$out/$name.oci.tar")" \
  "$(jq -r '.manifests[0].digest' "$folder/oci/index.json")"
printf '%s: %s packages of Debian\n' "$2/$name.spdx.json" "$(jq '.packages | length - 1' "$out/$name.spdx.json")"
