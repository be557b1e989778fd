// The plain types of a chain: hashes, logs, receipts, headers, and a block that is imported. No
// I/O, no database, no JSON.
#pragma once
#include <array>
#include <compare>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/ethlog/model/hex.h"
#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

template <std::size_t Size>
struct FixedBytes {
  static constexpr std::size_t kSize = Size;
  std::array<std::byte, Size> bytes{};

  ByteView view() const { return bytes; }
  ByteSpan span() { return bytes; }
  std::string hex() const { return to_hex(bytes); }
  // 0x and exactly 2 * Size digits.
  static std::optional<FixedBytes> from_hex(std::string_view text) {
    FixedBytes out;
    if (!fill_from_hex(text, out.bytes)) return std::nullopt;
    return out;
  }
  // Precondition: the view has Size bytes.
  static FixedBytes from_bytes(ByteView raw) {
    FixedBytes out;
    std::memcpy(out.bytes.data(), raw.data(), Size);
    return out;
  }
  bool is_zero() const { return *this == FixedBytes{}; }
  friend auto operator<=>(const FixedBytes&, const FixedBytes&) = default;
  friend bool operator==(const FixedBytes&, const FixedBytes&) = default;
};

using Hash = FixedBytes<32>;
using Address = FixedBytes<20>;
using Topic = Hash;
using Bloom = FixedBytes<256>;  // in header order: bit number b is in byte 255 - b/8, mask 1 << b%8

Hash keccak_hash(ByteView bytes);
// Of each, in their order: several at once, and so in less time than one by one.
std::vector<Hash> keccak_hashes(std::span<const ByteView> all);

// Zero to four topics, in place: a log costs one allocation, for its data, and none without.
class TopicList {
 public:
  static constexpr std::size_t kMost = 4;
  TopicList() = default;
  // Precondition: at most kMost.
  TopicList(std::initializer_list<Topic> topics) {
    for (const Topic& topic : topics) push_back(topic);
  }
  // Precondition: !full().
  void push_back(const Topic& topic) { topics_[size_++] = topic; }
  bool full() const { return size_ == kMost; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const Topic& operator[](std::size_t i) const { return topics_[i]; }
  const Topic* begin() const { return topics_.data(); }
  const Topic* end() const { return topics_.data() + size_; }
  friend bool operator==(const TopicList& a, const TopicList& b) {
    return a.size_ == b.size_ && std::memcmp(a.topics_.data(), b.topics_.data(), a.size_ * 32) == 0;
  }

 private:
  std::array<Topic, kMost> topics_{};
  std::uint8_t size_ = 0;
};

struct Log {
  Address address;
  TopicList topics;
  std::vector<std::byte> data;
  friend bool operator==(const Log&, const Log&) = default;
};

struct Receipt {
  std::uint8_t type = 0;           // EIP-2718; 0 is the legacy kind, which has no prefix byte
  std::optional<Hash> state_root;  // before Byzantium; then there is no status
  bool succeeded = false;          // the status, where there is no state root
  std::uint64_t cumulative_gas_used = 0;
  std::optional<Bloom> bloom;  // as the source gave it; the storage form has none
  std::vector<Log> logs;
  std::optional<Hash> transaction_hash;
  std::string extra_json;  // compact JSON object of the members that RPC adds; empty: none
  // RLP of the items that a chain hashes behind the four of Ethereum (Optimism: a deposit's nonce
  // and version).
  std::vector<std::byte> further_items;
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

struct Header {
  Hash hash;
  std::uint64_t number = 0;
  std::uint64_t timestamp = 0;
  Bloom bloom;
  // These are missing only in a block whose source gave neither header RLP nor the member.
  std::optional<Hash> parent_hash;
  std::optional<Hash> uncles_hash;
  std::optional<Hash> transactions_root;
  std::optional<Hash> receipts_root;
  std::optional<Hash> withdrawals_root;  // from Shanghai on
  std::vector<std::byte> rlp;            // empty: not known, and so the hash cannot be checked
  friend bool operator==(const Header&, const Header&) = default;
};

// What was recomputed and found equal. A check that could not be made is false; one that failed is
// an error and no block.
struct Verified {
  bool header_hash = false;    // keccak of the header RLP
  bool parent_link = false;    // the parent in the store has the hash and the number before
  bool bloom = false;          // from the logs
  bool receipts_root = false;  // trie over the consensus encodings
  bool body = false;           // transactions root, uncles hash, withdrawals root
  friend bool operator==(const Verified&, const Verified&) = default;
};

struct ImportedBlock {
  Header header;
  std::vector<std::byte> body_rlp;       // [transactions, uncles, withdrawals?]; empty: not known
  std::vector<Hash> transaction_hashes;  // one per receipt, or none: not known
  bool has_receipts = false;             // false: the source did not give them
  std::vector<Receipt> receipts;
  bool receipt_types_known = true;  // false: storage receipts without the body that says the types
  bool receipts_complete = true;    // false: the source left out a status or the gas
  // Compact JSON objects of what the source said and nothing above gives back; empty: nothing. Of
  // transactions one each, or none at all.
  std::string header_json;
  std::vector<std::string> transaction_json;
  // The source gave every member of a header and no other, and they do not give its hash.
  bool header_contradicts = false;
  Verified verified;  // filled by block_check
};

// Any reader, one block at a time; nothing at the end. After an error the source is spent.
using BlockSource = std::function<Result<std::optional<ImportedBlock>>()>;

}  // namespace bloomery::ethlog

template <std::size_t Size>
struct std::hash<bloomery::ethlog::FixedBytes<Size>> {
  static_assert(Size >= sizeof(std::size_t));
  // Hashes of blocks are uniform already. Addresses that an attacker chooses slow a map down, so
  // do not key a map that outlives one request with them.
  std::size_t operator()(const bloomery::ethlog::FixedBytes<Size>& key) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, key.bytes.data() + Size - sizeof value, sizeof value);
    return value;
  }
};
