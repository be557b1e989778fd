#include "apps/ethlog/index/adaptive/index.h"

#include <bit>

#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

Error gone(std::uint64_t number) {
  return {ErrorCode::kIo,
          message("block ", number,
                  ": it is not in the store, and its section cannot be indexed without it")};
}

// A block of a section, which follows from the one before.
Result<ChainReader::Block> block_at(const ChainReader& reader, std::uint64_t number,
                                    std::optional<Hash>& before) {
  const auto hash = reader.canonical_hash(number);
  if (!hash) return hash.error();
  if (!*hash) return gone(number);
  auto block = reader.block(number, **hash);
  if (!block) return block.error();
  if (*block == nullptr) return gone(number);
  const std::optional<Hash>& parent = (*block)->header.parent_hash;
  if (before && parent && *before != *parent)
    return Error{ErrorCode::kMalformed,
                 message("block ", number,
                         ": it does not follow from the block before; the chain was "
                         "reorganised while it was indexed")};
  before = **hash;
  return block;
}

// Writes in batches of a bounded size. What is not confirmed by a section's meta is garbage.
class BatchWriter {
 public:
  explicit BatchWriter(KeyValueStore& store) : store_{store} {}
  Status put(std::string_view key, std::string_view value) {
    batch_.put(key, value);
    if (batch_.bytes() < kBatchBytes) return ok();
    return flush(Durability::kBuffered);
  }
  Status flush(Durability durability) {
    const Status written = store_.write(batch_, durability);
    batch_.clear();
    return written;
  }
  WriteBatch& batch() { return batch_; }

 private:
  KeyValueStore& store_;
  WriteBatch batch_;
};

void drop_postings(AdaptiveSection& section) {
  section.postings.clear();
  section.meta.posting_buckets = 0;
  section.meta.column_bytes = 0;
}

// Rows of the same section in another shape go in the moment in which the meta change.
Status remove_other_rows(const KeyValueStore& store, const SectionMetadata& meta,
                         WriteBatch& batch) {
  const std::string key = adaptive_chunk_key(meta, 0);
  const std::string_view section = std::string_view{key}.substr(0, key.size() - 16);
  const std::string_view shape = std::string_view{key}.substr(0, key.size() - 8);
  return store.scan(section, after_prefix(section), [&](std::string_view at, std::string_view) {
    if (!at.starts_with(shape)) batch.remove(at);
    return true;
  });
}

}  // namespace

Result<std::optional<AdaptiveSection>> build_adaptive_section(const ChainReader& reader,
                                                              std::uint64_t section_size,
                                                              std::uint64_t section, double goal,
                                                              ColumnForm form,
                                                              const OnRecord& on_record) {
  const std::uint64_t first = section * section_size;
  const auto head = reader.canonical_hash(first + section_size - 1);
  if (!head) return head.error();
  if (!*head) return gone(first + section_size - 1);
  AdaptiveSectionBuilder builder{section, section_size, **head};
  std::optional<Hash> before;
  std::uint64_t column_bytes = 0;
  for (std::uint64_t number = first; number < first + section_size; ++number) {
    const auto block = block_at(reader, number, before);
    if (!block) return block.error();
    if (!(*block)->has_receipts && !(*block)->header.bloom.is_zero())
      return std::optional<AdaptiveSection>{};
    const LogColumns columns = columns_of((*block)->receipts);
    if (Status s = builder.add_block(columns); !s) return s.error();
    const OnRecord counted = [&](const std::string& key, const std::string& value) {
      column_bytes += value.size();
      return on_record(key, value);
    };
    if (Status s = for_each_column_record(columns, form, section, **head, number, counted); !s)
      return s.error();
  }
  if (before != **head) return gone(first + section_size - 1);
  AdaptiveSection built = builder.build(goal);
  if (form == ColumnForm::kWhole) drop_postings(built);
  built.meta.column_bytes += column_bytes;
  return std::optional{std::move(built)};
}

Result<double> AdaptiveIndexer::goal() const {
  if (options_.goal) return *options_.goal;
  const auto stored = store_.store().get(kAdaptiveGoalKey);
  if (!stored) return stored.error();
  if (!*stored) return kDefaultAdaptiveRate;
  const double goal = std::bit_cast<double>(decode_number(**stored).value_or(0));
  if (goal > 0 && goal < 1) return goal;
  return Error{
      ErrorCode::kMalformed,
      "the stored false-positive rate of the adaptive index is not between 0 and 1; set it again "
      "(bloomery eth index --rate)"};
}

// The usual one as well: the record says that the store has this index, also without a section.
Status AdaptiveIndexer::remember_goal() {
  if (options_.goal && !(*options_.goal > 0 && *options_.goal < 1))
    return Error{
        ErrorCode::kInvalidArgument,
        message("a false-positive rate lies between 0 and 1, and is not ", *options_.goal)};
  const auto wanted = goal();
  if (!wanted) return wanted.error();
  const std::string value = encode_number(std::bit_cast<std::uint64_t>(*wanted));
  const auto stored = store_.store().get(kAdaptiveGoalKey);
  if (!stored) return stored.error();
  if (*stored == value) return ok();
  WriteBatch batch;
  batch.put(kAdaptiveGoalKey, value);
  return store_.store().write(batch, Durability::kBuffered);
}

Result<bool> AdaptiveIndexer::write_section(std::uint64_t section) {
  const auto size = store_.section_size();
  if (!size) return size.error();
  const auto wanted = goal();
  if (!wanted) return wanted.error();
  const auto head = store_.reader().canonical_hash((section + 1) * *size - 1);
  if (!head) return head.error();
  if (!*head) return gone((section + 1) * *size - 1);
  BatchWriter writer{store_.store()};
  const auto put = [&](const std::string& key, const std::string& value) {
    return writer.put(key, value);
  };
  const auto built =
      build_adaptive_section(store_.reader(), *size, section, *wanted, ColumnForm::kInParts, put);
  if (!built) return built.error();
  if (!*built) return false;
  const SectionMetadata& meta = (*built)->meta;
  for (std::uint32_t chunk = 0; chunk < meta.chunks(); ++chunk)
    if (Status s = writer.put(adaptive_chunk_key(meta, chunk),
                              encode_chunk((*built)->chunk(chunk), chunk));
        !s)
      return s.error();
  for (std::uint32_t bucket = 0; bucket < meta.posting_buckets; ++bucket)
    if (Status s = writer.put(postings_key(section, **head, bucket), (*built)->postings[bucket]);
        !s)
      return s.error();
  if (Status s = writer.flush(Durability::kBuffered); !s) return s.error();
  if (Status s = remove_other_rows(store_.store(), meta, writer.batch()); !s) return s.error();
  writer.batch().put(adaptive_head_key(section), encode_metadata(meta));
  if (Status s = writer.flush(Durability::kSynced); !s) return s.error();
  return true;
}

// Whether it is missing, or was made for another rate than the one that is asked for.
Result<bool> AdaptiveIndexer::is_wanted(std::uint64_t section, std::uint64_t size) const {
  const auto meta = valid_section_metadata(store_.reader(), size, section);
  if (!meta) return meta.error();
  if (*meta && (!options_.goal || (*meta)->goal == *options_.goal)) return false;
  for (std::uint64_t number = section * size; number < (section + 1) * size; ++number) {
    const auto hash = store_.reader().canonical_hash(number);
    if (!hash) return hash.error();
    if (!*hash) return false;
  }
  return true;
}

Result<IndexProgress> AdaptiveIndexer::run(const OnSection& on_section,
                                           const std::stop_token& stop) {
  IndexProgress progress;
  if (Status s = remember_goal(); !s) return s.error();
  const auto head = store_.reader().head();
  if (!head) return head.error();
  const auto size = store_.section_size();
  if (!size) return size.error();
  if (!*head || **head + 1 < *size || **head < options_.confirms) return progress;
  progress.sections = (**head + 1 - options_.confirms) / *size;
  for (std::uint64_t section = store_.counts().lowest.value_or(0) / *size;
       section < progress.sections && !stop.stop_requested(); ++section) {
    const auto wanted = is_wanted(section, *size);
    if (!wanted) return wanted.error();
    if (!*wanted) continue;
    const auto written = write_section(section);
    if (!written) return written.error();
    progress.section = section;
    (*written ? progress.generated : progress.without_receipts) += 1;
    if (on_section) on_section(progress);
  }
  return progress;
}

}  // namespace bloomery::ethlog
