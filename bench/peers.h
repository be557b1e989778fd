// Debian's C and C++ peers behind the calls our filters have, so that one benchmark serves all.
#pragma once
#include <bloom.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::bench {

class LibBloom {  // libbloom 1.6
 public:
  explicit LibBloom(std::size_t keys, double rate) {
    if (bloom_init(&bloom_, static_cast<int>(keys), rate) != 0) throw std::bad_alloc{};
  }
  LibBloom(const LibBloom&) = delete;
  LibBloom& operator=(const LibBloom&) = delete;
  ~LibBloom() { bloom_free(&bloom_); }
  void insert(ByteView key) { bloom_add(&bloom_, key.data(), static_cast<int>(key.size())); }
  bool may_contain(ByteView key) const {
    return bloom_check(&bloom_, key.data(), static_cast<int>(key.size())) == 1;
  }
  std::size_t size_bytes() const { return static_cast<std::size_t>(bloom_.bytes); }

 private:
  mutable struct bloom bloom_ {};
};

class LevelDbPolicy {  // LevelDB 1.23's built-in policy, which takes all keys at once
 public:
  explicit LevelDbPolicy(int bits_per_key) : policy_{leveldb::NewBloomFilterPolicy(bits_per_key)} {}
  void build(std::span<const ByteView> keys) {
    std::vector<leveldb::Slice> slices(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) slices[i] = slice(keys[i]);
    filter_.clear();
    policy_->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter_);
  }
  bool may_contain(ByteView key) const { return policy_->KeyMayMatch(slice(key), filter_); }
  std::size_t size_bytes() const { return filter_.size(); }

 private:
  static leveldb::Slice slice(ByteView key) {
    return {reinterpret_cast<const char*>(key.data()), key.size()};
  }
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::string filter_;
};

}  // namespace bloomery::bench
