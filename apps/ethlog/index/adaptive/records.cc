#include "apps/ethlog/index/adaptive/records.h"

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

std::string adaptive_chunk_key(const SectionFacts& facts, std::uint32_t chunk) {
  std::string key{"bloomery/adaptive/rows/"};
  key += encode_number(facts.section);
  key += text_of(facts.head.view());
  key += encode_number(std::uint64_t{facts.rows} << 32 | facts.probes);
  return key + encode_number(chunk);
}

std::string key_column_key(std::uint64_t section, const Hash& head, std::uint64_t block) {
  return key_of("bloomery/columns/keys/", section, head, block);
}

std::string log_column_key(std::uint64_t section, const Hash& head, std::uint64_t block) {
  return key_of("bloomery/columns/logs/", section, head, block);
}

Result<std::optional<SectionFacts>> adaptive_facts(const KeyValueStore& store,
                                                   std::uint64_t section) {
  const auto record = store.get(adaptive_head_key(section));
  if (!record) return record.error();
  if (!*record) return std::optional<SectionFacts>{};
  auto facts = decode_facts(bytes_of(**record));
  if (!facts) return facts.error();
  if (facts->section == section) return std::optional{std::move(*facts)};
  return Error{ErrorCode::kMalformed,
               message("The record of section ", section,
                       " of the adaptive index is that of section ", facts->section, ".")};
}

Result<std::optional<SectionFacts>> valid_adaptive_facts(const ChainReader& reader,
                                                         std::uint64_t section_size,
                                                         std::uint64_t section) {
  auto facts = adaptive_facts(reader.store(), section);
  if (!facts || !*facts) return facts;
  if ((*facts)->section_size != section_size) return std::optional<SectionFacts>{};
  const auto canonical = reader.canonical_hash((section + 1) * section_size - 1);
  if (!canonical) return canonical.error();
  if (*canonical != (*facts)->head) return std::optional<SectionFacts>{};
  return facts;
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
