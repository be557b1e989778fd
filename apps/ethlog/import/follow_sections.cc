#include "apps/ethlog/import/follow_sections.h"

#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"

namespace bloomery::ethlog {
namespace {

Status fix_section_size(ChainStore& store) {
  const auto recorded = store.store().get(kSectionSizeKey);
  if (!recorded) return recorded.error();
  return *recorded ? ok() : store.set_section_size(kDefaultSectionSize);
}

// One section at most, so that blocks need not wait for long.
template <class Indexer>
Result<std::uint64_t> make_one(Indexer indexer) {
  std::stop_source enough;
  const auto stop_at_first = [&](const IndexProgress& made) {
    if (made.generated > 0) enough.request_stop();  // not at sections that were left out
  };
  const auto progress = indexer.run(stop_at_first, enough.get_token());
  if (!progress) return progress.error();
  return progress->generated;
}

struct Present {
  bool bloombits = false;
  bool adaptive = false;
};

Result<Present> present_in(const ChainStore& store) {
  const auto adaptive = adaptive_sections(store.store());
  if (!adaptive) return adaptive.error();
  // A reorganisation may have taken back every section.
  const auto goal = store.store().get(kAdaptiveGoalKey);
  if (!goal) return goal.error();
  const auto count = store.store().get(kSectionCountKey);
  if (!count) return count.error();
  const bool has_adaptive = !adaptive->empty() || goal->has_value();
  return Present{.bloombits = count->has_value() || !has_adaptive, .adaptive = has_adaptive};
}

// The first that has something to do makes a section.
Result<std::uint64_t> make_one(ChainStore& store, std::uint64_t confirms) {
  if (Status s = fix_section_size(store); !s) return s.error();
  const auto present = present_in(store);
  if (!present) return present.error();
  if (present->adaptive) {
    const auto made = make_one(AdaptiveIndexer{store, {.confirms = confirms}});
    if (!made || *made > 0) return made;
  }
  return present->bloombits ? make_one(BloombitsIndexer{store, confirms}) : std::uint64_t{0};
}

}  // namespace

Result<SectionKeeper::Seen> SectionKeeper::look() const {
  Seen seen{.sections = 0, .reorganisations = chain_.reorganisations()};
  const auto head = chain_.reader().head();
  if (!head) return head.error();
  const auto size = section_size_of(chain_.reader());
  if (!size) return size.error();
  if (*head && **head >= confirms_) seen.sections = (**head + 1 - confirms_) / *size;
  return seen;
}

Result<std::uint64_t> SectionKeeper::run(const std::stop_token& stop) {
  const auto seen = look();
  if (!seen) return seen.error();
  if (done_ == *seen || seen->sections == 0) return std::uint64_t{0};
  std::uint64_t all = 0;
  for (std::uint64_t made = 1; made > 0 && !stop.stop_requested(); all += made) {
    const Status indexed = chain_.write([&](ChainStore& store) -> Status {
      const auto one = make_one(store, confirms_);
      if (!one) return one.error();
      made = *one;
      return ok();
    });
    if (!indexed) return indexed.error();
  }
  if (!stop.stop_requested()) done_ = *seen;
  return all;
}

}  // namespace bloomery::ethlog
