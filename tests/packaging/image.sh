#!/usr/bin/env bash
# The image as a node would run it: by a container runtime, with the user, flags, probes and read-only root of
# manifests/deployment.yaml, against an embedded API server. In a network of its own, so that ports are as stated. Where a
# sandbox lets nobody start containers, or where QEMU has to interpret the programs, its root file system stands for it.
# Needs root.
# usage: image.sh BUILD-FOLDER DELIVERY-FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { printf 'image: %s\n' "$*" >&2; exit 1; }
((EUID == 0)) || fail "has to be tried as root"
if [[ "${IN_OWN_NETWORK:-}" != yes ]] && unshare --net true 2>/dev/null; then
  IN_OWN_NETWORK=yes exec unshare --net "$0" "$@"
fi
[[ "${IN_OWN_NETWORK:-}" != yes ]] || ip link set lo up
build=$(realpath "$1")
archive=$(realpath "$2")/node-lifecycle-controller.oci.tar
sbom=$(realpath "$2")/node-lifecycle-controller.spdx.json
. packaging/identity.sh "$build"

folder=$(mktemp -d)
cluster=
runtime() { runc --root "$folder/state" "$@"; }
trap 'runtime delete --force one 2>/dev/null || true; [[ -z "$cluster" ]] || kill "$cluster"; rm -rf "$folder"' EXIT
chmod 755 "$folder"  # the image's user has to come through

until_true() {  # WHAT COMMAND…: 20 s at most
  local what=$1 left
  shift
  for ((left = 200; left > 0; --left)); do
    "$@" && return
    sleep 0.1
  done
  cat "$folder"/*.log >&2
  fail "not within 20 s: $what"
}

# The same bytes again, of at most 40 MB.
packaging/image.sh "$build" "$folder/again" >/dev/null 2>&1
cmp "$archive" "$folder/again/node-lifecycle-controller.oci.tar" || fail "made twice, it is not the same"
size=$(stat -c %s "$archive")
((size <= 40 * 1000 * 1000)) || fail "$size bytes are too many"

# What is in it.
mkdir "$folder/oci"
tar --extract --file "$archive" --directory "$folder/oci"
name=$(jq -r '.manifests[0].annotations["org.opencontainers.image.ref.name"]' "$folder/oci/index.json")
stated=$(sed -n 's/^ *image: //p' manifests/deployment.yaml)
[[ "$name" == "docker.io/library/$stated" ]] || fail "is named $name; the Deployment says $stated"
umoci unpack --image "$folder/oci:$name" "$folder/bundle"
root=$folder/bundle/rootfs
machine=$(jq -r '.annotations["org.opencontainers.image.architecture"]' "$folder/bundle/config.json")
[[ "$machine" == "$architecture" ]] || fail "says that it is for $machine, not for $architecture"
programs=$(find "$root" -type f -perm /111 ! -name '*.so*' -printf '/%P\n' | sort | xargs)
[[ "$programs" == "/usr/local/bin/leader-elector /usr/local/bin/nlc /usr/local/bin/node-lifecycle-controller" ]] ||
  fail "other programs than ours are in it: $programs"
writable=$(find "$root" ! -type l \( -perm /022 -o ! -user 0 \) | head -1)
[[ -z "$writable" ]] || fail "somebody else than root may write $writable"
for label in title version revision created description; do
  jq -e --arg key "org.opencontainers.image.$label" '.annotations[$key] | length > 0' "$folder/bundle/config.json" \
    >/dev/null || fail "has no label $label"
done

# Where its papers are to be read is a URL, or is not said.
documentation() {  # ARCHIVE
  local oci
  oci=$(mktemp -d -p "$folder")
  tar --extract --file "$1" --directory "$oci"
  jq -r '.annotations["org.opencontainers.image.documentation"]' "$oci/blobs/$(jq -r '.manifests[0].digest' "$oci/index.json" | tr : /)"
}
said=$(documentation "$archive")
pages=${PAGES:+$PAGES/docs/README.md}
[[ "$said" == "${pages:-null}" ]] || fail "says that its papers are at $said"
PAGES=https://example.com/elsewhere packaging/image.sh "$build" "$folder/elsewhere" >/dev/null 2>&1
said=$(documentation "$folder/elsewhere/node-lifecycle-controller.oci.tar")
[[ "$said" == https://example.com/elsewhere/docs/README.md ]] || fail "with papers elsewhere it says $said"

# The SBOM names whoever brought a library, in dpkg's version, and is in the image as well.
cmp "$sbom" "$root/usr/share/doc/node-lifecycle-controller/sbom.spdx.json" || fail "another SBOM is in it"
for library in "$root"/usr/lib/*-linux-gnu/*; do
  package=$(dpkg-query --admindir="$records" --search "*/${library#"$root/usr/"}" | sed 's/:.*//;q')
  version=$(dpkg-query --admindir="$records" --show -f '${Version}' "$package")
  jq -e --arg name "$package" --arg version "$version" \
    'any(.packages[]; .name == $name and .versionInfo == $version)' "$sbom" >/dev/null ||
    fail "the SBOM does not know $package $version"
done
jq -e '[.packages[].SPDXID] as $known | .spdxVersion == "SPDX-2.3" and ($known | length == (unique | length)) and
  all(.relationships[]; .relatedSpdxElement as $id | $known | index($id) != null)' "$sbom" >/dev/null ||
  fail "the SBOM's relationships do not fit its packages"

within=("$root")
if [[ -n "$sysroot" ]]; then
  install -m 755 "$(command -v qemu-aarch64-static)" "$root/run/qemu"
  within+=(/run/qemu)
fi

# Started as the Deployment says.
chroot "${within[@]}" /usr/local/bin/nlc cluster --nodes 5 --port 8001 --kubeconfig /run/kubeconfig \
  >"$folder/cluster.log" &
cluster=$!
until_true "the embedded cluster" grep -qs 'all nodes and pods run' "$folder/cluster.log"
chmod 644 "$root/run/kubeconfig"
mapfile -t flags < <(sed -n 's/^ *- \(--[a-z].*\)/\1/p' manifests/deployment.yaml)
((${#flags[@]})) || fail "the Deployment states no flags"
grep -q 'readOnlyRootFilesystem: true' manifests/deployment.yaml || fail "the Deployment's root is not read-only"
started_with() {  # WORD…: the image's own entry point unless words are given
  jq '
    (if $ARGS.positional[0] | startswith("/") then .process.args = $ARGS.positional
     else .process.args += $ARGS.positional end) |
    .process.terminal = false | .process.noNewPrivileges = true | .process.capabilities = {} | .root.readonly = true |
    .linux.namespaces |= map(select(.type != "network")) |
    .mounts |= map(select(.destination != "/sys/fs/cgroup"))
  ' "$folder/bundle/image.json" --args -- "$@" >"$folder/bundle/config.json"
}
cp "$folder/bundle/config.json" "$folder/bundle/image.json"

user=$(sed -n 's/^ *runAsUser: //p' manifests/deployment.yaml)
as_user=(chroot --userspec="$user:$user" "${within[@]}")

how="by runc"
started_with /usr/local/bin/leader-elector --version
if [[ -n "$sysroot" ]]; then
  how="from its root file system, by QEMU"
  said=$("${as_user[@]}" /usr/local/bin/leader-elector --version)
elif ! said=$(runtime run --bundle "$folder/bundle" one </dev/null 2>"$folder/runtime.log"); then
  grep -q 'operation not permitted\|permission denied' "$folder/runtime.log" || fail "$(cat "$folder/runtime.log")"
  how="from its root file system, for no container may be started here"
  said=$("${as_user[@]}" /usr/local/bin/leader-elector --version)
fi
[[ "$said" == *"${stated#*:}"* ]] || fail "leader-elector says $said"

if [[ "$how" == "by runc" ]]; then
  started_with "${flags[@]}" --kubeconfig=/run/kubeconfig
  runtime run --bundle "$folder/bundle" one </dev/null >"$folder/controller.log" 2>&1 &
else
  "${as_user[@]}" /usr/local/bin/node-lifecycle-controller "${flags[@]}" --kubeconfig=/run/kubeconfig \
    </dev/null >"$folder/controller.log" 2>&1 &
fi
container=$!
for probe in $(sed -n 's/^ *httpGet: {path: \([^,]*\),.*/\1/p' manifests/deployment.yaml); do
  until_true "$probe" curl --silent --fail --output /dev/null "http://127.0.0.1:10290$probe"
done
lock=http://127.0.0.1:8001/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/node-lifecycle-controller
held() { curl --silent "$lock" | jq -e '.spec.holderIdentity | length > 0' >/dev/null; }
until_true "that it leads" held
process=$container
[[ "$how" != "by runc" ]] || process=$(runtime state one | jq .pid)
[[ "$(awk '/^Uid:/ {print $2}' "/proc/$process/status")" == "$user" ]] || fail "does not run as $user"
[[ "$how" != "by runc" ]] || awk '$5 == "/" {print $6}' "/proc/$process/mountinfo" | grep -q '^ro' ||
  fail "its root can be written"

# Asked to end, it gives the lock back in the time that the Deployment grants.
kill -TERM "$process"
limit=$(sed -n 's/^ *terminationGracePeriodSeconds: //p' manifests/deployment.yaml)
timeout "$limit" tail --pid="$container" --follow /dev/null || fail "runs on after $limit s"
wait "$container" || fail "ended with $?: $(tail -3 "$folder/controller.log")"
! held || fail "keeps the lock"
printf 'image: %d bytes, twice the same; started %s as user %s with %s; probes, lock and end as the Deployment states\n' \
  "$size" "$how" "$user" "${flags[*]}"
