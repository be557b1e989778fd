#include "apps/ethlog/index/adaptive/columns.h"

#include <algorithm>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kColumnChecksumBytes = sizeof(std::uint64_t);
constexpr std::size_t kColumns = 1 + TopicList::kMost;
constexpr std::uint32_t kNarrowNone = UINT16_MAX;

template <class T>
void sort_once(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The order of the values, by words: sorting is most of what columns cost, and bytes or calls of
// memcmp would be most of that.
struct IsBefore {
  template <std::size_t Size>
  bool operator()(const FixedBytes<Size>& a, const FixedBytes<Size>& b) const {
    static_assert(Size % 4 == 0);
    std::size_t at = 0;
    for (; at + 8 <= Size; at += 8) {
      const auto left = load_be<std::uint64_t>(a.bytes.data() + at);
      const auto right = load_be<std::uint64_t>(b.bytes.data() + at);
      if (left != right) return left < right;
    }
    return at < Size && load_be<std::uint32_t>(a.bytes.data() + Size - 4) <
                            load_be<std::uint32_t>(b.bytes.data() + Size - 4);
  }
};
struct IsSame {
  template <std::size_t Size>
  bool operator()(const FixedBytes<Size>& a, const FixedBytes<Size>& b) const {
    return std::memcmp(a.bytes.data(), b.bytes.data(), Size) == 0;
  }
};
template <std::size_t Size>
void sort_once(std::vector<FixedBytes<Size>>& values) {
  std::ranges::sort(values, IsBefore{});
  values.erase(std::unique(values.begin(), values.end(), IsSame{}), values.end());
}

template <std::size_t Size>
std::uint32_t place_in(const std::vector<FixedBytes<Size>>& values, const FixedBytes<Size>& value) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(values, value, IsBefore{}) -
                                    values.begin());
}

std::string sealed(ByteWriter body, std::uint64_t block) {
  const std::vector<std::byte> bytes = body.take();
  std::string record(kColumnChecksumBytes + bytes.size(), '\0');
  const std::uint64_t checksum = xxh3_64(bytes, block);
  std::memcpy(record.data(), &checksum, sizeof checksum);
  std::memcpy(record.data() + kColumnChecksumBytes, bytes.data(), bytes.size());
  return record;
}

Result<ByteReader> unsealed(ByteView record, std::uint64_t block) {
  ByteReader in{record};
  const auto checksum = in.le<std::uint64_t>();
  if (!in.failed() && checksum == xxh3_64(record.subspan(kColumnChecksumBytes), block)) return in;
  return Error{ErrorCode::kMalformed,
               message("the columns of block ", block,
                       " are damaged; repair the index with bloomery eth verify --repair")};
}

Error misshapen(std::uint64_t block) {
  return {ErrorCode::kMalformed,
          message("the columns of block ", block, " do not have the length that they say")};
}

}  // namespace

LogColumns columns_of(std::span<const Receipt> receipts) {
  LogColumns out;
  std::size_t logs = 0;
  for (const Receipt& receipt : receipts)
    for (const Log& log : receipt.logs) {
      out.addresses.push_back(log.address);
      out.topics.insert(out.topics.end(), log.topics.begin(), log.topics.end());
      ++logs;
    }
  sort_once(out.addresses);
  sort_once(out.topics);
  out.address_of.reserve(logs);
  for (auto& column : out.topic_of) column.reserve(logs);
  for (const Receipt& receipt : receipts)
    for (const Log& log : receipt.logs) {
      out.address_of.push_back(place_in(out.addresses, log.address));
      for (std::size_t i = 0; i < TopicList::kMost; ++i)
        out.topic_of[i].push_back(i < log.topics.size() ? place_in(out.topics, log.topics[i])
                                                        : kNoTopic);
    }
  return out;
}

std::vector<LogColumns::Pair> LogColumns::pairs() const {
  std::vector<Pair> all;
  for (std::size_t i = 0; i < logs(); ++i)
    if (topic_of[0][i] != kNoTopic) all.push_back({address_of[i], topic_of[0][i]});
  sort_once(all);
  return all;
}

std::optional<std::size_t> LogColumns::most_topics() const {
  if (logs() == 0) return std::nullopt;
  std::size_t most = 0;
  const auto is_there = [](std::uint32_t place) { return place != kNoTopic; };
  while (most < TopicList::kMost && std::ranges::any_of(topic_of[most], is_there)) ++most;
  return most;
}

std::uint32_t topic_fingerprint(const Topic& topic) {
  return static_cast<std::uint32_t>(xxh3_64(topic.view()));
}

std::string encode_key_column(const LogColumns& columns, std::uint64_t block) {
  std::vector<std::uint32_t> fingerprints;
  for (const Topic& topic : columns.topics) fingerprints.push_back(topic_fingerprint(topic));
  sort_once(fingerprints);
  ByteWriter out;
  out.reserve(8 + columns.addresses.size() * Address::kSize + fingerprints.size() * 4);
  out.le(static_cast<std::uint32_t>(columns.addresses.size()));
  out.le(static_cast<std::uint32_t>(fingerprints.size()));
  for (const Address& address : columns.addresses) out.put(address.view());
  for (const std::uint32_t fingerprint : fingerprints) out.le(fingerprint);
  return sealed(std::move(out), block);
}

std::string encode_log_column(const LogColumns& columns, std::uint64_t block) {
  const bool wide = std::max(columns.addresses.size(), columns.topics.size()) > kNarrowNone;
  ByteWriter out;
  out.reserve(16 + columns.topics.size() * Topic::kSize + columns.logs() * kColumns * 4);
  out.le(static_cast<std::uint32_t>(columns.logs()));
  out.le(static_cast<std::uint32_t>(columns.addresses.size()));
  out.le(static_cast<std::uint32_t>(columns.topics.size()));
  out.le(static_cast<std::uint32_t>(wide ? 4 : 2));
  for (const Topic& topic : columns.topics) out.put(topic.view());
  const auto put = [&](const std::vector<std::uint32_t>& places) {
    for (const std::uint32_t place : places) {
      if (wide)
        out.le(place);
      else
        out.le(static_cast<std::uint16_t>(place));  // kNoTopic becomes kNarrowNone
    }
  };
  put(columns.address_of);
  for (const auto& places : columns.topic_of) put(places);
  return sealed(std::move(out), block);
}

Result<KeyColumn> KeyColumn::decode(ByteView record, std::uint64_t block) {
  auto in = unsealed(record, block);
  if (!in) return in.error();
  const std::uint64_t addresses = in->le<std::uint32_t>();
  const std::uint64_t fingerprints = in->le<std::uint32_t>();
  KeyColumn out;
  out.addresses_ = in->take(addresses * Address::kSize);
  out.fingerprints_ = in->take(fingerprints * sizeof(std::uint32_t));
  if (in->failed() || in->remaining() > 0) return misshapen(block);
  return out;
}

std::uint32_t KeyColumn::fingerprint(std::size_t i) const {
  return load_le<std::uint32_t>(fingerprints_.data() + i * sizeof(std::uint32_t));
}

Result<LogColumn> LogColumn::decode(ByteView record, std::uint64_t block) {
  auto in = unsealed(record, block);
  if (!in) return in.error();
  LogColumn out;
  out.logs_ = in->le<std::uint32_t>();
  out.addresses_ = in->le<std::uint32_t>();
  const std::uint64_t topics = in->le<std::uint32_t>();
  const auto width = in->le<std::uint32_t>();
  out.wide_ = width == 4;
  out.topics_ = in->take(topics * Topic::kSize);
  out.places_ = in->take(std::uint64_t{out.logs_} * kColumns * width);
  if (in->failed() || in->remaining() > 0 || (width != 2 && width != 4)) return misshapen(block);
  return out;
}

std::uint32_t LogColumn::place(std::size_t column, std::size_t log) const {
  const std::size_t at = column * logs_ + log;
  if (wide_) return load_le<std::uint32_t>(places_.data() + at * 4);
  const std::uint32_t narrow = load_le<std::uint16_t>(places_.data() + at * 2);
  return narrow == kNarrowNone ? kNoTopic : narrow;
}

}  // namespace bloomery::ethlog
