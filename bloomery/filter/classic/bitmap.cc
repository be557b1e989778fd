#include "bloomery/filter/classic/bitmap.h"

#include <bit>

#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery {
namespace {

std::size_t byte_of(std::uint64_t bit) { return static_cast<std::size_t>(bit / 8); }
std::byte bit_in_byte(std::uint64_t bit) { return std::byte{1} << (bit % 8); }

}  // namespace

// Divided before it is rounded up: bits + 63 would wrap for the largest numbers.
Bitmap::Bitmap(std::uint64_t bits, std::pmr::memory_resource* memory)
    : bits_{bits}, words_{memory_bytes((bits / 64 + (bits % 64 != 0)) * 8), memory} {}

Status Bitmap::checked(std::uint64_t bit) const {
  if (bit < bits_) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("bit ", bit, " is out of range: the bitmap has ", bits_, " bits")};
}

Status Bitmap::set(std::uint64_t bit) {
  auto status = checked(bit);
  if (status) words_.span()[byte_of(bit)] |= bit_in_byte(bit);
  return status;
}

Status Bitmap::remove(std::uint64_t bit) {
  auto status = checked(bit);
  if (status) words_.span()[byte_of(bit)] &= ~bit_in_byte(bit);
  return status;
}

Result<bool> Bitmap::get(std::uint64_t bit) const {
  if (auto status = checked(bit); !status) return status.error();
  return (words_.view()[byte_of(bit)] & bit_in_byte(bit)) != std::byte{0};
}

std::uint64_t Bitmap::count() const {
  std::uint64_t ones = 0;
  for (std::size_t at = 0; at < words_.size(); at += 8)
    ones += static_cast<std::uint64_t>(
        std::popcount(load_le<std::uint64_t>(words_.view().data() + at)));
  return ones;
}

ByteView Bitmap::bytes() const {
  return words_.view().first(byte_of(bits_) + (bits_ % 8 != 0 ? 1 : 0));
}

}  // namespace bloomery
