// LevelDB's built-in filter policy (C++ 1.23, goleveldb 2020-08): its dialect, and one filter as
// the policy makes it. Filter blocks are in leveldb_block.h, whole tables in leveldb_table.h.
#pragma once
#include <vector>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"
#include "bloomery/hash/murmur1.h"
#include "bloomery/simd/step_kernels.h"

namespace bloomery {

// One 32-bit hash; the step between probes is the same hash, rotated.
struct LevelDb {
  static constexpr std::string_view kName = "leveldb";
  static constexpr std::uint64_t kBitsMultiple = 8;
  static constexpr std::uint32_t kMostProbes = 30;
  static constexpr std::uint32_t kHashSeed = 0xbc9f1d34;
  struct Digest {
    std::uint32_t hash;
    std::uint32_t step;
  };

  // C++ releases before 1.18 read the last one to three bytes of a key as signed char.
  bool signed_tail = false;
  // 31..255 where a filter stores such a number of probes: LevelDB keeps these for encodings to
  // come and answers "maybe". The filter then has no probes, and the byte is written back.
  std::uint8_t reserved_probes = 0;

  Digest digest(ByteView key) const noexcept {
    const std::uint32_t hash = signed_tail ? murmur1_unfinished_signed_tail(key, kHashSeed)
                                           : murmur1_unfinished(key, kHashSeed);
    return {hash, std::rotr(hash, 17)};
  }
  template <class Divisor>  // Modulus, or a plain integer where a filter is asked once
  static std::uint64_t probe(const Digest& d, std::uint32_t i, const Divisor& bits) noexcept {
    return (d.hash + i * d.step) % bits;
  }
  // LevelDB knows no rate: the fewest whole bits per key that meet it in theory, then its own rule.
  static Result<Shape> shape_for(Goal goal);
  friend bool operator==(const LevelDb&, const LevelDb&) = default;
};

// Who sized a filter. goleveldb cuts the number of probes to eight bits before it is clamped, so
// from 372 bits per key on it takes other numbers than the C++ library.
enum class LevelDbRule : std::uint8_t { kCpp, kGo };

inline constexpr double kLevelDbBitsPerKey = 10;  // what LevelDB's own documentation recommends

// Bits per key is a whole number from 0 to 65536. At least 64 bits, in whole bytes.
Result<Shape> leveldb_shape(std::uint64_t keys, double bits_per_key,
                            LevelDbRule rule = LevelDbRule::kCpp);

// Asks a filter where it lies, exactly as LevelDB does: fewer than two bytes hold no key, and a
// number of probes of 0 or above 30 means "maybe".
bool leveldb_may_contain(ByteView filter, const LevelDb::Digest& digest) noexcept;
bool leveldb_may_contain(ByteView filter, ByteView key) noexcept;
// The same for a database. Between two gets the caches lose the code of a policy, so each line of
// code or table that a lookup touches costs as much as a line of the filter. This one is a few
// lines of one page and reads no table; a kernel is faster only while it is in the caches. A branch
// after every fourth probe: one in twenty absent keys passes four, and their lines are fetched
// together.
[[gnu::always_inline]] inline bool leveldb_may_contain_cold(ByteView filter,
                                                            ByteView key) noexcept {
  if (filter.size() - 2 >= simd::kMostStepBytes) return leveldb_may_contain(filter, key);
  const auto probes = static_cast<std::uint32_t>(filter.back());
  if (probes - 1 >= LevelDb::kMostProbes) return true;  // 0, or reserved
  const std::byte* bits = filter.data();
  const auto bytes = static_cast<std::uint32_t>(filter.size() - 1);
  std::uint32_t hash = internal::murmur1_inlined(key, LevelDb::kHashSeed);
  const std::uint32_t step = std::rotr(hash, 17);
  constexpr std::uint32_t kTogether = 4;
  unsigned all = 1;
  for (std::uint32_t i = 1; i <= probes; ++i, hash += step) {
    // Bits are whole bytes: hash % bits is bit hash % 8 of this byte.
    all &= static_cast<unsigned>(bits[hash / 8 % bytes]) >> (hash % 8);
    if (i % kTogether == 0 && (all & 1) == 0) return false;
  }
  return (all & 1) != 0;
}
// The number of bits and probes of such a filter; no probes where it answers "maybe" to every key.
Shape leveldb_shape_of(ByteView filter) noexcept;

// In filters above 8 KiB the one hash behind all probes shows: positions cluster, so the fill
// explains too few keys, and an absent key passes up to four times as often as fill^probes says.
// There the rate is measured by asking for 65536 even-spread hashes (`sampled`).
Health leveldb_health(Shape shape, ByteView bits, std::optional<Goal> goal);

// A filter into a caller's memory, in LevelDB's two steps: the hashes of its keys, then the filter
// of those. Precondition of the second: `filter` is zero and has shape.bits / 8 + 1 bytes.
void leveldb_hashes(std::span<const ByteView> keys, std::uint32_t* hashes) noexcept;
void leveldb_fill(std::span<const std::uint32_t> hashes, Shape shape, ByteSpan filter) noexcept;

// Makes a filter from keys whose number is known only at the end, as LevelDB does. Repeated keys
// count each time. Keeps four bytes per key.
class LevelDbBuilder {
 public:
  void add(ByteView key) { hashes_.push_back(LevelDb{}.digest(key).hash); }
  std::size_t keys() const { return hashes_.size(); }
  // Appends the filter of all keys since the last call, and forgets them.
  Status finish(double bits_per_key, LevelDbRule rule, std::vector<std::byte>& out);
  Result<std::vector<std::byte>> finish(double bits_per_key = kLevelDbBitsPerKey,
                                        LevelDbRule rule = LevelDbRule::kCpp);

 private:
  std::vector<std::uint32_t> hashes_;
};

// At least two bytes: an empty file is no filter, though LevelDB would answer "no" to every key.
Result<ClassicFilter<LevelDb>> decode_leveldb(ByteView bytes, const DecodeOptions& options);
std::vector<std::byte> encode_leveldb(const ClassicFilter<LevelDb>& filter);
// Sized by keys with bits per key (10 unless said) or a rate, or by bits and probes.
Result<ClassicFilter<LevelDb>> create_leveldb(const CreateOptions& options);
// The shape that create_leveldb takes, checked against the limit.
Result<Shape> leveldb_shape_for(const CreateOptions& options);
Description describe(const ClassicFilter<LevelDb>& filter);

}  // namespace bloomery
