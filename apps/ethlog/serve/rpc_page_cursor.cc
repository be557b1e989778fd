#include "apps/ethlog/serve/rpc_page_cursor.h"

#include "apps/ethlog/model/rlp.h"
#include "bloomery/base/endian.h"

namespace bloomery::ethlog {
namespace {

constexpr std::byte kCursorVersion{1};
constexpr std::size_t kSumBytes = 8;
// Version, five numbers, whether there is an anchor, its hash, and the sum.
constexpr std::size_t kCursorBytes = 1 + 5 * 8 + 1 + Hash::kSize + kSumBytes;

std::uint64_t sum_of(ByteView bytes) {
  return load_be<std::uint64_t>(keccak_hash(bytes).bytes.data());
}

Error not_a_cursor(std::string why) {
  return {ErrorCode::kInvalidArgument,
          "invalid cursor: " + std::move(why) + "; begin again without one"};
}

}  // namespace

std::string encode_cursor(const PageCursor& cursor) {
  std::array<std::byte, kCursorBytes> bytes{};
  bytes[0] = kCursorVersion;
  std::byte* at = bytes.data() + 1;
  const BlockId anchor = cursor.anchor.value_or(BlockId{});
  for (const std::uint64_t number :
       {cursor.block, cursor.log, cursor.last, cursor.query, anchor.number}) {
    store_be(at, number);
    at += sizeof number;
  }
  *at++ = std::byte{cursor.anchor.has_value()};
  std::memcpy(at, anchor.hash.bytes.data(), Hash::kSize);
  store_be(at + Hash::kSize, sum_of(ByteView{bytes}.first(kCursorBytes - kSumBytes)));
  return to_hex(bytes);
}

Result<PageCursor> decode_cursor(std::string_view text) {
  std::array<std::byte, kCursorBytes> bytes{};
  if (!fill_from_hex(text, bytes)) return not_a_cursor("it is none of this server's");
  if (bytes[0] != kCursorVersion) return not_a_cursor("another version of the server made it");
  const std::size_t summed = kCursorBytes - kSumBytes;
  if (load_be<std::uint64_t>(bytes.data() + summed) != sum_of(ByteView{bytes}.first(summed)))
    return not_a_cursor("it was changed on its way");
  const auto number = [&](std::size_t i) {
    return load_be<std::uint64_t>(bytes.data() + 1 + i * sizeof(std::uint64_t));
  };
  PageCursor cursor{.block = number(0), .log = number(1), .last = number(2), .query = number(3)};
  const std::size_t flag = 1 + 5 * sizeof(std::uint64_t);
  if (bytes[flag] != std::byte{0})
    cursor.anchor =
        BlockId{number(4), Hash::from_bytes(ByteView{bytes}.subspan(flag + 1, Hash::kSize))};
  if (cursor.block > cursor.last) return not_a_cursor("it begins behind its end");
  return cursor;
}

std::uint64_t number_of_query(const LogQuery& query, std::uint64_t chain_id) {
  RlpWriter out;
  out.begin_list();
  out.number(chain_id);
  for (const auto& bound : {query.from, query.to}) {
    out.number(bound ? static_cast<std::uint64_t>(bound->tag) + 1 : 0);
    out.number(bound ? bound->number : 0);
  }
  out.begin_list();
  for (const Address& address : query.addresses) out.bytes(address.view());
  out.end_list();
  for (const auto& choices : query.topics) {
    out.begin_list();
    for (const Topic& topic : choices) out.bytes(topic.view());
    out.end_list();
  }
  out.end_list();
  return sum_of(out.take());
}

}  // namespace bloomery::ethlog
