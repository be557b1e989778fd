// The pages of a filter of leveldb_policy.h: where they lie, and the check over each.
#include <algorithm>

#include "bloomery/base/endian.h"
#include "bloomery/formats/leveldb/policy.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/simd/block_kernels.h"

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

// Fletcher's two sums of each of the eight 64-bit words of a chunk: the first sees every changed
// byte, the second also where it was. Whole chunks, then the last bytes as a chunk of their own,
// which overlaps the one before. Lanes is a vector of any width; all give the same sums. The
// variables are named, because an array would not stay in registers.
template <class Lanes>
[[gnu::always_inline]] inline std::uint64_t summed_in(ByteView bytes) {
  constexpr std::size_t kVectors = kChunk / sizeof(Lanes);
  Lanes sum0 = {}, sum1 = {}, sum2 = {}, sum3 = {};
  Lanes second0 = {}, second1 = {}, second2 = {}, second3 = {};
  const std::byte* const last = bytes.data() + bytes.size() - kChunk;
  for (const std::byte* chunk = bytes.data();; chunk += kChunk) {
    const std::byte* from = std::min(chunk, last);
    Lanes words[kVectors];
    __builtin_memcpy(words, from, kChunk);
    second0 += sum0 += words[0];
    if constexpr (kVectors > 1) second1 += sum1 += words[1];
    if constexpr (kVectors > 2) second2 += sum2 += words[2];
    if constexpr (kVectors > 2) second3 += sum3 += words[3];
    if (from == last) break;
  }
  const Lanes sums[] = {sum0, sum1, sum2, sum3};
  const Lanes seconds[] = {second0, second1, second2, second3};
  std::uint64_t first[kChunk / 8], second[kChunk / 8];
  __builtin_memcpy(first, sums, kChunk);
  __builtin_memcpy(second, seconds, kChunk);
  constexpr std::uint64_t kSecond = 0xd1342543de82ef95;
  std::uint64_t folded = 0;
  for (std::uint64_t i = 0; i < kChunk / 8; ++i)
    folded += folded_product(first[i] ^ kGolden * (2 * i + 1), second[i] ^ kSecond);
  return folded;
}

using TwoWords [[gnu::vector_size(16)]] = std::uint64_t;
using FourWords [[gnu::vector_size(32)]] = std::uint64_t;
using EightWords [[gnu::vector_size(64)]] = std::uint64_t;

std::uint64_t summed_baseline(ByteView bytes) { return summed_in<TwoWords>(bytes); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t summed_avx2(ByteView bytes) {
  return summed_in<FourWords>(bytes);
}
[[gnu::target("avx512f")]] std::uint64_t summed_avx512(ByteView bytes) {
  return summed_in<EightWords>(bytes);
}
#endif

using Summed = std::uint64_t (*)(ByteView);

Summed summed_for([[maybe_unused]] std::string_view kernels) {
#if defined(__x86_64__)
  if (kernels == "avx512") return summed_avx512;
  if (kernels == "avx2") return summed_avx2;
#endif
  return summed_baseline;
}

// Every lookup that answers "no" pays for this: in a chunk at a time it takes a tenth of XXH3's
// time.
std::uint64_t summed(ByteView bytes) {
  static const Summed active = summed_for(simd::active_block_kernels().name);
  return active(bytes);
}

}  // namespace

std::uint64_t leveldb_policy_sum(ByteView content, std::string_view kernels) noexcept {
  return summed_for(kernels)(content);
}

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
