# Debian packages, by what they are for. Sourced by run and test.
build_packages=(g++ cmake ninja-build pkg-config libxxhash-dev libcrypto++-dev libsodium-dev zlib1g-dev
  libsnappy-dev libzstd-dev liblzma-dev libbz2-dev liblz4-dev libbrotli-dev libleveldb-dev nlohmann-json3-dev
  libhiredis-dev libboost-dev libssl-dev libutf8proc-dev libcurl4-openssl-dev
  libsecp256k1-dev)
test_packages=("${build_packages[@]}" git ccache python3 clang clang-format clang-tidy libclang-rt-14-dev
  clang-19 libc++-19-dev-wasm32 wasi-libc
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libbloom-dev
  abigail-tools rustc golang-go golang-github-willf-bloom-dev golang-github-syndtr-goleveldb-dev golang-github-dcso-bloom-cli
  golang-github-dcso-bloom-dev default-jdk-headless libguava-java man-db gzip zstd xz-utils bzip2 lz4 sqlite3
  python3-dev python3-pip python3-setuptools python3-wheel python3-venv python3-numpy python3-pandas
  python3-hypothesis parallel curl jq
  redis-server redis-tools openssl python3-redis postgresql
  postgresql-server-dev-15 python3-psycopg2 xfsprogs btrfs-progs faketime)
# To test the library on aarch64; its libraries come by tools/arm64_sysroot.sh.
arm64_packages=(g++-aarch64-linux-gnu qemu-user)
# For ./test --full alone: 43 MB to download, 200 MB on disk and 20 s, for the plot of docs/python.md.
full_packages=(python3-matplotlib)
# To build Debian packages, and to check what tools/release made.
deb_packages=("${build_packages[@]}" git dpkg-dev debhelper dh-python fakeroot postgresql-server-dev-15 python3-dev)
release_packages=(lintian debootstrap python3-pip python3-setuptools python3-wheel python3-venv redis-server redis-tools
  postgresql python3-psycopg2)
# Debian's npm is more than 350 packages, and most of a minute: only where there is no npm at all.
command -v npm >/dev/null || test_packages+=(nodejs npm)

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "These packages are missing, and this is neither root nor is there sudo to install them:" >&2
    echo "  ${missing[*]}" >&2
    exit 2
  fi
}

# Installs what is missing of its arguments, and says so.
install_packages() {
  command -v apt-get >/dev/null || {
    echo "No apt-get here: on a system other than Debian, install the equivalents of: $*" >&2
    return 0
  }
  missing=()
  local package installed
  installed=$(dpkg-query -W -f ' ${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)
  for package in "$@"; do
    [[ $installed == *" $package=installed "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "Installing Debian packages: ${missing[*]}" >&2
  as_root apt-get update -qq >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"${TMPDIR:-/tmp}/bloomery-packages.log" 2>&1 || {
    tail -n 20 "${TMPDIR:-/tmp}/bloomery-packages.log" >&2
    echo "Installing the packages failed." >&2
    exit 2
  }
}
