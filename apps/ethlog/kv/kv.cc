#include "apps/ethlog/kv/kv.h"

#include <cassert>

namespace bloomery::ethlog {

void WriteBatch::put(std::string_view key, std::string_view value) {
  bytes_ += key.size() + value.size();
  changes_.push_back({std::string{key}, std::string{value}});
}

void WriteBatch::remove(std::string_view key) {
  bytes_ += key.size();
  changes_.push_back({std::string{key}, std::nullopt});
}

void WriteBatch::clear() {
  changes_.clear();
  bytes_ = 0;
}

std::string after_prefix(std::string_view prefix) {
  std::string key{prefix};
  while (!key.empty() && static_cast<unsigned char>(key.back()) == 0xff) key.pop_back();
  assert(!key.empty());
  key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
  return key;
}

}  // namespace bloomery::ethlog
