// The addresses and topics of a block's logs, apart from all else in its receipts: what tells
// whether a log of the block is asked for, without decoding one. Two records a block: its keys,
// which rule out most false candidates, and its logs.
#pragma once
#include <array>
#include <span>

#include "apps/ethlog/model/chain.h"
#include "bloomery/base/limits.h"

namespace bloomery::ethlog {

inline constexpr std::uint32_t kNoTopic = UINT32_MAX;

struct LogColumns {
  std::vector<Address> addresses;  // each once, ascending
  std::vector<Topic> topics;       // likewise, of all positions
  // For every log the places of its address and of its topics in the lists.
  std::vector<std::uint32_t> address_of;
  std::array<std::vector<std::uint32_t>, TopicList::kMost> topic_of;  // or kNoTopic

  std::size_t logs() const { return address_of.size(); }
  // Each address with each first topic that it has in a log, once.
  struct Pair {
    std::uint32_t address;
    std::uint32_t topic;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs() const;
  // Of the log with the most topics; nothing where there is no log.
  std::optional<std::size_t> most_topics() const;
};
LogColumns columns_of(std::span<const Receipt> receipts);

// Both records carry a checksum that is another one for every block.
std::string encode_key_column(const LogColumns& columns, std::uint64_t block);
std::string encode_log_column(const LogColumns& columns, std::uint64_t block);

// Of a topic, in the record of keys: enough to exclude nearly every topic that is not there.
std::uint32_t topic_fingerprint(const Topic& topic);

// Views of records; the bytes must outlive them. Damage is an error.
class KeyColumn {
 public:
  static Result<KeyColumn> decode(ByteView record, std::uint64_t block);
  std::size_t addresses() const { return addresses_.size() / Address::kSize; }
  const std::byte* address(std::size_t i) const { return addresses_.data() + i * Address::kSize; }
  std::size_t fingerprints() const { return fingerprints_.size() / sizeof(std::uint32_t); }
  std::uint32_t fingerprint(std::size_t i) const;

 private:
  ByteView addresses_;
  ByteView fingerprints_;
};

class LogColumn {
 public:
  static Result<LogColumn> decode(ByteView record, std::uint64_t block);
  std::size_t logs() const { return logs_; }
  std::size_t addresses() const { return addresses_; }
  std::size_t topics() const { return topics_.size() / Topic::kSize; }
  const std::byte* topic(std::size_t i) const { return topics_.data() + i * Topic::kSize; }
  // Places are as they were stored: perhaps beyond the lists, where a record was made to deceive.
  std::uint32_t address_of(std::size_t log) const { return place(0, log); }
  std::uint32_t topic_of(std::size_t position, std::size_t log) const {
    return place(position + 1, log);
  }

 private:
  std::uint32_t place(std::size_t column, std::size_t log) const;
  ByteView topics_;
  ByteView places_;
  std::size_t logs_ = 0;
  std::size_t addresses_ = 0;
  bool wide_ = false;
};

}  // namespace bloomery::ethlog
