// Where the adaptive index lies in a store. All keys but that of the meta carry the hash of the
// section's last block, which stands for all blocks of the section: what a reorganisation leaves
// behind is never taken for something else.
#pragma once
#include "apps/ethlog/index/adaptive/section.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// The rate that is set for the sections to come, as the bits of a double.
inline constexpr std::string_view kAdaptiveGoalKey = "bloomery/adaptive/goal";

// The shape is in the key as well: a section that is made anew for another rate is another one.
std::string adaptive_chunk_key(const SectionMetadata& meta, std::uint32_t chunk);
std::string key_column_key(std::uint64_t section, const Hash& head, std::uint64_t block);
std::string log_column_key(std::uint64_t section, const Hash& head, std::uint64_t block);
std::string part_key(std::uint64_t section, const Hash& head, std::uint64_t block,
                     std::uint32_t part);
// The records of a block's columns: whole, or in parts where they are large. Sections without
// postings have them whole always.
enum class ColumnForm : std::uint8_t { kWhole, kInParts };
using OnRecord = std::function<Status(const std::string& key, const std::string& value)>;
Status for_each_column_record(const LogColumns& columns, ColumnForm form, std::uint64_t section,
                              const Hash& head, std::uint64_t block, const OnRecord& on_record);
std::string postings_key(std::uint64_t section, const Hash& head, std::uint64_t bucket);

// The meta of a section; nothing where it has no record. One that cannot be read is an error.
Result<std::optional<SectionMetadata>> section_metadata(const KeyValueStore& store,
                                                        std::uint64_t section);
// The same, and nothing where its last block is not canonical any more, or where it is a section of
// another size.
Result<std::optional<SectionMetadata>> valid_section_metadata(const ChainReader& reader,
                                                              std::uint64_t section_size,
                                                              std::uint64_t section);
// The sections that have a record, ascending, valid or not.
Result<std::vector<std::uint64_t>> adaptive_sections(const KeyValueStore& store);

}  // namespace bloomery::ethlog
