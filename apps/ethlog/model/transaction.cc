#include "apps/ethlog/model/transaction.h"

#include <algorithm>

#include "apps/ethlog/model/rlp.h"
#include "bloomery/base/message.h"

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

// (v - 35) / 2. Precondition: v is at least 35.
Hash chain_id_of(ByteView v) {
  Hash number = wide_integer(v);
  unsigned borrow = 35;
  for (std::size_t i = Hash::kSize; i-- > 0 && borrow > 0;) {
    const unsigned digit = std::to_integer<unsigned>(number.bytes[i]);
    number.bytes[i] = static_cast<std::byte>((digit - borrow) & 0xff);
    borrow = digit < borrow ? 1 : 0;
  }
  unsigned above = 0;
  for (std::byte& byte : number.bytes) {
    const unsigned digit = std::to_integer<unsigned>(byte);
    byte = static_cast<std::byte>(digit >> 1 | above << 7);
    above = digit & 1;
  }
  return number;
}

// EIP-155: a legacy v is 27 or 28, or says the chain as well.
void read_legacy_parity(TransactionFields& fields) {
  const ByteView v = fields.v;
  const unsigned low = v.empty() ? 0 : std::to_integer<unsigned>(v.back());
  if (v.size() <= 1 && low < 35) {
    if (low == 27 || low == 28) fields.y_parity = low - 27;
    return;
  }
  fields.chain_id = chain_id_of(v);
  fields.y_parity = (low + 1) % 2;  // 35 and all odd ones are even
}

std::vector<Authorization> read_authorizations(RlpReader list) {
  std::vector<Authorization> all;
  while (!list.done()) {
    RlpReader entry = list.list("authorization");
    Authorization& read = all.emplace_back();
    read.chain_id = entry.integer("chain of an authorization");
    read.address = entry.fixed<20>("address of an authorization");
    read.nonce = entry.number("nonce of an authorization");
    read.y_parity = entry.integer("parity of an authorization", 1);
    read.r = entry.integer("r of an authorization");
    read.s = entry.integer("s of an authorization");
    entry.expect_end("authorization");
  }
  return all;
}

void read_receiver(RlpReader& items, RlpFailure& failure, TransactionFields& fields) {
  const ByteView to = items.bytes("receiver");
  if (to.size() == Address::kSize)
    fields.to = Address::from_bytes(to);
  else if (!to.empty() || fields.type == kBlob || fields.type == kSetCode)
    failure.set(ErrorCode::kMalformed,
                message("receiver of a transaction of type ", unsigned{fields.type}, ": it has ",
                        to.size(), " bytes, but an address has 20"));
}

void read_signature(RlpReader& items, TransactionFields& fields) {
  fields.v = items.integer("v");
  fields.r = items.integer("r");
  fields.s = items.integer("s");
  if (fields.type == 0) return read_legacy_parity(fields);
  if (fields.v.empty()) fields.y_parity = 0;
  if (fields.v.size() == 1 && fields.v[0] == std::byte{1}) fields.y_parity = 1;
}

// The items before the last three, which lie side by side.
ByteView all_but_signature(ByteView list) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(list, failure, "transaction");
  std::array<ByteView, 3> last{};
  const std::byte* begin = nullptr;
  while (!items.done()) {
    const ByteView item = items.item("member of a transaction");
    if (begin == nullptr) begin = item.data();
    last = {last[1], last[2], item};
  }
  return {begin, last[0].data()};
}

}  // namespace

Result<TransactionFields> decode_transaction(const Transaction& transaction) {
  TransactionFields fields;
  fields.type = transaction.type;
  if (fields.type > kSetCode)
    return Error{ErrorCode::kUnsupported,
                 message("a transaction of type ", unsigned{fields.type},
                         " is not known; bloomery reads the types 0 to 4")};
  const ByteView list = transaction.encoding.subspan(fields.type == 0 ? 0 : 1);
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(list, failure, "transaction");
  if (fields.type >= kAccessList) fields.chain_id = wide_integer(items.integer("chain"));
  fields.nonce = items.number("nonce");
  if (fields.has_tip()) fields.tip = items.integer("tip");
  fields.price = items.integer("price");
  fields.gas = items.number("gas");
  read_receiver(items, failure, fields);
  fields.value = items.integer("value");
  fields.data = items.bytes("data");
  if (fields.has_access_list()) fields.access_list = read_access_list(items.list("access list"));
  if (fields.type == kBlob) {
    fields.blob_price = items.integer("price of blobs");
    RlpReader hashes = items.list("blobs");
    while (!hashes.done()) fields.blob_hashes.push_back(hashes.fixed<32>("hash of a blob"));
  }
  if (fields.type == kSetCode)
    fields.authorizations = read_authorizations(items.list("authorizations"));
  read_signature(items, fields);
  items.expect_end("transaction");
  if (failure) return failure.error();
  fields.unsigned_items = all_but_signature(list);
  return fields;
}

std::vector<AccessEntry> read_access_list(RlpReader list) {
  std::vector<AccessEntry> entries;
  while (!list.done()) {
    RlpReader entry = list.list("entry of an access list");
    AccessEntry& read = entries.emplace_back();
    read.address = entry.fixed<20>("address of an access list");
    RlpReader keys = entry.list("keys of an access list");
    while (!keys.done()) read.keys.push_back(keys.fixed<32>("key of an access list"));
    entry.expect_end("entry of an access list");
  }
  return entries;
}

Hash wide_integer(ByteView integer) {
  Hash out;
  std::ranges::copy(integer, out.bytes.end() - static_cast<std::ptrdiff_t>(integer.size()));
  return out;
}

Hash price_paid(const TransactionFields& fields, const std::optional<Hash>& base_fee) {
  const Hash most = wide_integer(fields.price);
  if (!fields.has_tip() || !base_fee) return most;
  const auto wanted = sum(wide_integer(fields.tip), *base_fee);
  return wanted && *wanted < most ? *wanted : most;
}

Hash signing_hash(const TransactionFields& fields) {
  RlpWriter out;
  out.begin_list();
  out.item(fields.unsigned_items);
  if (fields.type == 0 && fields.chain_id) {
    out.integer(fields.chain_id->view());
    out.number(0);
    out.number(0);
  }
  out.end_list();
  std::vector<std::byte> bytes = out.take();
  if (fields.type > 0) bytes.insert(bytes.begin(), static_cast<std::byte>(fields.type));
  return keccak_hash(bytes);
}

Address contract_address(const Address& sender, std::uint64_t nonce) {
  RlpWriter out;
  out.begin_list();
  out.bytes(sender.view());
  out.number(nonce);
  out.end_list();
  return Address::from_bytes(keccak_hash(out.take()).view().subspan(12));
}

}  // namespace bloomery::ethlog
