#include "apps/ethlog/import/follow_sections.h"

#include "apps/ethlog/import/make_sections.h"

namespace bloomery::ethlog {

Result<SectionKeeper::Seen> SectionKeeper::look() const {
  Seen seen{.sections = 0, .reorganisations = chain_.reorganisations()};
  const auto confirmed = confirmed_sections(chain_.reader(), confirms_);
  if (!confirmed) return confirmed.error();
  seen.sections = *confirmed;
  return seen;
}

Result<std::uint64_t> SectionKeeper::run(const std::stop_token& stop) {
  const auto seen = look();
  if (!seen) return seen.error();
  if (done_ == *seen || seen->sections == 0) return std::uint64_t{0};
  std::uint64_t all = 0;
  for (std::uint64_t made = 1; made > 0 && !stop.stop_requested(); all += made) {
    // One section at a time, so that blocks need not wait for long.
    const Status indexed = chain_.write([&](ChainStore& store) -> Status {
      const auto one = make_sections(store, confirms_, 1);
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
