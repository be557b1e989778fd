// A store that lives as long as the program: for tests, and for chains that are generated.
#pragma once
#include <map>
#include <shared_mutex>

#include "apps/ethlog/kv/kv.h"

namespace bloomery::ethlog {

class MemoryStore final : public KeyValueStore {
 public:
  Result<std::optional<std::string>> get(std::string_view key) const override;
  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override;
  Status write(const WriteBatch& batch, Durability durability) override;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace bloomery::ethlog
