// A batch of keys as the caller stores them, checked against a filter's funnel and turned into
// views, a chunk at a time.
#pragma once
#include <array>

#include "bindings/c/handle.h"
#include "bloomery/funnel/byte_sink.h"

namespace bloomery::c {

inline constexpr std::size_t kChunkKeys = 512;

inline bool is_readable(const bloomery_key& key) { return key.data != nullptr || key.size == 0; }
// Precondition: is_readable(key). The empty key has an address, too.
inline ByteView view_of(const bloomery_key& key) {
  static constexpr std::byte kNothing{};
  return {key.data != nullptr ? static_cast<const std::byte*>(key.data) : &kNothing, key.size};
}

class KeyBatch {
 public:
  // Checks every key: after it, for_each_chunk() fails only where `use` does.
  static Result<KeyBatch> checked(const bloomery_keys& keys, const bloomery_filter& filter);

  std::size_t count() const { return keys_.count; }
  bool has_nulls() const { return keys_.validity != nullptr; }
  // The keys as numbers that need no conversion, or null. Negative ones are their two's complement,
  // which has the bytes of the funnel i64.
  const std::uint64_t* numbers(const KeyHash& hash) const;

  // Calls use(views, answers) -> Result<std::size_t>, which sets an answer per view and returns how
  // many are 1. Answers go to `out`, if it is not null, in the order of the keys; nulls get 0.
  template <class Use>
  Result<std::size_t> for_each_chunk(std::uint8_t* out, Use use) const {
    std::size_t yes = 0;
    Chunk chunk;
    for (std::size_t start = 0; start < keys_.count;) {
      const std::size_t end = fill(start, chunk);
      const bool direct = out != nullptr && !has_nulls();
      std::uint8_t* answers = direct ? out + start : chunk.answers.data();
      const std::span<const ByteView> views{chunk.views.data(), chunk.size};
      const Result<std::size_t> done = use(views, std::span{answers, chunk.size});
      if (!done) return done;
      yes += *done;
      if (out != nullptr && has_nulls()) scatter(chunk, start, end, out);
      start = end;
    }
    return yes;
  }

 private:
  struct Chunk {
    std::size_t size = 0;
    std::array<ByteView, kChunkKeys> views;
    std::array<std::uint8_t, kChunkKeys> answers;
    std::array<std::uint16_t, kChunkKeys> places;  // of each view, from the chunk's start
    std::vector<std::byte> swapped;                // where the format's numbers are big-endian
  };

  KeyBatch(const bloomery_keys& keys, FunnelName funnel, ByteOrder order);
  bool is_null(std::size_t i) const {
    const std::size_t at = keys_.offset + i;
    return has_nulls() && (keys_.validity[at / 8] >> (at % 8) & 1) == 0;
  }
  bool is_integers() const {
    return keys_.type == BLOOMERY_KEYS_U64 || keys_.type == BLOOMERY_KEYS_I64;
  }
  ByteView view(std::size_t i) const;  // Precondition: a key of BLOOMERY_KEYS_BYTES is_readable()
  Status check_storage() const;
  Status check_fixed() const;
  template <class Offset>
  Status check_offsets() const;
  Status check_integers() const;
  Status check_widths() const;
  Error wrong_key(std::size_t i, std::string_view what) const;
  std::size_t fill(std::size_t start, Chunk& chunk) const;  // returns where the next one starts
  void swap_bytes(Chunk& chunk) const;
  static void scatter(const Chunk& chunk, std::size_t start, std::size_t end, std::uint8_t* out);

  bloomery_keys keys_;
  FunnelName funnel_;
  std::size_t width_;  // of a key of the funnel; 0: any
  std::size_t unit_;   // of its numbers
  bool is_big_;
};

}  // namespace bloomery::c
