// The pages of a filter of leveldb_policy.h: where they lie, and the check over each.
#include <algorithm>

#include "bloomery/base/endian.h"
#include "bloomery/formats/leveldb/policy.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::internal {
namespace {

using Layout = LevelDbPolicyShape::Layout;

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr std::size_t kChunk = 64;
constexpr std::size_t kSummedFrom = 128;  // below, XXH3 is faster

__extension__ using Wide = unsigned __int128;

std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Fletcher's two sums over 64-bit words, two lanes of them: the first sees every changed byte, the
// second also where it was.
class LaneSums {
 public:
  void add(const std::byte* from) {
    sum_ += load_le<Lanes>(from);
    sum_of_sums_ += sum_;
  }
  std::uint64_t folded(std::uint64_t number) const {
    constexpr std::uint64_t kSecond = 0xd1342543de82ef95;
    return folded_product(sum_[0] ^ kGolden * (4 * number + 1), sum_of_sums_[0] ^ kSecond) +
           folded_product(sum_[1] ^ kGolden * (4 * number + 3), sum_of_sums_[1] ^ kSecond);
  }

 private:
  using Lanes [[gnu::vector_size(16)]] = std::uint64_t;
  Lanes sum_ = {};
  Lanes sum_of_sums_ = {};
};

// Every lookup that answers "no" pays for this, and it takes a third of XXH3's time. Whole chunks,
// then the last bytes as a chunk of their own, which overlaps the one before. Four variables, not
// an array: those stay in registers.
std::uint64_t summed(ByteView bytes) {
  LaneSums first, second, third, fourth;
  const std::byte* const last = bytes.data() + bytes.size() - kChunk;
  for (const std::byte* chunk = bytes.data();; chunk += kChunk) {
    const std::byte* from = std::min(chunk, last);
    first.add(from);
    second.add(from + 16);
    third.add(from + 32);
    fourth.add(from + 48);
    if (from == last) break;
  }
  return first.folded(0) + second.folded(1) + third.folded(2) + fourth.folded(3);
}

}  // namespace

std::size_t leveldb_policy_pages(const LevelDbPolicyShape& shape) noexcept {
  constexpr std::size_t kPageBlocks = LevelDbPolicyShape::kPageBlocks;
  return shape.layout == Layout::kClassic ? 1 : (shape.blocks() + kPageBlocks - 1) / kPageBlocks;
}

LevelDbPolicyPage leveldb_policy_page(const LevelDbPolicyShape& shape, std::size_t i) noexcept {
  if (shape.layout == Layout::kClassic) return {0, shape.data_bytes, 0};
  constexpr std::size_t kFull = LevelDbPolicyShape::kPageBlocks * block::kBlockBytes;
  const std::size_t data = std::min(kFull, shape.data_bytes - i * kFull);
  return {i * LevelDbPolicyShape::kPageBytes, data,
          (data + block::kBlockBytes - 1) / block::kBlockBytes};
}

std::uint16_t leveldb_policy_check(ByteView filter, const LevelDbPolicyPage& page,
                                   std::size_t number) noexcept {
  const ByteView content = filter.subspan(page.offset, page.data_bytes + page.seeds);
  const std::uint64_t hash = content.size() < kSummedFrom ? xxh3_64(content) : summed(content);
  const std::uint64_t place = std::uint64_t{filter.size()} << 24 ^ std::uint64_t{number} << 8 ^
                              static_cast<std::uint64_t>(filter.back());
  const std::uint64_t mixed = (hash ^ place) * kGolden;
  return static_cast<std::uint16_t>(1 + ((mixed >> 32) * 0xffff >> 32));
}

}  // namespace bloomery::internal
