// Keeps the adaptive index of a store up to date: sections built from receipts, with the columns of
// their blocks.
#pragma once
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/bloombits/index.h"

namespace bloomery::ethlog {

// Builds a section from the receipts of its blocks; nothing where one of them has none. A block
// whose bloom is empty needs none. The records of a block's columns are handed out as they are
// made, and not kept. ColumnForm::kWhole: as older versions made a section, without postings.
Result<std::optional<AdaptiveSection>> build_adaptive_section(const ChainReader& reader,
                                                              std::uint64_t section_size,
                                                              std::uint64_t section, double goal,
                                                              ColumnForm form,
                                                              const OnRecord& on_record);

class AdaptiveIndexer {
 public:
  struct Options {
    std::uint64_t confirms = kDefaultConfirms;
    std::optional<double> goal = {};  // otherwise what the store remembers, or the usual one
  };
  // The store must outlive the indexer.
  explicit AdaptiveIndexer(ChainStore& store) : AdaptiveIndexer{store, Options{}} {}
  AdaptiveIndexer(ChainStore& store, const Options& options) : store_{store}, options_{options} {}

  // Makes every section that is complete and confirmed and not there; with a goal also those that
  // were made for another. Sections with a block that is missing or has no receipts are left out:
  // searches go by other indexes or header blooms there. After an error or when stopped the
  // sections that were made stay.
  Result<IndexProgress> run(const OnSection& on_section = {}, const std::stop_token& stop = {});

  // Writes one section, its meta last; also over one that is there. False: it was left out.
  Result<bool> write_section(std::uint64_t section);

  // What the store remembers, or the usual one.
  Result<double> goal() const;

 private:
  Status remember_goal();
  Result<bool> is_wanted(std::uint64_t section, std::uint64_t size) const;

  ChainStore& store_;
  Options options_;
};

}  // namespace bloomery::ethlog
