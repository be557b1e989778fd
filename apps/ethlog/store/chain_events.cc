#include "apps/ethlog/store/chain_events.h"

#include <algorithm>

namespace bloomery::ethlog {
namespace {

ChainReader::Block load(const ChainReader& reader, const BlockId& id) {
  auto block = reader.block(id.number, id.hash);
  return block ? std::move(*block) : nullptr;
}

void append_logs(const ImportedBlock& block, LogFate fate, std::vector<EventLog>& logs) {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < block.receipts.size(); ++i)
    for (const Log& log : block.receipts[i].logs)
      logs.emplace_back(FoundLog{block, i, index++, log}, fate);
}

}  // namespace

ChainEvent::ChainEvent(const ChainReader& reader, const ChainChange& change) {
  for (auto id = change.removed.rbegin(); id != change.removed.rend(); ++id)
    if (auto block = load(reader, *id)) removed_.push_back(std::move(block));
  for (const BlockId& id : change.added)
    if (auto block = load(reader, id)) added_.push_back(std::move(block));
  for (const auto& block : removed_) append_logs(*block, LogFate::kRemoved, logs_);
  if (change.completed)
    if ((completed_ = load(reader, *change.completed)))
      append_logs(*completed_, LogFate::kMined, logs_);
  for (const auto& block : added_) append_logs(*block, LogFate::kMined, logs_);
}

bool wants(const SortedQuery& sorted, const EventLog& log) {
  const LogQuery& query = sorted.query();
  const auto is_number = [](const std::optional<BlockBound>& bound) {
    return bound && bound->tag == BlockTag::kNumber;
  };
  if (is_number(query.from) && log.block() < query.from->number) return false;
  if (is_number(query.to) && log.block() > query.to->number) return false;
  return matches(sorted, log.log());
}

Result<ChainChange> LiveChain::add(ImportedBlock block, Gaps gaps) {
  const std::lock_guard writing{writing_};
  auto change = [&] {
    const std::lock_guard changing{changing_};
    auto made = store_->add(std::move(block), gaps);
    if (made && (!made->removed.empty() || made->bloom_changed)) reorganisations_ += 1;
    counts_ = store_->counts();
    return made;
  }();
  const bool news =
      change && (!change->added.empty() || !change->removed.empty() || change->completed);
  if (news && listener_) listener_(*change);
  return change;
}

Status LiveChain::sync() {
  const std::lock_guard writing{writing_};
  return store_->sync();
}

Status LiveChain::write(const std::function<Status(ChainStore&)>& work) {
  const std::lock_guard writing{writing_};
  return work(*store_);
}

std::uint64_t LiveChain::reorganisations() const {
  const std::lock_guard changing{changing_};
  return reorganisations_;
}

std::optional<StoreCounts> LiveChain::counts() const {
  const std::lock_guard changing{changing_};
  return counts_;
}

}  // namespace bloomery::ethlog
