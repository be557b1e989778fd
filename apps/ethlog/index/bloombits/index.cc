#include "apps/ethlog/index/bloombits/index.h"

#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error indexing_error(std::string text) { return {ErrorCode::kMalformed, std::move(text)}; }

}  // namespace

Result<std::uint64_t> section_size_of(const ChainReader& reader) {
  const auto own = reader.store().get(kSectionSizeKey);
  if (!own) return own.error();
  if (*own) return decode_number(**own).value_or(kDefaultSectionSize);
  const auto head = reader.section_head(0);
  if (!head) return head.error();
  if (!*head) return kDefaultSectionSize;
  const auto number = reader.number_of(**head);
  if (!number) return number.error();
  const std::uint64_t size = *number ? **number + 1 : kDefaultSectionSize;
  if (size % 8 == 0 && size <= Generator::kMostBlocks) return size;
  return indexing_error(message("the first section of the index ends with block ", size - 1,
                                ", but a section has a multiple of 8 blocks"));
}

Result<std::vector<std::uint64_t>> bloombits_sections(const KeyValueStore& store) {
  std::vector<std::uint64_t> sections;
  const std::string first = section_head_key(0);
  const std::string past = after_prefix(std::string_view{first}.substr(0, first.size() - 8));
  const Status scanned = store.scan(first, past, [&](std::string_view key, std::string_view) {
    const SchemaKey parsed = parse_key(key);
    if (parsed.kind == KeyKind::kSectionHead) sections.push_back(parsed.number);
    return true;
  });
  if (!scanned) return scanned.error();
  return sections;
}

Result<bool> is_section_valid(const ChainReader& reader, std::uint64_t section_size,
                              std::uint64_t section) {
  const auto head = reader.section_head(section);
  if (!head) return head.error();
  if (!*head) return false;
  const auto canonical = reader.canonical_hash((section + 1) * section_size - 1);
  if (!canonical) return canonical.error();
  return *canonical == *head;
}

Result<Generator> generate_section(const ChainReader& reader, std::uint64_t section_size,
                                   std::uint64_t section, const std::optional<Hash>& parent) {
  auto generator = Generator::make(section_size);
  if (!generator) return generator.error();
  std::optional<Hash> before = parent;
  for (std::uint64_t i = 0; i < section_size; ++i) {
    const std::uint64_t number = section * section_size + i;
    const auto hash = reader.canonical_hash(number);
    if (!hash) return hash.error();
    if (!*hash) return indexing_error(message("canonical block #", number, " unknown"));
    const auto header = reader.header(number, **hash);
    if (!header) return header.error();
    if (!*header)
      return indexing_error(message("block #", number, " [",
                                    to_hex((*hash)->view().first(4)).substr(2), "..] not found"));
    if (before && (*header)->parent_hash && *before != *(*header)->parent_hash)
      return indexing_error("chain reorged during section processing");
    if (Status s = generator->add_bloom(i, (*header)->bloom.bytes); !s) return s.error();
    before = **hash;
  }
  return generator;
}

Status BloombitsIndexer::write_section(std::uint64_t section) {
  const ChainReader& reader = store_.reader();
  const auto size = store_.section_size();
  if (!size) return size.error();
  std::optional<Hash> parent = Hash{};
  if (section > 0) {
    const auto before = reader.section_head(section - 1);
    if (!before) return before.error();
    parent = *before;
  }
  const auto generator = generate_section(reader, *size, section, parent);
  if (!generator) return generator.error();
  const auto head = reader.canonical_hash((section + 1) * *size - 1);
  if (!head) return head.error();
  WriteBatch batch;
  for (std::uint16_t bit = 0; bit < Generator::kVectors; ++bit)
    batch.put(bloom_bits_key(bit, section, **head),
              text_of(compress_vector(*generator->bitset(bit))));
  batch.put(section_head_key(section), text_of((*head)->view()));
  return store_.store().write(batch, Durability::kSynced);
}

Result<bool> BloombitsIndexer::is_complete(std::uint64_t section) const {
  const auto size = store_.section_size();
  if (!size) return size.error();
  for (std::uint64_t number = section * *size; number < (section + 1) * *size; ++number) {
    const auto hash = store_.reader().canonical_hash(number);
    if (!hash) return hash.error();
    if (!*hash) return false;
  }
  return true;
}

// Precondition: so many sections are known to be valid.
Status BloombitsIndexer::write_count(std::uint64_t at_least) {
  const auto size = store_.section_size();
  if (!size) return size.error();
  std::uint64_t count = at_least;
  for (;; ++count) {
    const auto valid = is_section_valid(store_.reader(), *size, count);
    if (!valid) return valid.error();
    if (!*valid) break;
  }
  const auto written = store_.reader().section_count();
  if (!written) return written.error();
  if (*written == count) return ok();
  WriteBatch batch;
  batch.put(kSectionCountKey, encode_number(count));
  return store_.store().write(batch, Durability::kSynced);
}

Result<std::uint64_t> BloombitsIndexer::verify_last_head() {
  const auto size = store_.section_size();
  if (!size) return size.error();
  // With gaps the last section may lie beyond the count.
  auto recorded = bloombits_sections(store_.store());
  if (!recorded) return recorded.error();
  std::vector<std::uint64_t>& sections = *recorded;
  WriteBatch batch;
  for (; !sections.empty(); sections.pop_back()) {
    const auto valid = is_section_valid(store_.reader(), *size, sections.back());
    if (!valid) return valid.error();
    if (*valid) break;
    batch.remove(section_head_key(sections.back()));
  }
  if (!batch.empty())
    if (Status s = store_.store().write(batch, Durability::kSynced); !s) return s.error();
  if (Status s = write_count(0); !s) return s.error();
  return store_.reader().section_count();
}

Result<IndexProgress> BloombitsIndexer::run(const OnSection& on_section,
                                            const std::stop_token& stop) {
  IndexProgress progress;
  const auto verified = verify_last_head();
  if (!verified) return verified.error();
  const auto head = store_.reader().head();
  if (!head) return head.error();
  const auto size = store_.section_size();
  if (!size) return size.error();
  if (!*head || **head + 1 < *size || **head < confirms_) return progress;
  progress.sections = (**head + 1 - confirms_) / *size;
  const StoreCounts& counts = store_.counts();
  const bool gaps = counts.gaps > 0 || counts.lowest.value_or(0) > 0;
  for (std::uint64_t section = counts.lowest.value_or(0) / *size;
       section < progress.sections && !stop.stop_requested(); ++section) {
    const auto valid = is_section_valid(store_.reader(), *size, section);
    if (!valid) return valid.error();
    if (*valid) continue;
    const auto complete = gaps ? is_complete(section) : Result<bool>{true};
    if (!complete) return complete.error();
    if (!*complete) continue;
    if (Status s = write_section(section); !s) return s.error();
    if (Status s = write_count(*verified); !s) return s.error();
    progress.section = section;
    progress.generated += 1;
    if (on_section) on_section(progress);
  }
  return progress;
}

}  // namespace bloomery::ethlog
