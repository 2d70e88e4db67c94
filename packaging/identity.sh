# What is packaged, read from the build's folder $1 and from git; to be sourced at the root of this tree.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$2/CMakeCache.txt"; }
version=$(cached CMAKE_PROJECT_VERSION "$1")
revision=${SOURCE_REVISION:-$(git rev-parse HEAD)}
# Whose packages it was built against: nothing for this machine's, else what packaging/sysroot.sh unpacked.
sysroot=$(cached CMAKE_SYSROOT "$1")
records=$sysroot/var/lib/dpkg
architecture=$(dpkg-query --admindir="$records" --show -f '${Architecture}' base-files)
# Whatever carries a date carries that of the commit.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
