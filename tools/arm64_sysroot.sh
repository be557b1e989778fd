#!/usr/bin/env bash
# Unpacks the libraries that Bloomery needs for aarch64, so that they can be linked on another CPU (cmake/arm64.cmake).
# Debian's packages, from the mirrors and keys that /etc/apt names. apt works in a folder of its own: the machine's
# package lists and architectures stay as they are, and root is not needed.
#   tools/arm64_sysroot.sh [FOLDER]      build/arm64-sysroot unless named
set -euo pipefail
folder=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/arm64-sysroot}
packages=(libxxhash-dev libsodium-dev libcrypto++-dev libsnappy-dev zlib1g-dev nlohmann-json3-dev libgtest-dev
  libgmock-dev librapidcheck-dev)

list="$folder/packages.txt" # written last: an unfinished folder is made again
[ -e "$list" ] && [ "$(cat "$list")" = "${packages[*]}" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
  echo "$0: needs Debian's apt-get and dpkg-deb" >&2
  exit 1
}
rm -rf "$folder"
mkdir -p "$folder"
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/packages"
: >"$apt/status"
quiet_apt() {
  (cd "$apt/packages" && apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$apt/state" \
    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Acquire::Languages=none -o Acquire::Retries=2 "$@")
}
# A mirror of something else may have nothing for arm64: what counts is that the packages come.
quiet_apt update || echo "$0: apt-get update reported an error; going on" >&2
quiet_apt download "${packages[@]}"
for package in "$apt"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
# Links to shared libraries that are not there; all of these have a static one.
find "$folder" -name '*.so' -delete
echo "${packages[*]}" >"$list"
