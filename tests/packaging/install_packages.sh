#!/usr/bin/env bash
# Installs the packages of a folder with apt and uses each: install_packages.sh DIST
# To be run as root in a bare Debian 12 that is thrown away afterwards, such as a container or a chroot: it installs
# servers, compilers and the packages, and removes none. bare_debian.sh makes such a system.
set -euo pipefail

limit=10 # seconds for the command: apt and the first example of README.md
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(cd "${1:?usage: install_packages.sh DIST}" && pwd)

fail() {
  echo "install_packages.sh: $*" >&2
  exit 1
}
expect() { # NAME WANTED GOT
  [ "$3" = "$2" ] || fail "$1: '$3' where '$2' was expected"
  echo "  $1: as expected"
}

[ "$(id -u)" = 0 ] || fail "apt needs root; run this in a system that is thrown away"
! command -v bloomery >/dev/null || fail "there is a command bloomery already; run this in a bare system"
shopt -s nullglob
packages=("$dist"/*.deb)
[ ${#packages[@]} = 6 ] || fail "$dist: ${#packages[@]} packages where 6 were expected; run tools/make_deb"
export DEBIAN_FRONTEND=noninteractive
install_with_apt() { apt-get install -y -qq --no-install-recommends "$@" >"$work/apt.log" 2>&1 || fail "$(tail -n 20 "$work/apt.log")"; }

work=$(mktemp -d)
chmod 755 "$work" # PostgreSQL's user has a folder in it
servers=()
finish() {
  local pid
  for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT
apt-get update -qq >/dev/null

example=$(grep -m1 '^printf .*| bloomery ' "$project/README.md") || fail "README.md: no example begins with printf"
begin=$(date +%s%N)
install_with_apt "$dist"/bloomery_*.deb
printed=$(bash -c "$example" 2>/dev/null)
took=$((($(date +%s%N) - begin) / 1000000))
expect "the first example of README.md" $'apple\nplum' "$printed"
[ "$took" -lt $((limit * 1000)) ] || fail "bloomery: $took ms to install it and run the first example, and $limit s were wanted"
echo "  bloomery: installed and used in $took ms"

install_with_apt "${packages[@]}" redis-server redis-tools gcc libc6-dev pkg-config
redis-server --port 0 --unixsocket "$work/redis" --save '' --dir "$work" \
  --include /usr/share/redis-bloomery/bloomery.conf >"$work/redis.log" 2>&1 &
servers+=($!)
for _ in $(seq 100); do
  redis-cli -s "$work/redis" ping >/dev/null 2>&1 && break
  sleep 0.1
done
redis-cli -s "$work/redis" BF.ADD seen apple >/dev/null
expect redis-bloomery $'1\n0' "$(redis-cli -s "$work/redis" BF.MEXISTS seen apple plum)"

programs=/usr/lib/postgresql/15/bin
install -d -o postgres "$work/postgres"
as_postgres() { (cd "$work/postgres" && runuser -u postgres -- "$@"); }
as_postgres "$programs/initdb" -D "$work/postgres/data" -A trust -E UTF8 --locale=C --no-sync >"$work/initdb.log" 2>&1 ||
  fail "$(tail -n 5 "$work/initdb.log")"
as_postgres "$programs/postgres" -D "$work/postgres/data" -k "$work/postgres" -c listen_addresses= >"$work/postgres.log" 2>&1 &
for _ in $(seq 100); do
  as_postgres psql -h "$work/postgres" -c 'select 1' >/dev/null 2>&1 && break
  sleep 0.1
done
[ -e "$work/postgres/data/postmaster.pid" ] || fail "$(tail -n 5 "$work/postgres.log")"
servers+=("$(head -n 1 "$work/postgres/data/postmaster.pid")")
as_postgres psql -h "$work/postgres" -q -v ON_ERROR_STOP=1 -c 'create extension bloomery'
expect postgresql-15-bloomery "t|f" "$(as_postgres psql -h "$work/postgres" -At -c \
  "select f @> 'apple'::text, f @> 'plum'::text from (select bloom_agg(k, 1000, 0.01) f from (values ('apple'::text)) v(k)) a")"

expect python3-bloomery "True False" "$(/usr/bin/python3 -c \
  "from bloomery import Bloom; f = Bloom(1000, 0.01); f.add('apple'); print('apple' in f, 'plum' in f)")"

flags=$(pkg-config --cflags --libs bloomery-c)
# shellcheck disable=SC2086
gcc -std=c99 -Wall -Werror "$project/tests/packaging/hello.c" -o "$work/hello" $flags
expect "libbloomery-c0, libbloomery-dev" "1 0" "$("$work/hello")"
echo "all packages were installed and used"
