#include "bloomery/formats/native/body.h"

#include <xxhash.h>

#include <algorithm>

#include "bloomery/base/out_of_memory.h"

namespace bloomery::internal {

BodyChecksum::BodyChecksum() : state_{XXH3_createState()} {
  if (!state_) out_of_memory();
  XXH3_64bits_reset(state_.get());
}

void BodyChecksum::Release::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void BodyChecksum::add(ByteView part) {
  if (!part.empty()) XXH3_64bits_update(state_.get(), part.data(), part.size());
}

std::uint64_t BodyChecksum::value() const { return XXH3_64bits_digest(state_.get()); }

std::uint64_t body_checksum(std::span<const ByteView> parts) {
  BodyChecksum checksum;
  for (const ByteView part : parts) checksum.add(part);
  return checksum.value();
}

bool zero_past(ByteView body, std::uint64_t used_bits) {
  for (std::uint64_t bit = used_bits; bit < body.size() * 8; ++bit)
    if ((static_cast<unsigned>(body[static_cast<std::size_t>(bit / 8)]) >> (bit % 8) & 1U) != 0)
      return false;
  return true;
}

Status check_seeds(std::span<const std::uint8_t> seeds) {
  const auto bad =
      std::ranges::find_if(seeds, [](std::uint8_t seed) { return seed >= block::kWindowSets; });
  if (bad == seeds.end()) return ok();
  return Error{ErrorCode::kMalformed,
               message("block ", bad - seeds.begin(), " has the seed ", unsigned{*bad},
                       ", and there are only the window sets 0 to ", block::kWindowSets - 1)};
}

Error damaged_body() {
  return {ErrorCode::kMalformed,
          "the body checksum at byte 88 does not match: the body was damaged"};
}

Error dirty_end() {
  return {ErrorCode::kMalformed, "the bits past the end of the filter must be zero, and are not"};
}

}  // namespace bloomery::internal
