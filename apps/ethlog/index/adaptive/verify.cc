#include "apps/ethlog/index/adaptive/verify.h"

#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// Counts records that are not what they should be.
class Comparison {
 public:
  explicit Comparison(const KeyValueStore& store) : store_{store} {}
  Status compare(const std::string& key, std::string_view wanted) {
    const auto stored = store_.get(key);
    if (!stored) return stored.error();
    if (!*stored || **stored != wanted) ++wrong_;
    return ok();
  }
  std::uint64_t wrong() const { return wrong_; }

 private:
  const KeyValueStore& store_;
  std::uint64_t wrong_ = 0;
};

std::optional<std::string> said(std::uint64_t section, const std::string& what) {
  return message("section ", section, " of the adaptive index: ", what);
}

}  // namespace

Result<std::optional<std::string>> adaptive_problem(const ChainReader& reader,
                                                    std::uint64_t section_size,
                                                    std::uint64_t section) {
  const auto recorded = section_metadata(reader.store(), section);
  if (!recorded) return std::optional{message("section ", section, ": ", recorded.error().message)};
  if (!*recorded) return std::optional<std::string>{};  // taken back meanwhile
  const SectionMetadata& meta = **recorded;
  const auto head = reader.canonical_hash((section + 1) * section_size - 1);
  if (!head) return head.error();
  if (meta.section_size != section_size || *head != meta.head)
    return said(section,
                message("its head is not the canonical block ", (section + 1) * section_size - 1));
  Comparison comparison{reader.store()};
  const auto compare = [&](const std::string& key, const std::string& value) {
    return comparison.compare(key, value);
  };
  const auto built = build_adaptive_section(
      reader, section_size, section, meta.goal,
      meta.posting_buckets == 0 ? ColumnForm::kWhole : ColumnForm::kInParts, compare);
  if (!built) return said(section, built.error().message);
  if (!*built) return said(section, "the receipts of a block are not there any more");
  if ((*built)->meta != meta) return said(section, "it is not of the shape that its blocks give");
  for (std::uint32_t chunk = 0; chunk < meta.chunks(); ++chunk)
    if (Status s = comparison.compare(adaptive_chunk_key(meta, chunk),
                                      encode_chunk((*built)->chunk(chunk), chunk));
        !s)
      return s.error();
  for (std::uint32_t bucket = 0; bucket < meta.posting_buckets; ++bucket)
    if (Status s = comparison.compare(postings_key(section, meta.head, bucket),
                                      (*built)->postings[bucket]);
        !s)
      return s.error();
  if (comparison.wrong() == 0) return std::optional<std::string>{};
  return said(section, message(comparison.wrong(),
                               " of its records are missing or not those of its blocks"));
}

bool repair_adaptive(ChainStore& store, std::uint64_t section) {
  const auto meta = section_metadata(store.store(), section);
  AdaptiveIndexer::Options options;
  if (meta && *meta && (*meta)->goal > 0 && (*meta)->goal < 1) options.goal = (*meta)->goal;
  const auto written = AdaptiveIndexer{store, options}.write_section(section);
  return written && *written;
}

}  // namespace bloomery::ethlog
