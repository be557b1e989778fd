#include "apps/redis/native/peer_loader.h"

#include <cstring>

#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"

namespace bloomery::redis_module {
namespace {

std::uint64_t bytes_of_tables(const RedisBloomHeader& header) {
  std::uint64_t bytes = 0;
  for (const RedisBloomLayerHeader& layer : header.layers) bytes += layer.bytes;
  return bytes;
}

// Which table of a cuckoo filter an offset lies in, and where that begins. Tables of one size are
// not counted one by one: a header may claim any number of them.
struct CuckooTable {
  std::uint64_t layer = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};
CuckooTable table_of(const RedisCuckooHeader& header, std::uint64_t offset) {
  const std::uint64_t first = header.buckets * header.bucket_size;
  if (header.expansion <= 1) return {offset / first, offset / first * first, first};
  CuckooTable table{0, 0, first};
  while (table.layer < header.layers && offset - table.begin >= table.size) {
    table.begin += table.size;
    table.size *= header.expansion;
    ++table.layer;
  }
  return table;
}

}  // namespace

Result<PeerLoader> PeerLoader::start(PeerKind kind, ByteView header, DecodeLimits limits,
                                     std::pmr::memory_resource* memory) {
  if (kind == PeerKind::kBloom) {
    auto read = read_redisbloom_header(header);
    if (!read) return read.error();
    if (auto valid = checked(*read, limits); !valid) return valid.error();
    const std::uint64_t total = bytes_of_tables(*read);
    return PeerLoader{std::move(*read), header, total, memory};
  }
  const auto read = read_rediscuckoo_header(header);
  if (!read) return read.error();
  const auto total = RedisCuckooFilter::checked(*read, limits);
  if (!total) return total.error();
  return PeerLoader{*read, header, *total, memory};
}

PeerLoader::PeerLoader(Header header, ByteView header_bytes, std::uint64_t total,
                       std::pmr::memory_resource* memory)
    : header_{std::move(header)},
      header_bytes_{header_bytes.begin(), header_bytes.end()},
      total_{total},
      memory_{memory} {}

PeerLoader::Place PeerLoader::place_of(std::int64_t position, std::size_t size) const {
  if (const auto* bloom = std::get_if<RedisBloomHeader>(&header_)) {
    Place place{place_of_chunk(
        bloom->layers.size(), [&](std::size_t i) { return bloom->layers[i].bytes; }, position,
        size)};
    if (place.at.outcome != ChunkLoad::kLoaded) return place;
    for (std::size_t i = 0; i < place.at.layer; ++i) place.begin += bloom->layers[i].bytes;
    place.size = bloom->layers[place.at.layer].bytes;
    return place;
  }
  const auto& cuckoo = std::get<RedisCuckooHeader>(header_);
  if (position < 1 || static_cast<std::uint64_t>(position) - 1 < size) return {};
  const std::uint64_t offset = static_cast<std::uint64_t>(position) - 1 - size;
  if (offset >= total_) return {};
  const CuckooTable table = table_of(cuckoo, offset);
  if (size > table.size - (offset - table.begin)) return {{ChunkLoad::kTooBig}};
  return {{ChunkLoad::kLoaded, static_cast<std::size_t>(table.layer),
           static_cast<std::size_t>(offset - table.begin)},
          table.begin,
          table.size};
}

PeerLoader::Table& PeerLoader::table_at(const Place& place) {
  if (const auto found = tables_.find(place.at.layer); found != tables_.end()) return found->second;
  Table table{place.begin, std::nullopt, {}};
  if (const auto* bloom = std::get_if<RedisBloomHeader>(&header_))
    table.layer.emplace(make_layer(bloom->layers[place.at.layer],
                                   (bloom->options & kRedisBloomWideHash) != 0, memory_));
  else
    table.buffer = Buffer{static_cast<std::size_t>(place.size), memory_};
  Table& held = tables_.emplace(place.at.layer, std::move(table)).first->second;
  size_bytes_ += held.bytes().size();
  return held;
}

// Ranges that touch become one; what allocates comes first.
void PeerLoader::cover(std::uint64_t begin, std::uint64_t end) {
  auto next = covered_.upper_bound(begin);
  if (next != covered_.begin() && std::prev(next)->second >= begin)
    --next;
  else
    next = covered_.emplace_hint(next, begin, begin);
  end = std::max(end, next->second);
  for (auto after = std::next(next); after != covered_.end() && after->first <= end;
       after = covered_.erase(after)) {
    end = std::max(end, after->second);
    received_ -= after->second - after->first;
  }
  received_ += end - next->second;
  next->second = end;
}

// How many bytes of the range have not come.
std::uint64_t PeerLoader::missing(std::uint64_t begin, std::uint64_t end) const {
  std::uint64_t bytes = end - begin;
  auto range = covered_.upper_bound(begin);
  if (range != covered_.begin()) --range;
  for (; range != covered_.end() && range->first < end; ++range)
    if (range->second > begin)
      bytes -= std::min(end, range->second) - std::max(begin, range->first);
  return bytes;
}

ChunkLoad PeerLoader::take(std::int64_t position, ByteView bytes, LastChunk* last) {
  const Place place = place_of(position, bytes.size());
  if (place.at.outcome != ChunkLoad::kLoaded || bytes.empty()) return place.at.outcome;
  Table& table = table_at(place);
  const std::uint64_t begin = place.begin + place.at.offset;
  const ByteSpan at = table.bytes().subspan(place.at.offset, bytes.size());
  if (last != nullptr && received_ + missing(begin, begin + bytes.size()) == total_)
    *last = {covered_, received_, at, {at.begin(), at.end()}};
  cover(begin, begin + bytes.size());
  std::memcpy(at.data(), bytes.data(), bytes.size());
  return ChunkLoad::kLoaded;
}

void PeerLoader::undo_last_chunk(LastChunk last) noexcept {
  covered_.swap(last.covered);
  received_ = last.received;
  std::ranges::copy(last.bytes, last.at.begin());
}

RedisBloomFilter PeerLoader::finish_bloom(DecodeLimits limits) && {
  std::vector<RedisBloomLayer> layers;
  layers.reserve(tables_.size());
  for (auto& [number, table] : tables_) layers.push_back(std::move(*table.layer));
  return RedisBloomFilter::from_layers(std::get<RedisBloomHeader>(header_), std::move(layers),
                                       limits, memory_);
}

RedisCuckooFilter PeerLoader::finish_cuckoo(DecodeLimits limits) && {
  std::vector<Buffer> tables;
  tables.reserve(tables_.size());
  for (auto& [number, table] : tables_) tables.push_back(std::move(table.buffer));
  try {
    return RedisCuckooFilter::from_tables(std::get<RedisCuckooHeader>(header_), std::move(tables),
                                          limits, memory_);
  } catch (const std::bad_alloc&) {  // nothing was moved on yet
    auto back = tables.begin();
    for (auto& [number, table] : tables_) table.buffer = std::move(*back++);
    throw;
  }
}

}  // namespace bloomery::redis_module
