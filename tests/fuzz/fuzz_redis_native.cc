// Dumps of the Redis module's own type: two bytes say how long the manifest is, the rest is the
// stream of layers. Checksums are made right first, or nothing behind them would ever be reached.
#include <algorithm>
#include <vector>

#include "apps/redis/native/dump.h"
#include "apps/redis/native/loader.h"
#include "bloomery/hash/xxh.h"
#include "tests/fuzz/require.h"

using namespace bloomery;
using namespace bloomery::redis_module;

namespace {

using fuzz::require;

constexpr DecodeLimits kLimits{std::uint64_t{1} << 20};

void mend(ByteSpan bytes, std::size_t from, std::size_t checksum_at) {
  if (checksum_at < from || checksum_at + sizeof(std::uint64_t) > bytes.size()) return;
  store_le(bytes.data() + checksum_at, xxh3_64(bytes.subspan(from, checksum_at - from)));
}

// Every header that a stream of valid ones leads to.
void mend_headers(ByteSpan stream) {
  for (std::size_t at = 0; stream.size() - at >= kNativeHeaderBytes;) {
    const auto body = load_le<std::uint64_t>(stream.data() + at + 80);
    const std::size_t rest = stream.size() - at - kNativeHeaderBytes;
    if (body <= rest) {
      const auto view =
          ByteView{stream}.subspan(at + kNativeHeaderBytes, static_cast<std::size_t>(body));
      store_le(stream.data() + at + 88, xxh3_64(view));
    }
    mend(stream, at, at + kNativeHeaderBytes - sizeof(std::uint64_t));
    if (body > rest) return;
    at += kNativeHeaderBytes + static_cast<std::size_t>(body);
  }
}

// What was taken is a filter, and says the same of itself as what it was taken from.
void use(LayeredFilter filter) {
  const ByteView keys[] = {bytes_of("a"), bytes_of("b")};
  std::vector<std::byte> stream;
  for (NativePiece piece = piece_at(filter, 1); piece.next != 0;
       piece = piece_at(filter, piece.next))
    stream.insert(stream.end(), piece.bytes().begin(), piece.bytes().end());
  auto again = NativeLoader::start(encode_native_manifest(manifest_of(filter)), nullptr);
  require(again.has_value() && again->take(stream, kLimits).has_value() && again->whole());
  require(std::move(*again).finish().same_bytes(filter));
  filter.set_limits(kLimits);
  const auto answers = filter.insert(keys, 5000);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i].changed && filter.plan().layout == LayerKind::kCounting)
      require(filter.may_contain(keys[i], 5000) && filter.remove(keys[i]));
  if (const auto due = filter.rotation_due(5000)) (void)filter.rotate(*due);
  (void)filter.health(5000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::vector<std::byte> bytes(size - 2);
  std::transform(data + 2, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  const std::size_t split = std::min<std::size_t>(data[0] + 256U * data[1], bytes.size());
  const ByteSpan manifest = ByteSpan{bytes}.first(split);
  const ByteSpan stream = ByteSpan{bytes}.subspan(split);
  if (split >= sizeof(std::uint64_t)) mend(manifest, 0, split - sizeof(std::uint64_t));
  mend_headers(stream);
  auto loader = NativeLoader::start(manifest, nullptr);
  if (!loader) return 0;
  const std::size_t half = stream.size() / 2;  // in two pieces
  if (!loader->take(stream.first(half), kLimits)) return 0;
  if (!loader->take(stream.subspan(half), kLimits)) return 0;
  if (loader->whole()) use(std::move(*loader).finish());
  return 0;
}
