#include "apps/ethlog/section_records.h"

#include "apps/ethlog/schema.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kAdaptiveHeads = "bloomery/adaptive/head/";

// Precondition: the key is that of a section.
Status remove_from(const KeyValueStore& store, const std::string& first, std::size_t prefix_size,
                   WriteBatch& batch) {
  const std::string past = after_prefix(std::string_view{first}.substr(0, prefix_size));
  return store.scan(first, past, [&](std::string_view key, std::string_view) {
    batch.remove(key);
    return true;
  });
}

}  // namespace

std::string adaptive_head_key(std::uint64_t section) {
  return std::string{kAdaptiveHeads} + encode_number(section);
}

Status roll_back_sections(const KeyValueStore& store, std::uint64_t section_size,
                          std::uint64_t first_changed, WriteBatch& batch) {
  const std::uint64_t first = first_changed / section_size;
  const std::string heads = section_head_key(first);
  if (Status s = remove_from(store, heads, heads.size() - 8, batch); !s) return s;
  if (Status s = remove_from(store, adaptive_head_key(first), kAdaptiveHeads.size(), batch); !s)
    return s;
  const auto count = store.get(kSectionCountKey);
  if (!count) return count.error();
  if (*count && decode_number(**count).value_or(0) > first)
    batch.put(kSectionCountKey, encode_number(first));
  return ok();
}

}  // namespace bloomery::ethlog
