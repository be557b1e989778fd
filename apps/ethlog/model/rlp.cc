#include "apps/ethlog/model/rlp.h"

#include <algorithm>

#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostShort = 55;  // payload bytes that the first byte can count

// First byte, and for a long payload its length: at most nine bytes.
struct Head {
  std::array<std::byte, 9> bytes;
  std::size_t size;
  ByteView view() const { return ByteView{bytes}.first(size); }
};

Head head_for(std::size_t payload, unsigned base) {
  Head head{};
  if (payload <= kMostShort) {
    head.bytes[0] = static_cast<std::byte>(base + payload);
    head.size = 1;
    return head;
  }
  std::size_t digits = 1;
  while (digits < 8 && (payload >> (8 * digits)) != 0) ++digits;
  head.bytes[0] = static_cast<std::byte>(base + kMostShort + digits);
  for (std::size_t i = 0; i < digits; ++i)
    head.bytes[1 + i] = static_cast<std::byte>(payload >> (8 * (digits - 1 - i)));
  head.size = 1 + digits;
  return head;
}

}  // namespace

RlpReader::Item RlpReader::fail(ErrorCode code, std::string_view what, std::string_view why) {
  failure_->set(code, message(what, ": ", why));
  rest_ = {};
  return {};
}

RlpReader::Item RlpReader::read_head(std::string_view what) {
  const auto first = std::to_integer<unsigned>(rest_[0]);
  if (first < 0x80) return {false, rest_.first(1), rest_.first(1)};
  const bool is_list = first >= 0xc0;
  const unsigned short_form = first - (is_list ? 0xc0 : 0x80);
  std::size_t head = 1;
  std::uint64_t size = short_form;
  if (short_form > kMostShort) {
    const std::size_t digits = short_form - kMostShort;
    if (rest_.size() - 1 < digits)
      return fail(ErrorCode::kTruncated, what, "the RLP ends inside a length");
    if (rest_[1] == std::byte{0})
      return fail(ErrorCode::kMalformed, what, "an RLP length begins with a zero byte");
    size = 0;
    for (const std::byte digit : rest_.subspan(1, digits))
      size = size << 8 | std::to_integer<std::uint64_t>(digit);
    if (size <= kMostShort)
      return fail(ErrorCode::kMalformed, what, "an RLP length of 55 or less is in the long form");
    head += digits;
  }
  if (size > rest_.size() - head)
    return fail(ErrorCode::kTruncated, what,
                message("an RLP item of ", size, " bytes is announced where ", rest_.size() - head,
                        " are left"));
  const ByteView payload = rest_.subspan(head, static_cast<std::size_t>(size));
  if (!is_list && size == 1 && std::to_integer<unsigned>(payload[0]) < 0x80)
    return fail(ErrorCode::kMalformed, what, "an RLP byte below 0x80 is wrapped as a string");
  return {is_list, payload, rest_.first(head + payload.size())};
}

RlpReader::Item RlpReader::take(std::string_view what) {
  if (failed()) return {};
  if (rest_.empty()) return fail(ErrorCode::kTruncated, what, "the RLP list ends before it");
  const Item item = read_head(what);
  if (!failed()) rest_ = rest_.subspan(item.whole.size());
  return item;
}

RlpReader RlpReader::of_list(ByteView bytes, RlpFailure& failure, std::string_view what) {
  RlpReader outer{bytes, failure};
  const RlpReader items = outer.list(what);
  outer.expect_end(what);
  return items;
}

bool RlpReader::next_is_list() const {
  return !done() && std::to_integer<unsigned>(rest_[0]) >= 0xc0;
}

ByteView RlpReader::bytes(std::string_view what) {
  const Item item = take(what);
  if (!failed() && item.is_list)
    return fail(ErrorCode::kMalformed, what, "a byte string was expected, not a list").payload;
  return item.payload;
}

RlpReader RlpReader::list(std::string_view what) {
  Item item = take(what);
  if (!failed() && !item.is_list)
    item = fail(ErrorCode::kMalformed, what, "a list was expected, not a byte string");
  return {item.payload, *failure_};
}

ByteView RlpReader::item(std::string_view what) { return take(what).whole; }

ByteView RlpReader::integer(std::string_view what, std::size_t max_bytes) {
  const ByteView raw = bytes(what);
  if (!raw.empty() && raw[0] == std::byte{0})
    return fail(ErrorCode::kMalformed, what, "an integer begins with a zero byte").payload;
  if (raw.size() > max_bytes)
    return fail(ErrorCode::kMalformed, what,
                message("an integer of at most ", max_bytes, " bytes was expected, not of ",
                        raw.size()))
        .payload;
  return raw;
}

std::uint64_t RlpReader::number(std::string_view what) {
  std::uint64_t value = 0;
  for (const std::byte digit : integer(what, 8))
    value = value << 8 | std::to_integer<std::uint64_t>(digit);
  return value;
}

ByteView RlpReader::sized(std::string_view what, std::size_t size) {
  const ByteView raw = bytes(what);
  if (!failed() && raw.size() != size)
    return fail(ErrorCode::kMalformed, what,
                message(size, " bytes were expected, not ", raw.size()))
        .payload;
  return raw;
}

void RlpReader::expect_end(std::string_view what) {
  if (!done())
    fail(ErrorCode::kMalformed, what, message(rest_.size(), " bytes follow where it should end"));
}

void RlpWriter::bytes(ByteView raw) {
  if (raw.size() != 1 || std::to_integer<unsigned>(raw[0]) >= 0x80)
    item(head_for(raw.size(), 0x80).view());
  item(raw);
}

void RlpWriter::integer(ByteView big_endian) {
  const auto first = std::find_if(big_endian.begin(), big_endian.end(),
                                  [](std::byte digit) { return digit != std::byte{0}; });
  bytes({first, big_endian.end()});
}

void RlpWriter::number(std::uint64_t value) {
  std::array<std::byte, 8> raw{};
  store_be(raw.data(), value);
  integer(raw);
}

void RlpWriter::end_list() {
  const auto start = static_cast<std::ptrdiff_t>(open_.back());
  open_.pop_back();
  const Head head = head_for(out_.size() - static_cast<std::size_t>(start), 0xc0);
  out_.insert(out_.begin() + start, head.view().begin(), head.view().end());
}

}  // namespace bloomery::ethlog
