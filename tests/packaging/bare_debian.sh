#!/usr/bin/env bash
# Installs the packages of a folder in a bare Debian 12, and removes that: bare_debian.sh DIST
# The system is a chroot that debootstrap makes, some 700 MB below TMPDIR. Needs root, mounts and a mirror of Debian.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(cd "${1:?usage: bare_debian.sh DIST}" && pwd)
if [ "${BLOOMERY_OWN_MOUNTS:-}" != yes ]; then # mounts that end with this process
  BLOOMERY_OWN_MOUNTS=yes exec unshare --mount --propagation private "${BASH_SOURCE[0]}" "$dist"
fi

bare=$(mktemp -d "${TMPDIR:-/tmp}/bloomery-bare.XXXXXX")
finish() {
  umount "$bare/proc" "$bare/dev/shm" 2>/dev/null || true
  rm -rf --one-file-system "$bare"
}
trap finish EXIT
mirror=${BLOOMERY_DEBIAN_MIRROR:-http://deb.debian.org/debian}
if ! debootstrap --variant=minbase bookworm "$bare" "$mirror" >"$bare.log" 2>&1; then
  tail -n 20 "$bare.log" >&2
  echo "bare_debian.sh: debootstrap failed; all of its output is in $bare.log" >&2
  exit 1
fi
rm "$bare.log"
mount -t proc proc "$bare/proc"
mkdir -p "$bare/dev/shm"
mount -t tmpfs tmpfs "$bare/dev/shm" # PostgreSQL's shared memory
cp /etc/resolv.conf "$bare/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$bare/usr/sbin/policy-rc.d" # packages start no servers
chmod +x "$bare/usr/sbin/policy-rc.d"
mkdir -p "$bare/bloomery/tests/packaging" "$bare/dist"
cp "$project/README.md" "$bare/bloomery/"
cp "$project"/tests/packaging/{install_packages.sh,hello.c} "$bare/bloomery/tests/packaging/"
cp "$dist"/*.deb "$bare/dist/"
chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C /bloomery/tests/packaging/install_packages.sh /dist
