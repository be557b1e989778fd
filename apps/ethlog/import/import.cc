#include "apps/ethlog/import/import.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "apps/ethlog/import/check_ahead.h"
#include "apps/ethlog/import/make_sections.h"

namespace bloomery::ethlog {
namespace {

std::uint64_t logs_in(const ImportedBlock& block) {
  std::uint64_t logs = 0;
  for (const Receipt& receipt : block.receipts) logs += receipt.logs.size();
  return logs;
}

// What decides whether a block can be stored now.
struct BlockPlace {
  std::uint64_t number = 0;
  Hash hash;
  std::optional<Hash> parent;
};

BlockPlace place_of(const ImportedBlock& block) {
  return {block.header.number, block.header.hash, block.header.parent_hash};
}

// Whether the store has its parent, or the block itself, or no block yet.
Result<bool> can_follow(const ChainStore& store, const BlockPlace& place) {
  if (place.number == 0 || store.counts().blocks == 0) return true;
  const auto known = store.reader().number_of(place.hash);
  if (!known) return known.error();
  if (*known) return true;
  if (!place.parent) {
    const auto before = store.reader().canonical_hash(place.number - 1);
    if (!before) return before.error();
    return before->has_value();
  }
  const auto parent = store.reader().number_of(*place.parent);
  if (!parent) return parent.error();
  return parent->has_value();
}

class OrderedImporter {
 public:
  OrderedImporter(ChainStore& store, const ImportOptions& options, ImportProgress& progress,
                  const OnImport& on_progress, const std::stop_token& stop)
      : store_{store},
        options_{options},
        importer_{store, options.sync_every, progress, on_progress, options.index_confirms, stop},
        waiting_{options.most_waiting_bytes} {}

  // Until the source ends, or an error.
  Status read(const BlockSource& source, std::size_t check_threads, const std::stop_token& stop) {
    CheckAhead blocks{source, store_, check_threads};
    while (!stop.stop_requested()) {
      auto block = blocks.next();
      if (!block) return block.error();
      if (!*block) break;
      if (Status added = add(std::move(**block)); !added) return added;
    }
    return ok();
  }

  // Behind the last source: what waits below the chain is put under it.
  Status finish(const std::stop_token& stop) {
    while (!waiting_.empty() && !stop.stop_requested()) {
      std::vector<ImportedBlock> below = ancestors_of_chain();
      if (below.empty()) return refuse_lowest();
      Gaps gaps = Gaps::kAllowed;  // nothing comes before the first of them
      for (ImportedBlock& block : below) {
        if (Status stored = store(std::move(block), gaps); !stored) return stored;
        gaps = Gaps::kRefused;
      }
    }
    return ok();
  }

  // What was stored, also before an error; the index only where there was none.
  Status end(const Status& outcome) {
    const Status acknowledged = importer_.acknowledge();
    if (!outcome || !acknowledged) return outcome ? acknowledged : outcome;
    return importer_.index();
  }

 private:
  Status add(CheckedBlock next) {
    ImportedBlock& block = next.block;
    if (options_.gaps == Gaps::kAllowed)
      return importer_.add(std::move(block), Gaps::kAllowed, next.checked);
    const auto follows = can_follow(store_, place_of(block));
    if (!follows) return follows.error();
    if (!*follows) return waiting_.add(std::move(block));
    return store(std::move(block), Gaps::kRefused, std::move(next.checked));
  }

  // With those that waited for it.
  Status store(ImportedBlock block, Gaps gaps, std::optional<Status> checked = {}) {
    std::deque<ImportedBlock> ready;
    ready.push_back(std::move(block));
    for (; !ready.empty(); gaps = Gaps::kRefused) {
      const std::uint64_t number = ready.front().header.number;
      const Hash hash = ready.front().header.hash;
      if (Status stored = importer_.add(std::move(ready.front()), gaps, checked); !stored)
        return stored;
      checked.reset();
      ready.pop_front();
      if (waiting_.empty()) continue;
      for (ImportedBlock& child : waiting_.take_children(number, hash))
        ready.push_back(std::move(child));
    }
    return ok();
  }

  std::vector<ImportedBlock> ancestors_of_chain() {
    const auto lowest = store_.counts().lowest;
    if (!lowest || waiting_.lowest().header.number >= *lowest) return {};
    const auto header = store_.reader().header(*lowest);
    if (!header || !*header || !(*header)->parent_hash) return {};
    return waiting_.take_ancestors(*lowest, *(*header)->parent_hash);
  }

  Status refuse_lowest() const {
    const ImportedBlock& block = waiting_.lowest();
    const auto before = store_.reader().canonical_hash(block.header.number - 1);
    if (!before) return before.error();
    ImportedBlock copy = block;
    if (*before) return check_parent(copy, *before, Gaps::kRefused);
    return missing_parent(block, "import it first, or allow gaps (--gaps)");
  }

  ChainStore& store_;
  const ImportOptions& options_;
  BlockImporter importer_;
  WaitingBlocks waiting_;
};

// A source that was opened, with the block that was read to see where it begins.
struct OpenSource {
  BlockSource blocks;
  std::optional<ImportedBlock> first;

  BlockSource whole() && {
    auto state = std::make_shared<OpenSource>(std::move(*this));
    return [state]() -> Result<std::optional<ImportedBlock>> {
      if (!state->first) return state->blocks();
      std::optional<ImportedBlock> block = std::move(state->first);
      state->first.reset();
      return block;
    };
  }
};

Result<OpenSource> open_source(const NamedSource& source) {
  auto blocks = source.open();
  if (!blocks) return blocks.error();
  auto first = (*blocks)();
  if (!first) return first.error();
  return OpenSource{std::move(*blocks), std::move(*first)};
}

class SourceQueue {
 public:
  SourceQueue(ChainStore& store, std::vector<NamedSource> sources) : store_{store} {
    for (NamedSource& source : sources) waiting_.push_back({std::move(source), {}, {}});
  }

  // The chain begins with the lowest block: the source that has it comes first, unless it begins
  // with block 0, which is taken at any time.
  Status put_lowest_first() {
    if (store_.counts().blocks > 0 || waiting_.size() < 2) return ok();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::size_t first = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (i > 0 && !waiting_[i].source.opens_again) continue;
      if (Status looked = look(waiting_[i]); !looked) return i == 0 ? looked : ok();
      const auto& place = waiting_[i].place;
      if (i > 0) waiting_[i].open.reset();
      if (i == 0 && (!place || place->number == 0)) return ok();
      if (place && place->number < least) {
        least = place->number;
        first = i;
      }
    }
    if (least > 0) {
      const auto begin = waiting_.begin();
      std::rotate(begin, begin + static_cast<std::ptrdiff_t>(first),
                  begin + static_cast<std::ptrdiff_t>(first) + 1);
    }
    return ok();
  }

  bool empty() const { return waiting_.empty(); }

  struct Next {
    BlockSource blocks;
    bool opens_again;
  };
  // The next source whose first block can be stored; where there is none, the next.
  Result<Next> next(Gaps gaps) {
    for (std::size_t i = 0; i < waiting_.size() && gaps == Gaps::kRefused; ++i) {
      if (Status looked = look(waiting_[i]); !looked) return looked.error();
      const auto& place = waiting_[i].place;
      const auto follows = place ? can_follow(store_, *place) : Result<bool>{true};
      if (!follows) return follows.error();
      if (*follows) return take(i);
      if (waiting_[i].source.opens_again) waiting_[i].open.reset();
    }
    return take(0);
  }

 private:
  struct Waiting {
    NamedSource source;
    std::optional<OpenSource> open;
    std::optional<BlockPlace> place;  // of its first block
    bool seen = false;
  };

  Status look(Waiting& one) {
    if (one.seen) return ok();
    auto opened = open_source(one.source);
    if (!opened) return opened.error();
    one.seen = true;
    if (opened->first) one.place = place_of(*opened->first);
    one.open = std::move(*opened);
    return ok();
  }

  Result<Next> take(std::size_t i) {
    Waiting one = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    auto blocks = one.open ? Result<BlockSource>{std::move(*one.open).whole()} : one.source.open();
    if (!blocks) return blocks.error();
    return Next{std::move(*blocks), one.source.opens_again};
  }

  ChainStore& store_;
  std::vector<Waiting> waiting_;
};

}  // namespace

Status BlockImporter::add(ImportedBlock block, Gaps gaps, const std::optional<Status>& checked) {
  const std::uint64_t number = block.header.number;
  const std::uint64_t logs = logs_in(block);
  const auto change = store_.add(std::move(block), gaps, checked);
  if (!change) return change.error();
  progress_.blocks += 1;
  progress_.last = number;
  progress_.displaced += change->removed.size();
  if (change->stored) {
    progress_.stored += 1;
    progress_.logs += logs;
    progress_.verified.add(change->verified);
    unsynced_ += 1;
  }
  if (on_progress_) on_progress_(progress_);
  if (unsynced_ < sync_every_) return ok();
  if (Status s = acknowledge(); !s) return s;
  const auto confirmed = confirmed_now();
  if (!confirmed) return confirmed.error();
  return *confirmed == indexed_ ? ok() : index();
}

Status BlockImporter::acknowledge() {
  if (unsynced_ > 0)
    if (Status synced = store_.sync(); !synced) return synced;
  unsynced_ = 0;
  progress_.acknowledged = progress_.last;
  if (on_progress_) on_progress_(progress_);
  return ok();
}

Result<std::uint64_t> BlockImporter::confirmed_now() const {
  if (!index_confirms_) return indexed_;
  return confirmed_sections(store_.reader(), *index_confirms_);
}

Status BlockImporter::index() {
  if (!index_confirms_ || stop_.stop_requested()) return ok();
  const auto note = [&] {
    progress_.sections += 1;
    if (on_progress_) on_progress_(progress_);
  };
  const auto made = make_sections(store_, *index_confirms_, UINT64_MAX, note, stop_);
  if (!made) return made.error();
  const auto confirmed = confirmed_now();
  if (!confirmed) return confirmed.error();
  indexed_ = *confirmed;
  return ok();
}

Status import_blocks(ChainStore& store, const BlockSource& source, const ImportOptions& options,
                     ImportProgress& progress, const OnImport& on_progress,
                     const std::stop_token& stop) {
  OrderedImporter importer{store, options, progress, on_progress, stop};
  Status outcome = importer.read(source, options.check_threads, stop);
  if (outcome) outcome = importer.finish(stop);
  return importer.end(outcome);
}

Status import_sources(ChainStore& store, std::vector<NamedSource> sources,
                      const ImportOptions& options, ImportProgress& progress,
                      const OnImport& on_progress, const std::stop_token& stop) {
  OrderedImporter importer{store, options, progress, on_progress, stop};
  SourceQueue queue{store, std::move(sources)};
  Status outcome = options.gaps == Gaps::kRefused ? queue.put_lowest_first() : ok();
  while (outcome && !queue.empty() && !stop.stop_requested()) {
    const auto source = queue.next(options.gaps);
    outcome = source ? importer.read(source->blocks,
                                     source->opens_again ? options.check_threads : 0, stop)
                     : Status{source.error()};
  }
  if (outcome) outcome = importer.finish(stop);
  return importer.end(outcome);
}

}  // namespace bloomery::ethlog
