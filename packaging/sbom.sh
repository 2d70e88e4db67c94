#!/usr/bin/env bash
# Prints an SPDX 2.3 document from dpkg's database: the packages that the programs load, and those that were compiled into
# them (whose headers ninja knows that they read).
# usage: sbom.sh BUILD-FOLDER PACKAGE…
set -euo pipefail

build=$1
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/identity.sh "$build"

compiled_in() {  # RECORDS PREFIX: of the packages in those records, by headers below that folder
  ninja -C "$build" -t deps | sed -n "s,^ *$2\(/usr/\([^/ ]*-linux-gnu/\)\?include/\S*\)$,\1,p" | sort -u |
    xargs dpkg-query --admindir="$1" --search 2>/dev/null | sed 's/:.*//' | sort -u
}

described() {  # RECORDS HOW PACKAGE…: a line of JSON for each
  dpkg-query --admindir="$1" --show \
    -f "$2"'\t${Package}\t${Version}\t${Architecture}\t${Maintainer}\t${Homepage}\t${source:Package}\t${source:Version}\n' "${@:3}"
}

# A cache of the compiler makes paths relative.
mapfile -t headers < <(comm -13 <(printf '%s\n' "$@" | sort) <(compiled_in "$records" "${sysroot:+\\S*/${sysroot##*/}}"))
((${#headers[@]})) || { echo "sbom: ninja knows no header of a package in $build" >&2; exit 1; }
# Headers of C and C++ are the compiler's own when it is one for another architecture.
mapfile -t compilers < <([[ -z "$sysroot" ]] || compiled_in /var/lib/dpkg "")
{
  described "$records" DYNAMIC_LINK "$@"
  described "$records" STATIC_LINK "${headers[@]}"
  ((${#compilers[@]} == 0)) || described /var/lib/dpkg STATIC_LINK "${compilers[@]}"
} | sort -u |
  jq --raw-input --slurp --arg version "$version" --arg revision "$revision" \
    --arg created "$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" '
  "SPDXRef-Package-node-lifecycle-controller" as $self |
  def id: "SPDXRef-Package-" + (.name | gsub("[^A-Za-z0-9.-]"; "-"));
  [splits("\n") | select(. != "") | split("\t") |
    {how: .[0], name: .[1], version: .[2], arch: .[3], maintainer: .[4], home: .[5], source: .[6], source_version: .[7]}] as $all |
  {
    spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
    name: ("node-lifecycle-controller-" + $version),
    documentNamespace: ("https://spdx.org/spdxdocs/node-lifecycle-controller-" + $version + "-" + $revision),
    creationInfo: {created: $created, creators: ["Tool: node-lifecycle-controller-packaging/sbom.sh"]},
    packages: ([{
      SPDXID: $self, name: "node-lifecycle-controller", versionInfo: $version, downloadLocation: "NOASSERTION",
      filesAnalyzed: false, sourceInfo: ("commit " + $revision), primaryPackagePurpose: "APPLICATION"
    }] + [$all[] | {
      SPDXID: id, name, versionInfo: .version, downloadLocation: "NOASSERTION", filesAnalyzed: false,
      supplier: ("Organization: " + .maintainer), primaryPackagePurpose: "LIBRARY",
      sourceInfo: ("Debian source package " + .source + " " + .source_version),
      externalRefs: [{
        referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
        referenceLocator: ("pkg:deb/debian/" + (.name | @uri) + "@" + (.version | @uri) + "?arch=" + .arch + "&distro=debian-12")
      }]
    } + (if .home != "" then {homepage: .home} else {} end)]),
    relationships: ([{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: $self}] +
      [$all[] | {spdxElementId: $self, relatedSpdxElement: id,
        relationshipType: (if .name == "ca-certificates" then "CONTAINS" else .how end)}])
  }'
