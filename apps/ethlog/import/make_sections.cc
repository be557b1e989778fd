#include "apps/ethlog/import/make_sections.h"

#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"

namespace bloomery::ethlog {
namespace {

Status record_section_size(ChainStore& store) {
  const auto recorded = store.store().get(kSectionSizeKey);
  if (!recorded) return recorded.error();
  return *recorded ? ok() : store.set_section_size(kDefaultSectionSize);
}

template <class Indexer>
Result<std::uint64_t> make_some(Indexer indexer, std::uint64_t most,
                                const std::function<void()>& on_made, const std::stop_token& stop) {
  if (most == 0) return std::uint64_t{0};
  std::stop_source enough;
  std::uint64_t seen = 0;
  const auto stop_at_most = [&](const IndexProgress& made) {
    if (made.generated > seen && on_made) on_made();
    seen = made.generated;
    if (made.generated >= most || stop.stop_requested()) enough.request_stop();
  };
  const auto progress = indexer.run(stop_at_most, enough.get_token());
  if (!progress) return progress.error();
  return progress->generated;
}

// By what says that a store has an index even after a reorganisation took back every section.
Result<IndexesThere> indexes_to_keep(const KeyValueStore& store) {
  auto there = indexes_in(store);
  if (!there) return there;
  const auto goal = store.get(kAdaptiveGoalKey);
  if (!goal) return goal.error();
  const auto count = store.get(kSectionCountKey);
  if (!count) return count.error();
  there->adaptive = there->adaptive || goal->has_value();
  there->bloombits = there->bloombits || count->has_value();
  if (!there->bloombits) there->adaptive = true;
  return there;
}

}  // namespace

Result<std::uint64_t> confirmed_sections(const ChainReader& reader, std::uint64_t confirms) {
  const auto head = reader.head();
  if (!head) return head.error();
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  if (!*head || **head < confirms) return std::uint64_t{0};
  return (**head + 1 - confirms) / *size;
}

Result<std::uint64_t> make_sections(ChainStore& store, std::uint64_t confirms, std::uint64_t most,
                                    const std::function<void()>& on_made,
                                    const std::stop_token& stop) {
  const auto confirmed = confirmed_sections(store.reader(), confirms);
  if (!confirmed || *confirmed == 0) return confirmed;
  if (Status s = record_section_size(store); !s) return s.error();
  const auto keep = indexes_to_keep(store.store());
  if (!keep) return keep.error();
  std::uint64_t all = 0;
  if (keep->adaptive) {
    const auto made =
        make_some(AdaptiveIndexer{store, {.confirms = confirms}}, most, on_made, stop);
    if (!made) return made;
    all = *made;
  }
  if (!keep->bloombits || stop.stop_requested()) return all;
  const auto made = make_some(BloombitsIndexer{store, confirms}, most - all, on_made, stop);
  if (!made) return made;
  return all + *made;
}

}  // namespace bloomery::ethlog
