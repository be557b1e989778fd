#include "apps/ethlog/index/bloombits/generator.h"

#include <algorithm>

#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {
namespace {

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

void copy_mirrored(std::span<const std::byte, Generator::kBloomBytes> from, std::byte* to) {
  for (std::size_t at = 0; at < from.size(); at += 8)
    store_be(to + from.size() - 8 - at, load_le<std::uint64_t>(from.data() + at));
}

}  // namespace

Result<Generator> Generator::make(std::uint64_t section_size) {
  if (section_size % 8 != 0) return refused("section count not multiple of 8");
  if (section_size > kMostBlocks)
    return Error{ErrorCode::kTooLarge, message("a section has at most ", kMostBlocks,
                                               " blocks, and ", section_size, " were asked for")};
  return Generator{section_size};
}

Generator::Generator(std::uint64_t section_size)
    : section_size_{static_cast<std::size_t>(section_size)},
      waiting_(std::min(kMostWaiting, section_size_) * kBloomBytes),
      vectors_{section_size_ / 8 * kVectors} {}

Status Generator::add_bloom(std::uint64_t index, std::span<const std::byte, kBloomBytes> bloom) {
  if (next_ >= section_size_) return refused("section out of bounds");
  if (index != next_) return refused("bloom filter with unexpected index");
  copy_mirrored(bloom, waiting_.data() + next_ % kMostWaiting * kBloomBytes);
  ++next_;
  if (next_ % kMostWaiting == 0 || next_ == section_size_) turn_waiting();
  return ok();
}

void Generator::turn_waiting() {
  const std::size_t first = (next_ - 1) / kMostWaiting * kMostWaiting;
  simd::active_bit_matrix_kernels().transpose(waiting_.data(), next_ - first, kBloomBytes,
                                              vectors_.span().data() + first / 8,
                                              section_size_ / 8);
}

Result<ByteView> Generator::bitset(std::size_t bit) const {
  if (next_ != section_size_) return refused("bloom not fully generated yet");
  if (bit >= kVectors) return refused("bloom bit out of bounds");
  const std::size_t size = section_size_ / 8;
  return vectors_.view().subspan(bit * size, size);
}

}  // namespace bloomery::ethlog
