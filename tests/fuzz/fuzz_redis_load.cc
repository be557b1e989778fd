// Filters of RedisBloom's types on their way in: a byte says the kind, two how long the header is,
// and the rest is pieces, each a byte of length, two of a position, and its bytes.
#include <algorithm>
#include <vector>

#include "apps/redis/native/peer_loader.h"
#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"
#include "tests/fuzz/require.h"

using namespace bloomery;
using namespace bloomery::redis_module;

namespace {

using fuzz::require;

constexpr DecodeLimits kLimits{std::uint64_t{1} << 20};

// What has come is given back as it came, and a filter that is whole has the header's numbers.
void use(PeerLoader loader) {
  std::uint64_t received = 0;
  std::uint64_t end = 0;
  auto again = PeerLoader::start(loader.kind(), loader.header_bytes(), kLimits, nullptr);
  require(again.has_value());
  loader.for_each_received([&](std::uint64_t offset, ByteView bytes) {
    require(offset >= end && !bytes.empty());
    end = offset + bytes.size();
    received += bytes.size();
    require(again->take(static_cast<std::int64_t>(end + 1), bytes) == ChunkLoad::kLoaded);
  });
  require(received == loader.received() && again->received() == received);
  require(again->whole() == loader.whole());
  if (!loader.whole()) return;
  const std::vector<std::byte> header{loader.header_bytes().begin(), loader.header_bytes().end()};
  if (loader.kind() == PeerKind::kBloom) {
    const RedisBloomFilter filter = std::move(loader).finish_bloom(kLimits);
    require(*encode_redisbloom_header(filter) == header);
    (void)filter.may_contain(bytes_of("a"));
  } else {
    const RedisCuckooFilter filter = std::move(loader).finish_cuckoo(kLimits);
    require(encode_rediscuckoo_header(filter) == header);
    (void)filter.may_contain(bytes_of("a"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  std::vector<std::byte> bytes(size);
  std::transform(data, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  ByteView rest = ByteView{bytes}.subspan(3);
  const std::size_t split = std::min<std::size_t>(data[1] + 256U * data[2], rest.size());
  const PeerKind kind = data[0] % 2 == 0 ? PeerKind::kBloom : PeerKind::kCuckoo;
  auto loader = PeerLoader::start(kind, rest.first(split), kLimits, nullptr);
  if (!loader) return 0;
  rest = rest.subspan(split);
  while (rest.size() > 3) {
    const std::size_t length =
        std::min<std::size_t>(static_cast<unsigned>(rest[0]), rest.size() - 3);
    const auto position = static_cast<std::int64_t>(load_le<std::uint16_t>(rest.data() + 1));
    loader->take(position, rest.subspan(3, length));
    rest = rest.subspan(3 + length);
  }
  use(std::move(*loader));
  return 0;
}
