# Formula of the tree's newest commit: brew install --HEAD ./packaging/homebrew/bloomery.rb
class Bloomery < Formula
  desc "Bloom filters on the command line, in the formats of many systems"
  homepage "https://bloomery.invalid/"
  license "MIT"
  head File.expand_path("../..", __dir__), using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkg-config" => :build
  depends_on "boost"
  depends_on "brotli"
  depends_on "cryptopp"
  depends_on "curl"
  depends_on "hiredis"
  depends_on "leveldb"
  depends_on "libsodium"
  depends_on :linux
  depends_on "lz4"
  depends_on "openssl@3"
  depends_on "secp256k1"
  depends_on "snappy"
  depends_on "utf8proc"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBLOOMERY_UNITY=ON",
           "-DBLOOMERY_BUILD_TESTS=OFF", "-DBLOOMERY_BUILD_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_equal "2", pipe_output("#{bin}/bloomery dedup -q -c", "apple\nplum\napple\n").strip
  end
end
