#include "apps/ethlog/index/adaptive/parts.h"

#include <algorithm>
#include <numeric>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPartSeal = sizeof(std::uint64_t);
constexpr std::uint32_t kPartBytes = 4096;
constexpr std::uint32_t kStartsPerPart = kPartBytes / sizeof(std::uint32_t);
template <class T>
constexpr std::uint32_t kPerPart = kPartBytes / T::kSize;

constexpr std::uint64_t parts_for(std::uint64_t items, std::uint64_t per_part) {
  return (items + per_part - 1) / per_part;
}

std::uint64_t part_checksum(ByteView bytes, std::uint64_t block, std::uint32_t part) {
  return xxh3_64(bytes, block ^ std::uint64_t{part} << 40 ^ std::uint64_t{1} << 63);
}

class PartWriter {
 public:
  explicit PartWriter(std::uint64_t block) : block_{block} {}
  void put(ByteWriter body) {
    const std::vector<std::byte> bytes = body.take();
    const std::uint64_t checksum =
        part_checksum(bytes, block_, static_cast<std::uint32_t>(parts_.size()));
    std::string& part = parts_.emplace_back(kPartSeal + bytes.size(), '\0');
    std::memcpy(part.data(), &checksum, sizeof checksum);
    std::memcpy(part.data() + kPartSeal, bytes.data(), bytes.size());
  }
  // Items in parts of so many.
  template <class Items, class Put>
  void put_list(const Items& items, std::size_t per_part, const Put& put_item) {
    for (std::size_t at = 0; at < items.size(); at += per_part) {
      ByteWriter body;
      for (std::size_t i = at; i < std::min(items.size(), at + per_part); ++i)
        put_item(body, items[i]);
      put(std::move(body));
    }
  }
  std::vector<std::string> take() { return std::move(parts_); }

 private:
  std::uint64_t block_;
  std::vector<std::string> parts_;
};

template <class T>
void put_fences(const std::vector<T>& values, ByteWriter& out) {
  for (std::size_t at = 0; at < values.size(); at += kPerPart<T>) out.put(values[at].view());
}

}  // namespace

std::vector<std::string> encode_parts(const LogColumns& columns, std::uint64_t block) {
  std::vector<std::uint32_t> order(columns.logs());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t log) { return columns.address_of[log]; });
  std::vector<std::uint32_t> starts(columns.addresses.size() + 1);
  for (const std::uint32_t address : columns.address_of) ++starts[address + 1];
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) starts[i + 1] += starts[i];
  const bool wide = columns.topics.size() > UINT16_MAX;
  PartWriter parts{block};
  ByteWriter first;
  first.le(static_cast<std::uint32_t>(columns.logs()));
  first.le(static_cast<std::uint32_t>(columns.addresses.size()));
  first.le(static_cast<std::uint32_t>(columns.topics.size()));
  first.le(static_cast<std::uint32_t>(wide ? 4 : 2));
  put_fences(columns.addresses, first);
  put_fences(columns.topics, first);
  parts.put(std::move(first));
  const auto put_value = [](ByteWriter& out, const auto& value) { out.put(value.view()); };
  const auto put_number = [](ByteWriter& out, std::uint32_t number) { out.le(number); };
  parts.put_list(columns.addresses, kPerPart<Address>, put_value);
  parts.put_list(columns.topics, kPerPart<Topic>, put_value);
  parts.put_list(starts, kStartsPerPart, put_number);
  for (const std::vector<std::uint32_t>& topic_of : columns.topic_of)
    parts.put_list(order, kPartBytes / (wide ? 4 : 2), [&](ByteWriter& out, std::uint32_t log) {
      if (wide)
        out.le(topic_of[log]);
      else
        out.le(static_cast<std::uint16_t>(topic_of[log]));  // kNoTopic: all bits set
    });
  return parts.take();
}

Result<PartedColumns> PartedColumns::open(std::uint64_t block, Read read) {
  PartedColumns out{block, std::move(read)};
  const auto first = out.part(0, 0);
  if (!first) return first.error();
  ByteReader in{*first};
  out.logs_ = in.le<std::uint32_t>();
  out.address_list_.size = in.le<std::uint32_t>();
  out.topic_list_.size = in.le<std::uint32_t>();
  out.width_ = in.le<std::uint32_t>();
  const std::uint64_t address_parts = parts_for(out.address_list_.size, kPerPart<Address>);
  const std::uint64_t topic_parts = parts_for(out.topic_list_.size, kPerPart<Topic>);
  const ByteView address_fences = in.take(address_parts * Address::kSize);
  const ByteView topic_fences = in.take(topic_parts * Topic::kSize);
  if (in.failed() || in.remaining() > 0 || (out.width_ != 2 && out.width_ != 4))
    return Error{ErrorCode::kMalformed,
                 message("the columns of block ", block, " do not have the length that they say")};
  out.address_list_.part = 1;
  out.topic_list_.part = static_cast<std::uint32_t>(1 + address_parts);
  out.starts_part_ = static_cast<std::uint32_t>(out.topic_list_.part + topic_parts);
  out.topics_part_ = static_cast<std::uint32_t>(
      out.starts_part_ + parts_for(std::uint64_t{out.address_list_.size} + 1, kStartsPerPart));
  out.address_list_.fences = address_fences.data();  // into a node, which stays where it is
  out.topic_list_.fences = topic_fences.data();
  return out;
}

// The bytes of a part whose checksum holds, without it: as many as are wanted; 0: any number.
Result<ByteView> PartedColumns::part(std::uint32_t number, std::size_t bytes) const {
  const auto [at, fresh] = parts_.try_emplace(number);
  if (fresh) {
    auto record = read_(number);
    if (!record) return record.error();
    at->second = std::move(*record);
  }
  const ByteView record = bytes_of(std::string_view{at->second});
  if (record.size() >= kPartSeal && (bytes == 0 || record.size() == kPartSeal + bytes)) {
    const ByteView body = record.subspan(kPartSeal);
    if (!fresh || load_le<std::uint64_t>(record.data()) == part_checksum(body, block_, number))
      return body;
  }
  parts_.erase(at);
  return Error{ErrorCode::kMalformed,
               message("the columns of block ", block_,
                       " are damaged; repair the index with bloomery eth verify --repair")};
}

template <class T>
Result<std::vector<std::uint32_t>> PartedColumns::places_in(const List& list,
                                                            std::span<const T> asked) const {
  std::vector<std::uint32_t> places;
  const auto before = [](const T& value, const std::byte* other) {
    return std::memcmp(value.bytes.data(), other, T::kSize) < 0;
  };
  const auto groups = static_cast<std::uint32_t>(parts_for(list.size, kPerPart<T>));
  auto next = asked.begin();
  for (std::uint32_t group = 0; group < groups && next != asked.end(); ++group) {
    const std::byte* fence = list.fences + std::size_t{group} * T::kSize;
    next = std::lower_bound(next, asked.end(), fence, before);  // those before are in no part
    auto past = next;
    if (group + 1 == groups)
      past = asked.end();
    else
      past = std::lower_bound(next, asked.end(), fence + T::kSize, before);
    if (next == past) continue;
    const std::uint32_t first = group * kPerPart<T>;
    const std::uint32_t count = std::min(kPerPart<T>, list.size - first);
    const auto values = part(list.part + group, std::size_t{count} * T::kSize);
    if (!values) return values.error();
    const std::byte* data = values->data();
    const auto value = [&](std::uint32_t i) { return data + std::size_t{i} * T::kSize; };
    if (static_cast<std::size_t>(past - next) > count) {  // the fewer are looked up in the more
      for (std::uint32_t i = 0; i < count; ++i) {
        next = std::lower_bound(next, past, value(i), before);
        if (next != past && std::memcmp(next->bytes.data(), value(i), T::kSize) == 0)
          places.push_back(first + i);
      }
      next = past;
    }
    std::uint32_t at = 0;
    for (; next != past; ++next) {
      for (std::uint32_t high = count; at < high;) {
        const std::uint32_t middle = (at + high) / 2;
        if (std::memcmp(value(middle), next->bytes.data(), T::kSize) < 0)
          at = middle + 1;
        else
          high = middle;
      }
      if (at < count && std::memcmp(value(at), next->bytes.data(), T::kSize) == 0)
        places.push_back(first + at);
    }
  }
  return places;
}

Result<std::vector<std::uint32_t>> PartedColumns::places_of(std::span<const Address> asked) const {
  return places_in(address_list_, asked);
}
Result<std::vector<std::uint32_t>> PartedColumns::places_of(std::span<const Topic> asked) const {
  return places_in(topic_list_, asked);
}

Result<std::uint32_t> PartedColumns::start_of(std::uint32_t address) const {
  const std::uint32_t group = address / kStartsPerPart;
  const std::uint64_t left =
      std::uint64_t{address_list_.size} + 1 - std::uint64_t{group} * kStartsPerPart;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kStartsPerPart, left));
  const auto starts = part(starts_part_ + group, count * sizeof(std::uint32_t));
  if (!starts) return starts.error();
  return load_le<std::uint32_t>(starts->data() + address % kStartsPerPart * sizeof(std::uint32_t));
}

Result<bool> PartedColumns::has_log_among(Logs logs, std::span<const Wanted> topics) const {
  const std::uint32_t per_part = kPartBytes / width_;
  const std::uint64_t parts = parts_for(logs_, per_part);
  std::vector<std::uint8_t> kept;
  for (std::uint64_t at = logs.first; at < logs.past;) {
    const std::uint64_t group = at / per_part;
    const std::uint64_t past = std::min<std::uint64_t>(logs.past, (group + 1) * per_part);
    const auto count = static_cast<std::size_t>(past - at);
    const auto in_part = static_cast<std::size_t>(
        std::min<std::uint64_t>(per_part, logs_ - group * per_part) * width_);
    kept.assign(count, 1);
    for (std::size_t position = 0; position < topics.size(); ++position) {
      // A log with a topic at a later position has one here.
      if (topics[position].any && position + 1 < topics.size()) continue;
      const auto places =
          part(static_cast<std::uint32_t>(topics_part_ + position * parts + group), in_part);
      if (!places) return places.error();
      keep(places->data() + static_cast<std::size_t>(at % per_part) * width_, topics[position],
           kept);
    }
    if (std::ranges::find(kept, 1) != kept.end()) return true;
    at = past;
  }
  return false;
}

// Of so many logs those with a wanted topic.
void PartedColumns::keep(const std::byte* places, const Wanted& wanted,
                         std::vector<std::uint8_t>& kept) const {
  const std::uint32_t none = width_ == 2 ? UINT16_MAX : kNoTopic;
  const auto is_wanted = [&](std::uint32_t place) {
    if (place == none) return false;
    if (wanted.any) return true;
    if (wanted.places.size() == 1) return place == wanted.places[0];
    return std::ranges::binary_search(wanted.places, place);
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::uint32_t place = width_ == 2 ? load_le<std::uint16_t>(places + 2 * i)
                                            : load_le<std::uint32_t>(places + 4 * i);
    if (!is_wanted(place)) kept[i] = 0;
  }
}

Result<bool> PartedColumns::has_log(const Wanted& address, std::span<const Wanted> topics) const {
  if (topics.empty()) return address.any ? logs_ > 0 : !address.places.empty();
  if (address.any) return has_log_among({0, logs_}, topics);
  for (const std::uint32_t place : address.places) {
    const auto first = start_of(place);
    if (!first) return first.error();
    const auto past = start_of(place + 1);
    if (!past) return past.error();
    const auto found = has_log_among({*first, std::min(*past, logs_)}, topics);
    if (!found || *found) return found;
  }
  return false;
}

}  // namespace bloomery::ethlog
