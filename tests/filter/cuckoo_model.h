// A cuckoo filter written a second time, as the rules read and not as a machine likes it: buckets
// of slots, a list of swaps to take back, and no memory of where room was.
#pragma once
#include <algorithm>
#include <tuple>
#include <vector>

#include "bloomery/filter/cuckoo/cuckoo.h"

namespace bloomery::testing {

class CuckooModel {
 public:
  using Bucket = std::vector<std::uint8_t>;
  using Table = std::vector<Bucket>;

  explicit CuckooModel(const CuckooShape& shape) : shape_{shape} { add_table(shape.buckets); }

  CuckooOutcome insert(CuckooDigest key, std::uint64_t max_layers) {
    if (tables_.size() >= max_layers) return CuckooOutcome::kTooManyLayers;
    for (;;) {
      for (std::size_t i = tables_.size(); i-- > 0;)
        if (put(tables_[i], key.hash, key.fingerprint)) return counted();
      if (kick(tables_.back(), key)) return counted();
      if (shape_.expansion == 0) return CuckooOutcome::kFull;
      add_table(tables_.back().size() * shape_.expansion);
    }
  }
  CuckooOutcome insert_if_absent(CuckooDigest key, std::uint64_t max_layers) {
    if (tables_.size() >= max_layers) return CuckooOutcome::kTooManyLayers;
    return count(key) > 0 ? CuckooOutcome::kPresent : insert(key, max_layers);
  }
  std::uint64_t count(CuckooDigest key) const {
    std::uint64_t found = 0;
    for (const Table& table : tables_)
      for (std::size_t b = 0; b < table.size(); ++b)
        if (b == key.hash % table.size() || b == other(key.hash, key.fingerprint) % table.size())
          found += static_cast<std::uint64_t>(std::ranges::count(table[b], key.fingerprint));
    return found;
  }
  bool remove(CuckooDigest key) {
    for (std::size_t i = tables_.size(); i-- > 0;)
      for (const std::uint64_t hash : {key.hash, other(key.hash, key.fingerprint)}) {
        Bucket& bucket = tables_[i][hash % tables_[i].size()];
        const auto slot = std::ranges::find(bucket, key.fingerprint);
        if (slot == bucket.end()) continue;
        *slot = 0;
        --keys;
        ++removals;
        if (tables_.size() > 1 && static_cast<double>(removals) > 0.1 * static_cast<double>(keys))
          compact(true);
        return true;
      }
    return false;
  }
  void compact(bool stops_at_failure = false) {
    for (std::size_t i = tables_.size(); i-- > 1;) {
      const bool emptied = empty_table(i);
      if (emptied && i == tables_.size() - 1) tables_.pop_back();
      if (!emptied && stops_at_failure) break;
    }
    removals = 0;
  }
  std::size_t layers() const { return tables_.size(); }
  std::vector<std::byte> bytes(std::size_t layer) const {
    std::vector<std::byte> all;
    for (const Bucket& bucket : tables_[layer])
      for (const std::uint8_t slot : bucket) all.push_back(std::byte{slot});
    return all;
  }
  std::uint64_t keys = 0;
  std::uint64_t removals = 0;

 private:
  std::uint64_t other(std::uint64_t hash, std::uint8_t fingerprint) const {
    return hash ^ (fingerprint * shape_.spread);
  }
  void add_table(std::uint64_t buckets) {
    tables_.emplace_back(static_cast<std::size_t>(buckets), Bucket(shape_.bucket_size));
  }
  CuckooOutcome counted() {
    ++keys;
    return CuckooOutcome::kInserted;
  }
  static bool put_in_bucket(Bucket& bucket, std::uint8_t fingerprint) {
    const auto slot = std::ranges::find(bucket, 0);
    if (slot == bucket.end()) return false;
    *slot = fingerprint;
    return true;
  }
  bool put(Table& table, std::uint64_t hash, std::uint8_t fingerprint) const {
    return put_in_bucket(table[hash % table.size()], fingerprint) ||
           put_in_bucket(table[other(hash, fingerprint) % table.size()], fingerprint);
  }
  bool kick(Table& table, CuckooDigest key) const {
    std::vector<std::tuple<std::size_t, std::size_t, std::uint8_t>> overwritten;
    std::size_t bucket = key.hash % table.size();
    std::size_t slot = 0;
    std::uint8_t carried = key.fingerprint;
    for (unsigned i = 0; i < shape_.max_iterations; ++i) {
      overwritten.emplace_back(bucket, slot, table[bucket][slot]);
      std::swap(carried, table[bucket][slot]);
      bucket = other(bucket, carried) % table.size();
      if (put_in_bucket(table[bucket], carried)) return true;
      slot = (slot + 1) % shape_.bucket_size;
    }
    for (auto entry = overwritten.rbegin(); entry != overwritten.rend(); ++entry)
      table[std::get<0>(*entry)][std::get<1>(*entry)] = std::get<2>(*entry);
    return false;
  }
  bool empty_table(std::size_t i) {
    bool emptied = true;
    for (std::size_t b = 0; b < tables_[i].size(); ++b)
      for (std::uint8_t& slot : tables_[i][b]) {
        if (slot == 0) continue;
        const auto end = tables_.begin() + static_cast<std::ptrdiff_t>(i);
        const bool moved =
            std::any_of(tables_.begin(), end, [&](Table& older) { return put(older, b, slot); });
        if (moved) slot = 0;
        emptied = emptied && moved;
      }
    return emptied;
  }

  CuckooShape shape_;
  std::vector<Table> tables_;
};

}  // namespace bloomery::testing
