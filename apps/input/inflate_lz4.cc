#include <lz4.h>
#include <lz4frame.h>

#include <climits>
#include <new>

#include "apps/input/block_codecs.h"
#include "apps/input/inflate.h"

namespace bloomery::input {

struct Lz4Stream::Library {
  LZ4F_dctx* context = nullptr;
  bool between_frames = true;
  bool seen_frame = false;  // to its end

  Error error_of(std::size_t code) const {
    const std::string_view name = LZ4F_getErrorName(code);
    if (name == "ERROR_allocation_failed") throw std::bad_alloc{};
    if (name == "ERROR_frameType_unknown") return other_bytes("lz4", seen_frame);
    return broken_data("lz4", name.ends_with("Checksum_invalid") ? kWrongChecksum : kCorrupt);
  }

  Library() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0)
      throw std::bad_alloc{};
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { LZ4F_freeDecompressionContext(context); }
};

bool Lz4Stream::is_built() { return true; }
Lz4Stream::Lz4Stream() : library_{std::make_unique<Library>()} {}
Lz4Stream::Lz4Stream(Lz4Stream&&) noexcept = default;
Lz4Stream& Lz4Stream::operator=(Lz4Stream&&) noexcept = default;
Lz4Stream::~Lz4Stream() = default;

bool Lz4Stream::may_end_here() const { return library_->between_frames; }

Result<Inflated> Lz4Stream::step(ByteView in, ByteSpan out) {
  // liblz4 waits for a whole header. The second byte is that of skippable frames.
  const bool is_frame =
      in.empty() || in[0] == std::byte{0x04} || (in[0] & std::byte{0xf0}) == std::byte{0x50};
  if (library_->between_frames && !is_frame) return other_bytes("lz4", library_->seen_frame);
  std::size_t consumed = in.size();
  std::size_t produced = out.size();
  const std::size_t hint =
      LZ4F_decompress(library_->context, out.data(), &produced, in.data(), &consumed, nullptr);
  if (LZ4F_isError(hint) != 0) return library_->error_of(hint);
  if (consumed != 0 || produced != 0) library_->between_frames = hint == 0;
  if (hint == 0) library_->seen_frame = true;
  return Inflated{consumed, produced};
}

bool decompress_lz4_block(ByteView stored, ByteSpan plain) {
  if (stored.size() > INT_MAX || plain.size() > INT_MAX) return false;
  return LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                             reinterpret_cast<char*>(plain.data()), static_cast<int>(stored.size()),
                             static_cast<int>(plain.size())) == static_cast<int>(plain.size());
}

}  // namespace bloomery::input
