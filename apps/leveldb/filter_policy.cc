#include "bloomery/leveldb/filter_policy.h"

#include <leveldb/slice.h>

#include <algorithm>
#include <array>
#include <string>

#include "bloomery/formats/leveldb/filter.h"
#include "bloomery/formats/leveldb/policy.h"

namespace bloomery {
namespace {

using leveldb::Slice;

ByteView view(const Slice& slice) { return std::as_bytes(std::span{slice.data(), slice.size()}); }

// Calls use(keys) for a few keys at a time, as views.
template <class Use>
void for_each_piece(const Slice* keys, std::size_t count, Use use) {
  constexpr std::size_t kPiece = 64;
  std::array<ByteView, kPiece> views;
  for (std::size_t at = 0; at < count; at += kPiece) {
    const std::size_t piece = std::min(kPiece, count - at);
    for (std::size_t i = 0; i < piece; ++i) views[i] = view(keys[at + i]);
    use(std::span<const ByteView>{views}.first(piece));
  }
}

// The new bytes at the end of `filters`, all zero.
ByteSpan appended(std::string& filters, std::size_t bytes) {
  const std::size_t start = filters.size();
  filters.resize(start + bytes);
  return std::as_writable_bytes(std::span{filters}).subspan(start);
}

// LevelDB is built without a thought of exceptions, so none may leave. Where memory runs out, the
// keys get a filter that says "maybe" to everything: two bytes, for LevelDB takes no bytes at all
// for "no keys", and a number of probes that all policies keep reserved. Where not even these fit,
// the program ends, as it would with LevelDB's own policy.
template <class Append>
void append_guarded(std::string& filters, Append append) noexcept {
  const std::size_t start = filters.size();
  try {
    append();
  } catch (const std::exception&) {
    filters.resize(start);
    filters.append("\0\xff", 2);
  }
}

// The bytes and the name of LevelDB's own from 1.18 on.
class CompatiblePolicy : public leveldb::FilterPolicy {
 public:
  explicit CompatiblePolicy(int bits_per_key, LevelDbRule rule = LevelDbRule::kCpp)
      : bits_per_key_{std::clamp(bits_per_key, 0, 65536)}, rule_{rule} {}

  const char* Name() const override { return "leveldb.BuiltinBloomFilter2"; }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    append_guarded(*dst, [&] {
      constexpr std::size_t kOnStack = 512;  // most filters of a table have fewer keys
      const auto count = static_cast<std::size_t>(std::max(n, 0));
      std::array<std::uint32_t, kOnStack> few;
      std::vector<std::uint32_t> many(count <= kOnStack ? 0 : count);
      const std::span<std::uint32_t> hashes =
          count <= kOnStack ? std::span{few}.first(count) : std::span{many};
      std::uint32_t* next = hashes.data();
      for_each_piece(keys, count, [&](std::span<const ByteView> piece) {
        leveldb_hashes(piece, next);
        next += piece.size();
      });
      const Shape shape = shape_for(count);
      leveldb_fill(hashes, shape, appended(*dst, static_cast<std::size_t>(shape.bits / 8) + 1));
    });
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return leveldb_may_contain_cold(view(filter), view(key));
  }

 private:
  Shape shape_for(std::size_t keys) const {
    if (const auto shape = leveldb_shape(keys, bits_per_key_, rule_)) return *shape;
    return *leveldb_shape(keys, bits_per_key_);  // where goleveldb would count bits wrongly
  }

  int bits_per_key_;
  LevelDbRule rule_;
};

class GoCompatiblePolicy final : public CompatiblePolicy {
 public:
  explicit GoCompatiblePolicy(int bits_per_key)
      : CompatiblePolicy{bits_per_key, LevelDbRule::kGo} {}

  const char* Name() const override { return "leveldb.BuiltinBloomFilter"; }
  // C++ before 1.18 wrote under this name too, and hashed keys with a byte above 0x7f among the
  // last one to three in another way: such a key is absent only if it is so in both.
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    if (CompatiblePolicy::KeyMayMatch(key, filter)) return true;
    const ByteView tail = view(key).last(key.size() % 4);
    const auto high = [](std::byte byte) { return (byte & std::byte{0x80}) != std::byte{0}; };
    if (std::ranges::none_of(tail, high)) return false;
    return leveldb_may_contain(view(filter), LevelDb{.signed_tail = true}.digest(view(key)));
  }
};

class BlockPolicy final : public leveldb::FilterPolicy {
 public:
  explicit BlockPolicy(int bits_per_key) : sizing_{bits_per_key} {}

  const char* Name() const override { return kLevelDbPolicyName; }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    append_guarded(*dst, [&] {
      const auto count = static_cast<std::size_t>(std::max(n, 0));
      LevelDbPolicyBuilder builder{sizing_, count};
      for_each_piece(keys, count, [&](std::span<const ByteView> piece) { builder.add(piece); });
      builder.finish(appended(*dst, builder.filter_bytes()));
    });
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return leveldb_policy_may_contain(view(filter), view(key));
  }

 private:
  LevelDbPolicySizing sizing_;
};

}  // namespace

const leveldb::FilterPolicy* NewBloomeryPolicy(int bits_per_key, BuiltinPolicyName name) {
  if (name == BuiltinPolicyName::kGoLevelDb) return new GoCompatiblePolicy{bits_per_key};
  return new CompatiblePolicy{bits_per_key};
}

const leveldb::FilterPolicy* NewBloomeryBlockPolicy(int bits_per_key) {
  return new BlockPolicy{bits_per_key};
}

}  // namespace bloomery
