#include "apps/ethlog/index/bloombits/distributor.h"

namespace bloomery::ethlog {

void Distributor::request(std::uint32_t bit, const SectionId& section) {
  {
    const std::lock_guard lock{mutex_};
    std::set<SectionId>& sections = wanted_[bit];
    const auto [at, fresh] = sections.insert(section);
    if (!fresh) return;
    if (at == sections.begin()) {
      if (sections.size() > 1) next_bits_.erase({*std::next(at), bit});
      next_bits_.insert({section, bit});
    }
  }
  changed_.notify_one();
}

std::optional<VectorRequest> Distributor::take(std::size_t most, const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  const auto some = [this] { return !next_bits_.empty(); };
  if (!some()) changed_.wait(lock, stop, some);
  if (stop.stop_requested() || !some()) return std::nullopt;
  VectorRequest request{next_bits_.begin()->second, {}};
  next_bits_.erase(next_bits_.begin());
  const auto at = wanted_.find(request.bit);
  std::set<SectionId>& sections = at->second;
  while (request.sections.size() < most && !sections.empty()) {
    request.sections.push_back(*sections.begin());
    sections.erase(sections.begin());
  }
  if (sections.empty())
    wanted_.erase(at);
  else
    next_bits_.insert({*sections.begin(), request.bit});
  return request;
}

}  // namespace bloomery::ethlog
