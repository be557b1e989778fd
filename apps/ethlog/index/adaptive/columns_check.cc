#include "apps/ethlog/index/adaptive/columns_check.h"

#include <algorithm>
#include <bit>

namespace bloomery::ethlog {
namespace {

// The first place of an ascending list whose value is not below; `below(place)` says which are.
template <class Below>
std::size_t lower_place(std::size_t size, const Below& below) {
  std::size_t low = 0;
  for (std::size_t high = size; low < high;) {
    const std::size_t middle = (low + high) / 2;
    if (below(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether few values are sooner looked up one by one in many than both walked together.
bool few_in_many(std::size_t few, std::size_t many) {
  return few <= many && few * static_cast<std::size_t>(std::bit_width(many)) < few + many;
}

// Calls found(i, j) for every i of the first list and j of the second that are equal, until it says
// false. Both ascend, each value once; `order(i, j)` is negative, zero or positive.
template <class Order, class Found>
void for_each_common(std::size_t first, std::size_t second, const Order& order, Found found) {
  if (few_in_many(first, second)) {
    for (std::size_t i = 0; i < first; ++i) {
      const auto j = lower_place(second, [&](std::size_t place) { return order(i, place) > 0; });
      if (j < second && order(i, j) == 0 && !found(i, j)) return;
    }
  } else if (few_in_many(second, first)) {
    for (std::size_t j = 0; j < second; ++j) {
      const auto i = lower_place(first, [&](std::size_t place) { return order(place, j) < 0; });
      if (i < first && order(i, j) == 0 && !found(i, j)) return;
    }
  } else {
    for (std::size_t i = 0, j = 0; i < first && j < second;) {
      const auto compared = order(i, j);
      if (compared == 0 && !found(i, j)) return;
      if (compared <= 0) ++i;
      if (compared >= 0) ++j;
    }
  }
}

template <class Order>
bool any_common(std::size_t first, std::size_t second, const Order& order) {
  bool any = false;
  for_each_common(first, second, order, [&](std::size_t, std::size_t) {
    any = true;
    return false;
  });
  return any;
}

template <class T>
int compared(const T& value, const std::byte* other) {
  return std::memcmp(value.bytes.data(), other, T::kSize);
}

// Which places of a block's list are asked for.
class Wanted {
 public:
  // Nothing is asked: every place is wanted, and kNoTopic is not.
  Wanted() = default;
  template <class Order>
  Wanted(std::size_t asked, std::size_t there, const Order& order) : all_{false}, places_(there) {
    for_each_common(asked, there, order, [&](std::size_t, std::size_t place) {
      places_[place] = 1;
      any_ = true;
      return true;
    });
  }
  bool any() const { return all_ || any_; }
  bool has(std::uint32_t place) const {
    return all_ ? place != kNoTopic : place < places_.size() && places_[place] != 0;
  }

 private:
  bool all_ = true;
  bool any_ = false;
  std::vector<std::uint8_t> places_;
};

template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

ColumnsCheck::ColumnsCheck(const LogQuery& query) : addresses_{query.addresses} {
  sort_unique(addresses_);
  for (const std::vector<Topic>& topics : query.topics) {
    Position& position = positions_.emplace_back();
    position.topics = topics;
    sort_unique(position.topics);
    for (const Topic& topic : topics) position.fingerprints.push_back(topic_fingerprint(topic));
    sort_unique(position.fingerprints);
  }
}

bool ColumnsCheck::may_match(const KeyColumn& keys) const {
  if (keys.addresses() == 0 || positions_.size() > TopicList::kMost) return false;
  const auto by_address = [&](std::size_t i, std::size_t j) {
    return compared(addresses_[i], keys.address(j));
  };
  if (!addresses_.empty() && !any_common(addresses_.size(), keys.addresses(), by_address))
    return false;
  return std::ranges::all_of(positions_, [&](const Position& position) {
    const auto by_fingerprint = [&](std::size_t i, std::size_t j) {
      const std::uint32_t a = position.fingerprints[i];
      const std::uint32_t b = keys.fingerprint(j);
      return a < b ? -1 : a > b ? 1 : 0;
    };
    return position.topics.empty() ||
           any_common(position.fingerprints.size(), keys.fingerprints(), by_fingerprint);
  });
}

bool ColumnsCheck::matches(const KeyColumn& keys, const LogColumn& logs) const {
  if (positions_.size() > TopicList::kMost) return false;
  Wanted address;
  if (!addresses_.empty())
    address = Wanted{addresses_.size(), keys.addresses(), [&](std::size_t i, std::size_t j) {
                       return compared(addresses_[i], keys.address(j));
                     }};
  if (!address.any()) return false;
  std::array<Wanted, TopicList::kMost> topics;
  for (std::size_t at = 0; at < positions_.size(); ++at) {
    const std::vector<Topic>& asked = positions_[at].topics;
    if (!asked.empty())
      topics[at] = Wanted{asked.size(), logs.topics(), [&](std::size_t i, std::size_t j) {
                            return compared(asked[i], logs.topic(j));
                          }};
    if (!topics[at].any()) return false;
  }
  for (std::size_t log = 0; log < logs.logs(); ++log) {
    bool all = address.has(logs.address_of(log));
    for (std::size_t at = 0; all && at < positions_.size(); ++at)
      all = topics[at].has(logs.topic_of(at, log));
    if (all) return true;
  }
  return false;
}

Result<bool> ColumnsCheck::matches(const PartedColumns& columns) const {
  if (columns.addresses() == 0 || positions_.size() > TopicList::kMost) return false;
  PartedColumns::Wanted address;
  if (!addresses_.empty()) {
    auto places = columns.places_of(std::span{addresses_});
    if (!places) return places.error();
    if (places->empty()) return false;
    address = {.any = false, .places = std::move(*places)};
  }
  std::vector<PartedColumns::Wanted> topics(positions_.size());
  for (std::size_t at = 0; at < positions_.size(); ++at) {
    if (positions_[at].topics.empty()) continue;
    auto places = columns.places_of(std::span{positions_[at].topics});
    if (!places) return places.error();
    if (places->empty()) return false;
    topics[at] = {.any = false, .places = std::move(*places)};
  }
  return columns.has_log(address, topics);
}

}  // namespace bloomery::ethlog
