#include "apps/ethlog/store/section_records.h"

#include "apps/ethlog/store/schema.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kAdaptiveHeads = "bloomery/adaptive/head/";

// Keys from `first` on that begin with its first bytes.
Status remove_from(const KeyValueStore& store, const std::string& first, std::size_t prefix_size,
                   WriteBatch& batch) {
  const std::string past = after_prefix(std::string_view{first}.substr(0, prefix_size));
  return store.scan(first, past, [&](std::string_view key, std::string_view) {
    batch.remove(key);
    return true;
  });
}

}  // namespace

namespace {

constexpr std::string_view kAdaptiveRecords = "bloomery/adaptive/";
constexpr std::string_view kColumnRecords = "bloomery/columns/";
constexpr std::size_t kMostBatch = std::size_t{1} << 20;

Result<bool> any_key(const KeyValueStore& store, std::string_view prefix) {
  bool found = false;
  const Status scanned =
      store.scan(prefix, after_prefix(prefix), [&](std::string_view, std::string_view) {
        found = true;
        return false;
      });
  if (!scanned) return scanned.error();
  return found;
}

std::string bloombits_heads() {
  const std::string first = section_head_key(0);
  return first.substr(0, first.size() - 8);
}

// In several batches, each of which leaves a store that is right.
Status remove_all(KeyValueStore& store, std::string_view prefix, bool only_vectors) {
  WriteBatch batch;
  Status written = ok();
  const Status scanned =
      store.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view) {
        if (only_vectors && parse_key(key).kind != KeyKind::kBloomBits) return true;
        batch.remove(key);
        if (batch.bytes() < kMostBatch) return true;
        written = store.write(batch, Durability::kBuffered);
        batch.clear();
        return written.has_value();
      });
  if (!scanned) return scanned;
  if (!written) return written;
  return batch.empty() ? ok() : store.write(batch, Durability::kSynced);
}

}  // namespace

Result<IndexesThere> indexes_in(const KeyValueStore& store) {
  const auto bloombits = any_key(store, bloombits_heads());
  if (!bloombits) return bloombits.error();
  const auto adaptive = any_key(store, kAdaptiveHeads);
  if (!adaptive) return adaptive.error();
  return IndexesThere{.bloombits = *bloombits, .adaptive = *adaptive};
}

Status drop_indexes(KeyValueStore& store, const IndexesThere& which) {
  WriteBatch heads;
  const std::string bloombits = bloombits_heads();
  if (which.bloombits) {
    if (Status s = remove_from(store, bloombits, bloombits.size(), heads); !s) return s;
    heads.remove(kSectionCountKey);
  }
  if (which.adaptive) {
    const std::string adaptive{kAdaptiveHeads};
    if (Status s = remove_from(store, adaptive, adaptive.size(), heads); !s) return s;
  }
  if (Status s = store.write(heads, Durability::kSynced); !s) return s;
  if (which.bloombits)
    if (Status s = remove_all(store, "B", true); !s) return s;
  if (which.adaptive)
    for (const std::string_view records : {kAdaptiveRecords, kColumnRecords})
      if (Status s = remove_all(store, records, false); !s) return s;
  return forget_unused_section_size(store);
}

Status forget_unused_section_size(KeyValueStore& store) {
  const auto there = indexes_in(store);
  if (!there) return there.error();
  if (there->bloombits || there->adaptive) return ok();
  WriteBatch batch;
  batch.remove(kSectionSizeKey);
  return store.write(batch, Durability::kSynced);
}

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
