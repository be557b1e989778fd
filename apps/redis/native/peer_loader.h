// A filter of RedisBloom's types that is being loaded by BF.LOADCHUNK or CF.LOADCHUNK: the header
// first, then bytes of its tables, in any order. A table exists from its first byte on, so a header
// that claims gigabytes costs its own length. The filter cannot be queried until all bytes arrived:
// "no" for a key whose bytes are missing would be wrong. Knows nothing of the server.
#pragma once
#include <map>
#include <optional>
#include <variant>

#include "bloomery/formats/redis/chunks.h"
#include "bloomery/formats/redis/redisbloom.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery::redis_module {

enum class PeerKind : std::uint8_t { kBloom = 1, kCuckoo = 2 };

class PeerLoader {
 public:
  // Everything the header says is checked, and its tables against the limit.
  static Result<PeerLoader> start(PeerKind kind, ByteView header, DecodeLimits limits,
                                  std::pmr::memory_resource* memory);
  // What the chunk that makes the filter whole has changed.
  struct LastChunk {
    std::map<std::uint64_t, std::uint64_t> covered;
    std::uint64_t received = 0;
    ByteSpan at;
    std::vector<std::byte> bytes;
  };
  // The bytes that end before `position`, as in redis_chunks.h. Throws std::bad_alloc, and then
  // nothing has changed. `last` is set where the filter is whole afterwards.
  ChunkLoad take(std::int64_t position, ByteView bytes, LastChunk* last = nullptr);
  // As it was before that chunk: the filter could not be made, and it can be sent again.
  void undo_last_chunk(LastChunk last) noexcept;
  bool whole() const { return received_ == total_; }

  // Precondition: whole(), and of that kind. Throws std::bad_alloc, and then nothing has changed.
  RedisBloomFilter finish_bloom(DecodeLimits limits) &&;
  RedisCuckooFilter finish_cuckoo(DecodeLimits limits) &&;

  PeerKind kind() const {
    return std::holds_alternative<RedisBloomHeader>(header_) ? PeerKind::kBloom : PeerKind::kCuckoo;
  }
  ByteView header_bytes() const { return header_bytes_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t size_bytes() const { return size_bytes_; }  // of tables that have begun
  std::size_t tables() const { return tables_.size(); }
  // visit(offset, bytes) for what has come, in the order of offsets, each within one table.
  template <class Visit>
  void for_each_received(Visit visit) const {
    auto range = covered_.begin();
    for (const auto& [layer, table] : tables_) {
      const ByteView bytes = table.bytes();
      const std::uint64_t end = table.begin + bytes.size();
      while (range != covered_.end() && range->second <= table.begin) ++range;
      for (auto part = range; part != covered_.end() && part->first < end; ++part) {
        const std::uint64_t from = std::max(part->first, table.begin);
        const std::uint64_t to = std::min(part->second, end);
        visit(from, bytes.subspan(static_cast<std::size_t>(from - table.begin),
                                  static_cast<std::size_t>(to - from)));
      }
    }
  }

 private:
  using Header = std::variant<RedisBloomHeader, RedisCuckooHeader>;
  struct Table {
    std::uint64_t begin;  // of its first byte, in all tables laid end to end
    std::optional<RedisBloomLayer> layer;
    Buffer buffer;  // of a cuckoo filter

    ByteView bytes() const { return layer ? layer->bits() : buffer.view(); }
    ByteSpan bytes() { return layer ? layer->bits() : buffer.span(); }
  };
  struct Place {
    ChunkPlace at;
    std::uint64_t begin = 0;  // of the table
    std::uint64_t size = 0;   // of the table
  };

  PeerLoader(Header header, ByteView header_bytes, std::uint64_t total,
             std::pmr::memory_resource* memory);
  Place place_of(std::int64_t position, std::size_t size) const;
  Table& table_at(const Place& place);
  void cover(std::uint64_t begin, std::uint64_t end);
  std::uint64_t missing(std::uint64_t begin, std::uint64_t end) const;

  Header header_;
  std::vector<std::byte> header_bytes_;
  std::uint64_t total_;
  std::pmr::memory_resource* memory_;
  std::map<std::size_t, Table> tables_;             // by layer
  std::map<std::uint64_t, std::uint64_t> covered_;  // begin and end of what has come, apart
  std::uint64_t received_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace bloomery::redis_module
