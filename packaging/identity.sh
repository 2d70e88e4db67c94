# What is packaged, read from the build's folder $1 and from git; to be sourced at the root of this tree.
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$1/CMakeCache.txt")
revision=${SOURCE_REVISION:-$(git rev-parse HEAD)}
architecture=$(dpkg --print-architecture)
# Whatever carries a date carries that of the commit.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
