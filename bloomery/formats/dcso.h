// DCSO's bloom, version 1 (library and command 0.2.4): its dialect, and a file that carries its
// goal, its count of keys and user data of any length; optionally gzipped as a whole.
#pragma once
#include <vector>

#include "bloomery/formats/description.h"
#include "bloomery/formats/foreign_filter.h"
#include "bloomery/hash/fnv.h"

namespace bloomery {

// A true recurrence: every probe is the one before it times a constant, and the product wraps at 64
// bits before the remainder is taken, so it is no product modulo the prime.
struct Dcso {
  static constexpr std::string_view kName = "dcso";
  static constexpr std::uint64_t kPrime = 18446744073709551557u;  // the largest below 2^64
  static constexpr std::uint64_t kFactor = 18446744073709550147u;
  struct Digest {
    std::uint64_t hash;
  };
  static Digest digest(ByteView key) noexcept { return {reduced(fnv1_64(key))}; }
  static Digest next(const Digest& d) noexcept { return {reduced(d.hash * kFactor)}; }
  static std::uint64_t probe(const Digest& d, std::uint32_t /*i*/, const Modulus& bits) noexcept {
    return d.hash % bits;
  }
  static Result<Shape> shape_for(Goal goal);  // bits truncated, probes rounded up
  friend bool operator==(const Dcso&, const Dcso&) = default;

 private:
  // The remainder by kPrime: every number fits less than twice.
  static constexpr std::uint64_t reduced(std::uint64_t number) noexcept {
    return number < kPrime ? number : number - kPrime;
  }
};

// As safe as the filter in it. Its count of keys is the filter's provenance.
struct DcsoFilter {
  ClassicFilter<Dcso> filter;
  // The goal as the file spells it; the filter's provenance has it too where it is a valid one.
  std::uint64_t goal_keys = 0;
  std::uint64_t goal_rate_bits = 0;  // of an IEEE double, kept unchecked
  std::uint64_t flags = 1;           // the low byte is the version, 1; the rest is unused
  std::vector<std::byte> data = {};  // the user's
  bool gzip = false;                 // the file is compressed

  bool insert(ByteView key) { return filter.insert(key); }
  bool may_contain(ByteView key) const { return filter.may_contain(key); }
  // As the peer's Join: goals and shapes must be equal, counts add up, the data stays this one's.
  // A count that would overflow is refused, and nothing is merged (the peer merges, then fails).
  Status merge(const DcsoFilter& other);
  Result<DcsoFilter> fold(std::uint64_t factor) const;
  DcsoFilter clone() const;
};

// Plain or gzipped. A filter without probes is accepted, as the peer does: it answers "maybe" to
// every key.
Result<DcsoFilter> decode_dcso(ByteView bytes, const DecodeOptions& options);
std::vector<std::byte> encode_dcso(const DcsoFilter& filter);  // gzipped if filter.gzip
// From keys and rate; options.user_data becomes the data.
Result<DcsoFilter> create_dcso(const CreateOptions& options);
bool looks_like_dcso(ByteView bytes);
Description describe(const DcsoFilter& filter);

}  // namespace bloomery
