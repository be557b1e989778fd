#include "apps/ethlog/model/transaction_fields.h"

#include <algorithm>

#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint8_t kAccessList = 1;
constexpr std::uint8_t kDynamicFee = 2;
constexpr std::uint8_t kBlob = 3;
constexpr std::uint8_t kSetCode = 4;

// Nothing beyond 256 bits.
std::optional<Hash> sum(const Hash& a, const Hash& b) {
  Hash out;
  unsigned carry = 0;
  for (std::size_t i = Hash::kSize; i-- > 0;) {
    carry += std::to_integer<unsigned>(a.bytes[i]) + std::to_integer<unsigned>(b.bytes[i]);
    out.bytes[i] = static_cast<std::byte>(carry & 0xff);
    carry >>= 8;
  }
  if (carry != 0) return std::nullopt;
  return out;
}

Hash price_of(const Hash& tip, const Hash& most, const std::optional<Hash>& base_fee) {
  if (!base_fee) return most;
  const auto wanted = sum(tip, *base_fee);
  return wanted && *wanted < most ? *wanted : most;
}

}  // namespace

Hash wide_integer(ByteView integer) {
  Hash out;
  std::ranges::copy(integer, out.bytes.end() - static_cast<std::ptrdiff_t>(integer.size()));
  return out;
}

std::optional<TransactionFields> fields_of(const Transaction& transaction,
                                           const std::optional<Hash>& base_fee) {
  const std::uint8_t type = transaction.type;
  if (type > kSetCode) return std::nullopt;
  RlpFailure failure;
  RlpReader items =
      RlpReader::of_list(transaction.encoding.subspan(type == 0 ? 0 : 1), failure, "transaction");
  TransactionFields fields;
  if (type >= kAccessList) (void)items.integer("chain");
  (void)items.number("nonce");
  const Hash first = wide_integer(items.integer("price"));
  fields.price =
      type >= kDynamicFee ? price_of(first, wide_integer(items.integer("most")), base_fee) : first;
  (void)items.number("gas");
  const ByteView to = items.bytes("receiver");
  if (to.size() == Address::kSize) fields.to = Address::from_bytes(to);
  (void)items.integer("value");
  (void)items.bytes("data");
  if (type >= kAccessList) (void)items.item("access list");
  if (type == kBlob) {
    (void)items.integer("blob price");
    for (RlpReader blobs = items.list("blobs"); !blobs.done(); ++fields.blobs)
      (void)blobs.item("blob");
  }
  if (type == kSetCode) (void)items.item("authorizations");
  for (const char* of_signature : {"v", "r", "s"}) (void)items.integer(of_signature);
  items.expect_end("transaction");
  if (failure || (!to.empty() && !fields.to)) return std::nullopt;
  return fields;
}

}  // namespace bloomery::ethlog
