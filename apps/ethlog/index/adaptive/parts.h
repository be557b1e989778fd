// The columns of a block with very many logs, in parts of some 4 KiB: a check reads only those that
// decide. The first part names the first address or topic of each part of the lists. Logs are
// ordered by their address, so that those of one address lie together.
#pragma once
#include <functional>
#include <map>

#include "apps/ethlog/index/adaptive/columns.h"

namespace bloomery::ethlog {

// Columns are whole, one record of keys and one of logs, up to so many bytes of logs.
inline constexpr std::size_t kMostWholeLogs = std::size_t{64} << 10;

// Each part carries a checksum that is another one for every block and part.
std::vector<std::string> encode_parts(const LogColumns& columns, std::uint64_t block);

// Of one check: keeps the parts that it read. Not for many threads.
class PartedColumns {
 public:
  // A part as it was stored; one that is missing is an error.
  using Read = std::function<Result<std::string>(std::uint32_t part)>;
  // Reads the first part. Damage is an error, here and in every call.
  static Result<PartedColumns> open(std::uint64_t block, Read read);

  std::uint32_t addresses() const { return address_list_.size; }
  // The places of those that are there, ascending. Precondition: what is asked ascends.
  Result<std::vector<std::uint32_t>> places_of(std::span<const Address> asked) const;
  Result<std::vector<std::uint32_t>> places_of(std::span<const Topic> asked) const;

  // Whether a log has one of the addresses, and at each position one of the topics.
  struct Wanted {
    bool any = true;  // also a topic: then every log that has one there is wanted
    std::vector<std::uint32_t> places;
  };
  Result<bool> has_log(const Wanted& address, std::span<const Wanted> topics) const;

 private:
  struct List {
    std::uint32_t size = 0;
    std::uint32_t part = 0;  // the first
    const std::byte* fences = nullptr;
  };
  struct Logs {
    std::uint64_t first;
    std::uint64_t past;
  };
  PartedColumns(std::uint64_t block, Read read) : block_{block}, read_{std::move(read)} {}
  Result<ByteView> part(std::uint32_t number, std::size_t bytes) const;
  template <class T>
  Result<std::vector<std::uint32_t>> places_in(const List& list, std::span<const T> asked) const;
  Result<std::uint32_t> start_of(std::uint32_t address) const;
  Result<bool> has_log_among(Logs logs, std::span<const Wanted> topics) const;
  void keep(const std::byte* places, const Wanted& wanted, std::vector<std::uint8_t>& kept) const;

  std::uint64_t block_;
  Read read_;
  mutable std::map<std::uint32_t, std::string> parts_;  // that were read
  List address_list_;
  List topic_list_;
  std::uint32_t starts_part_ = 0;  // where the logs of each address begin
  std::uint32_t topics_part_ = 0;  // the topics of each log, position after position
  std::uint32_t logs_ = 0;
  std::uint32_t width_ = 0;  // of a topic's place
};

}  // namespace bloomery::ethlog
