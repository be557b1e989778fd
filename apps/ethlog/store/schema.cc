#include "apps/ethlog/store/schema.h"

#include "bloomery/base/endian.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::string_view kSectionHeadPrefix = "iBshead";

void append_number(std::string& key, std::uint64_t number) {
  std::byte raw[kNumberBytes];
  store_be(raw, number);
  key += text_of(raw);
}

std::string numbered(char prefix, std::uint64_t number) {
  std::string key(1, prefix);
  append_number(key, number);
  return key;
}

std::string numbered(char prefix, std::uint64_t number, const Hash& hash) {
  std::string key = numbered(prefix, number);
  key += text_of(hash.bytes);
  return key;
}

std::string hashed(char prefix, const Hash& hash) {
  std::string key(1, prefix);
  key += text_of(hash.bytes);
  return key;
}

std::uint64_t number_at(std::string_view key, std::size_t at) {
  return load_be<std::uint64_t>(bytes_of(key).data() + at);
}
Hash hash_at(std::string_view key, std::size_t at) {
  return Hash::from_bytes(bytes_of(key).subspan(at, Hash::kSize));
}

// "h" begins three kinds of key; only the length distinguishes them.
SchemaKey parse_header_key(std::string_view key) {
  constexpr std::size_t kWithHash = 1 + kNumberBytes + Hash::kSize;
  if (key.size() == kWithHash) return {KeyKind::kHeader, number_at(key, 1), 0, hash_at(key, 9)};
  if (key.size() == kWithHash + 1 && key.back() == 't')
    return {KeyKind::kTotalDifficulty, number_at(key, 1), 0, hash_at(key, 9)};
  if (key.size() == 2 + kNumberBytes && key.back() == 'n')
    return {KeyKind::kCanonicalHash, number_at(key, 1), 0, {}};
  return {};
}

SchemaKey parse_word(std::string_view key) {
  if (key == kSectionCountKey) return {KeyKind::kSectionCount, 0, 0, {}};
  if (key == kDatabaseVersionKey) return {KeyKind::kDatabaseVersion, 0, 0, {}};
  if (key == kHeadHeaderKey || key == kHeadBlockKey || key == kHeadFastBlockKey ||
      key == kFinalizedBlockKey)
    return {KeyKind::kHeadPointer, 0, 0, {}};
  if (key.size() == kSectionHeadPrefix.size() + kNumberBytes && key.starts_with(kSectionHeadPrefix))
    return {KeyKind::kSectionHead, number_at(key, kSectionHeadPrefix.size()), 0, {}};
  return {};
}

}  // namespace

std::string header_key(std::uint64_t number, const Hash& hash) {
  return numbered('h', number, hash);
}
std::string canonical_hash_key(std::uint64_t number) { return numbered('h', number) + 'n'; }
std::string block_number_key(const Hash& hash) { return hashed('H', hash); }
std::string body_key(std::uint64_t number, const Hash& hash) { return numbered('b', number, hash); }
std::string receipts_key(std::uint64_t number, const Hash& hash) {
  return numbered('r', number, hash);
}

std::string bloom_bits_key(std::uint16_t bit, std::uint64_t section, const Hash& head) {
  std::byte raw[sizeof bit];
  store_be(raw, bit);
  std::string key = "B";
  key += text_of(raw);
  append_number(key, section);
  key += text_of(head.bytes);
  return key;
}

std::string section_head_key(std::uint64_t section) {
  std::string key{kSectionHeadPrefix};
  append_number(key, section);
  return key;
}

SchemaKey parse_key(std::string_view key) {
  // A state node's key is a bare hash of 32 bytes and may begin with any letter.
  constexpr std::size_t kHashed = 1 + Hash::kSize;
  constexpr std::size_t kNumbered = 1 + kNumberBytes + Hash::kSize;
  constexpr std::size_t kBits = 3 + kNumberBytes + Hash::kSize;
  const char first = key.empty() ? '\0' : key[0];
  if (first == 'h') return parse_header_key(key);
  if (key.size() == kHashed && (first == 'H' || first == 'l'))
    return {first == 'H' ? KeyKind::kBlockNumber : KeyKind::kTransactionLookup, 0, 0,
            hash_at(key, 1)};
  if (key.size() == kNumbered && (first == 'b' || first == 'r'))
    return {first == 'b' ? KeyKind::kBody : KeyKind::kReceipts, number_at(key, 1), 0,
            hash_at(key, 9)};
  if (key.size() == kBits && first == 'B')
    return {KeyKind::kBloomBits, number_at(key, 3),
            load_be<std::uint16_t>(bytes_of(key).data() + 1), hash_at(key, 11)};
  return parse_word(key);
}

std::string encode_number(std::uint64_t number) {
  std::string value;
  append_number(value, number);
  return value;
}

std::optional<std::uint64_t> decode_number(std::string_view value) {
  if (value.size() != kNumberBytes) return std::nullopt;
  return number_at(value, 0);
}

std::optional<Hash> decode_hash(std::string_view value) {
  if (value.size() != Hash::kSize) return std::nullopt;
  return hash_at(value, 0);
}

}  // namespace bloomery::ethlog
