#include "apps/ethlog/index/adaptive/records.h"

#include "apps/ethlog/index/adaptive/parts.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

std::string key_of(std::string_view prefix, std::uint64_t section, const Hash& head,
                   std::uint64_t last) {
  std::string key{prefix};
  key += encode_number(section);
  key += text_of(head.view());
  key += encode_number(last);
  return key;
}

}  // namespace

std::string adaptive_chunk_key(const SectionMetadata& meta, std::uint32_t chunk) {
  std::string key{"bloomery/adaptive/rows/"};
  key += encode_number(meta.section);
  key += text_of(meta.head.view());
  key += encode_number(std::uint64_t{meta.rows} << 32 | meta.probes);
  return key + encode_number(chunk);
}

std::string key_column_key(std::uint64_t section, const Hash& head, std::uint64_t block) {
  return key_of("bloomery/columns/keys/", section, head, block);
}

std::string log_column_key(std::uint64_t section, const Hash& head, std::uint64_t block) {
  return key_of("bloomery/columns/logs/", section, head, block);
}

std::string part_key(std::uint64_t section, const Hash& head, std::uint64_t block,
                     std::uint32_t part) {
  return key_of("bloomery/columns/parts/", section, head, block) + encode_number(part);
}

Status for_each_column_record(const LogColumns& columns, ColumnForm form, std::uint64_t section,
                              const Hash& head, std::uint64_t block, const OnRecord& on_record) {
  const std::string logs = encode_log_column(columns, block);
  if (form == ColumnForm::kWhole || logs.size() <= kMostWholeLogs) {
    if (Status s =
            on_record(key_column_key(section, head, block), encode_key_column(columns, block));
        !s)
      return s;
    return on_record(log_column_key(section, head, block), logs);
  }
  const std::vector<std::string> parts = encode_parts(columns, block);
  for (std::uint32_t part = 0; part < parts.size(); ++part)
    if (Status s = on_record(part_key(section, head, block, part), parts[part]); !s) return s;
  return ok();
}

std::string postings_key(std::uint64_t section, const Hash& head, std::uint64_t bucket) {
  return key_of("bloomery/columns/postings/", section, head, bucket);
}

Result<std::optional<SectionMetadata>> section_metadata(const KeyValueStore& store,
                                                        std::uint64_t section) {
  const auto record = store.get(adaptive_head_key(section));
  if (!record) return record.error();
  if (!*record) return std::optional<SectionMetadata>{};
  auto meta = decode_metadata(bytes_of(**record));
  if (!meta) return meta.error();
  if (meta->section == section) return std::optional{std::move(*meta)};
  return Error{ErrorCode::kMalformed,
               message("the record of section ", section,
                       " of the adaptive index is that of section ", meta->section)};
}

Result<std::optional<SectionMetadata>> valid_section_metadata(const ChainReader& reader,
                                                              std::uint64_t section_size,
                                                              std::uint64_t section) {
  auto meta = section_metadata(reader.store(), section);
  if (!meta || !*meta) return meta;
  if ((*meta)->section_size != section_size) return std::optional<SectionMetadata>{};
  const auto canonical = reader.canonical_hash((section + 1) * section_size - 1);
  if (!canonical) return canonical.error();
  if (*canonical != (*meta)->head) return std::optional<SectionMetadata>{};
  return meta;
}

Result<std::vector<std::uint64_t>> adaptive_sections(const KeyValueStore& store) {
  std::vector<std::uint64_t> sections;
  const std::string first = adaptive_head_key(0);
  const std::string_view prefix = std::string_view{first}.substr(0, first.size() - 8);
  const Status scanned =
      store.scan(first, after_prefix(prefix), [&](std::string_view key, std::string_view) {
        if (const auto section = decode_number(key.substr(prefix.size())))
          sections.push_back(*section);
        return true;
      });
  if (!scanned) return scanned.error();
  return sections;
}

}  // namespace bloomery::ethlog
