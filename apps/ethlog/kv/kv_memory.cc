#include "apps/ethlog/kv/kv_memory.h"

#include <mutex>

namespace bloomery::ethlog {

Result<std::optional<std::string>> MemoryStore::get(std::string_view key) const {
  const std::shared_lock lock{mutex_};
  const auto found = values_.find(key);
  if (found == values_.end()) return std::optional<std::string>{};
  return std::optional{found->second};
}

Status MemoryStore::scan(std::string_view first, std::string_view past, const Visit& visit) const {
  // The visitor may call get(): it must not meet our lock, and it must see one moment.
  std::vector<std::pair<std::string, std::string>> range;
  if (first >= past) return ok();
  {
    const std::shared_lock lock{mutex_};
    if (first < past) range.assign(values_.lower_bound(first), values_.lower_bound(past));
  }
  for (const auto& [key, value] : range)
    if (!visit(key, value)) break;
  return ok();
}

Status MemoryStore::write(const WriteBatch& batch, Durability) {
  const std::unique_lock lock{mutex_};
  for (const WriteBatch::Change& change : batch.changes()) {
    if (change.value)
      values_.insert_or_assign(change.key, *change.value);
    else
      values_.erase(change.key);
  }
  return ok();
}

}  // namespace bloomery::ethlog
