#include "apps/ethlog/model/receipts.h"

#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/trie_root.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/ethereum_bloom.h"

namespace bloomery::ethlog {
namespace {

constexpr std::byte kSuccess[] = {std::byte{1}};

void append_outcome(RlpWriter& out, const Receipt& receipt,
                    FailedStatus failed = FailedStatus::kNoBytes) {
  constexpr std::byte kZero[] = {std::byte{0}};
  if (receipt.state_root)
    out.bytes(receipt.state_root->bytes);
  else if (receipt.succeeded)
    out.bytes(kSuccess);
  else
    out.bytes(failed == FailedStatus::kZeroByte ? ByteView{kZero} : ByteView{});
}

void append_logs(RlpWriter& out, const Receipt& receipt) {
  out.begin_list();
  for (const Log& log : receipt.logs) {
    out.begin_list();
    out.bytes(log.address.bytes);
    out.begin_list();
    for (const Topic& topic : log.topics) out.bytes(topic.bytes);
    out.end_list();
    out.bytes(log.data);
    out.end_list();
  }
  out.end_list();
}

enum class TypeField : std::uint8_t { kNone, kFirst };

std::vector<std::byte> encode_without_blooms(std::span<const Receipt> receipts, TypeField type) {
  RlpWriter out;
  out.begin_list();
  for (const Receipt& receipt : receipts) {
    out.begin_list();
    if (type == TypeField::kFirst) out.number(receipt.type);
    append_outcome(out, receipt);
    out.number(receipt.cumulative_gas_used);
    append_logs(out, receipt);
    out.end_list();
  }
  out.end_list();
  return out.take();
}

void read_outcome(RlpReader& items, Receipt& receipt, RlpFailure& failure) {
  const ByteView outcome = items.bytes("status or state root of a receipt");
  if (outcome.size() == Hash::kSize)
    receipt.state_root = Hash::from_bytes(outcome);
  else if (outcome.size() == 1 && outcome[0] == kSuccess[0])
    receipt.succeeded = true;
  else if (!outcome.empty())
    failure.set(ErrorCode::kMalformed,
                message("receipt: the first item should be a state root of 32 bytes, 0x01 for "
                        "success or empty for failure; it is ",
                        to_hex(outcome.first(std::min<std::size_t>(outcome.size(), 40)))));
}

enum class LogTail : std::uint8_t { kNone, kDerivedFields };

Log read_log(RlpReader items, LogTail tail, RlpFailure& failure) {
  Log log;
  log.address = items.fixed<20>("address of a log");
  RlpReader topics = items.list("topics of a log");
  while (!topics.done()) {
    if (log.topics.full()) {
      failure.set(ErrorCode::kMalformed, "log: it has more than four topics");
      break;
    }
    log.topics.push_back(topics.fixed<32>("topic of a log"));
  }
  const ByteView data = items.bytes("data of a log");
  log.data.assign(data.begin(), data.end());
  if (tail == LogTail::kNone) items.expect_end("log");
  return log;
}

void read_logs(RlpReader& items, Receipt& receipt, LogTail tail, RlpFailure& failure) {
  RlpReader logs = items.list("logs of a receipt");
  while (!logs.done()) receipt.logs.push_back(read_log(logs.list("log"), tail, failure));
}

Receipt read_consensus(RlpReader items, RlpFailure& failure) {
  Receipt receipt;
  read_outcome(items, receipt, failure);
  receipt.cumulative_gas_used = items.number("cumulative gas of a receipt");
  receipt.bloom = items.fixed<256>("bloom of a receipt");
  read_logs(items, receipt, LogTail::kNone, failure);
  items.expect_end("receipt");
  return receipt;
}

Receipt read_consensus_bytes(ByteView bytes, RlpFailure& failure) {
  const auto first = bytes.empty() ? 0U : std::to_integer<unsigned>(bytes[0]);
  if (first >= 0xc0) return read_consensus(RlpReader::of_list(bytes, failure, "receipt"), failure);
  if (first == 0 || first >= 0x80) {
    failure.set(ErrorCode::kMalformed,
                "receipt: it should begin with a list, or with a type from 1 to 127");
    return {};
  }
  Receipt receipt =
      read_consensus(RlpReader::of_list(bytes.subspan(1), failure, "typed receipt"), failure);
  receipt.type = static_cast<std::uint8_t>(first);
  return receipt;
}

// Three generations of geth's database, distinguished by the number of items: three since 2019; six
// in database version 4; seven, with the bloom, in version 3. The old ones carry fields that the
// block gives too; only the transaction hash is kept.
Receipt read_storage(ByteView whole, RlpFailure& failure) {
  RlpReader items = RlpReader::of_list(whole, failure, "stored receipt");
  Receipt receipt;
  std::size_t count = 0;
  for (RlpReader ahead = items; !ahead.done(); ++count)
    (void)ahead.item("item of a stored receipt");
  if (!failure && count != 3 && count != 6 && count != 7)
    failure.set(ErrorCode::kMalformed,
                message("stored receipt: 3, 6 or 7 items were expected, not ", count));
  read_outcome(items, receipt, failure);
  receipt.cumulative_gas_used = items.number("cumulative gas of a receipt");
  if (count == 7) receipt.bloom = items.fixed<256>("bloom of a receipt");
  if (count > 3) {
    receipt.transaction_hash = items.fixed<32>("transaction hash of a receipt");
    (void)items.fixed<20>("contract address of a receipt");
  }
  read_logs(items, receipt, count > 3 ? LogTail::kDerivedFields : LogTail::kNone, failure);
  if (count > 3) (void)items.number("gas of a receipt");
  return receipt;
}

Receipt read_slim(RlpReader items, RlpFailure& failure) {
  Receipt receipt;
  const std::uint64_t type = items.number("type of a receipt");
  if (type > 0x7f)
    failure.set(ErrorCode::kMalformed,
                message("receipt: the type should be from 0 to 127, not ", type));
  receipt.type = static_cast<std::uint8_t>(type);
  read_outcome(items, receipt, failure);
  receipt.cumulative_gas_used = items.number("cumulative gas of a receipt");
  read_logs(items, receipt, LogTail::kNone, failure);
  items.expect_end("receipt");
  return receipt;
}

// read(list) takes one receipt from the cursor.
template <class Read>
Result<std::vector<Receipt>> read_list(ByteView rlp, RlpFailure& failure, Read read) {
  RlpReader list = RlpReader::of_list(rlp, failure, "list of receipts");
  std::vector<Receipt> receipts;
  while (!list.done()) receipts.push_back(read(list));
  if (failure) return failure.error();
  return receipts;
}

}  // namespace

Bloom bloom_of(const Receipt& receipt) { return bloom_of(std::span{&receipt, 1}); }

Bloom bloom_of(std::span<const Receipt> receipts) {
  EthereumBloom bloom;
  EthereumBloomBatch batch;  // the hash is what costs: all keys of a block share its lanes
  for (const Receipt& receipt : receipts)
    for (const Log& log : receipt.logs) {
      batch.insert(log.address.bytes, bloom);
      for (const Topic& topic : log.topics) batch.insert(topic.bytes, bloom);
    }
  batch.flush();
  return Bloom::from_bytes(bloom.bytes());
}

std::vector<Bloom> blooms_of(std::span<const Receipt> receipts) {
  std::vector<EthereumBloom> blooms(receipts.size());
  EthereumBloomBatch batch;
  for (std::size_t i = 0; i < receipts.size(); ++i)
    for (const Log& log : receipts[i].logs) {
      batch.insert(log.address.bytes, blooms[i]);
      for (const Topic& topic : log.topics) batch.insert(topic.bytes, blooms[i]);
    }
  batch.flush();
  std::vector<Bloom> out;
  out.reserve(blooms.size());
  for (const EthereumBloom& bloom : blooms) out.push_back(Bloom::from_bytes(bloom.bytes()));
  return out;
}

namespace {

std::vector<std::byte> encode_with_bloom(const Receipt& receipt, const Bloom& bloom,
                                         FailedStatus failed) {
  RlpWriter out;
  // Not an RLP item: the type stands bare before the list.
  const std::byte type[] = {static_cast<std::byte>(receipt.type)};
  if (receipt.type != 0) out.item(type);
  out.begin_list();
  append_outcome(out, receipt, failed);
  out.number(receipt.cumulative_gas_used);
  out.bytes(bloom.bytes);
  append_logs(out, receipt);
  out.item(receipt.further_items);
  out.end_list();
  return out.take();
}

}  // namespace

std::vector<std::byte> encode_consensus(const Receipt& receipt) {
  return encode_with_bloom(receipt, receipt.bloom ? *receipt.bloom : bloom_of(receipt),
                           FailedStatus::kNoBytes);
}

std::vector<std::byte> encode_consensus_list(std::span<const Receipt> receipts) {
  RlpWriter out;
  out.begin_list();
  for (const Receipt& receipt : receipts) {
    const std::vector<std::byte> encoded = encode_consensus(receipt);
    if (receipt.type == 0)
      out.item(encoded);
    else
      out.bytes(encoded);
  }
  out.end_list();
  return out.take();
}

Result<Receipt> decode_consensus(ByteView bytes) {
  RlpFailure failure;
  Receipt receipt = read_consensus_bytes(bytes, failure);
  if (failure) return failure.error();
  return receipt;
}

Result<std::vector<Receipt>> decode_consensus_list(ByteView rlp) {
  RlpFailure failure;
  return read_list(rlp, failure, [&](RlpReader& list) {
    if (list.next_is_list()) return read_consensus(list.list("receipt"), failure);
    const ByteView typed = list.bytes("typed receipt");
    if (!typed.empty() && std::to_integer<unsigned>(typed[0]) >= 0xc0)
      failure.set(ErrorCode::kMalformed, "receipt: one without a type is wrapped as a string");
    return read_consensus_bytes(typed, failure);
  });
}

std::vector<std::byte> encode_storage(std::span<const Receipt> receipts) {
  return encode_without_blooms(receipts, TypeField::kNone);
}

Result<std::vector<Receipt>> decode_storage(ByteView rlp) {
  RlpFailure failure;
  return read_list(rlp, failure, [&](RlpReader& list) {
    return read_storage(list.item("stored receipt"), failure);
  });
}

std::vector<std::byte> encode_slim(std::span<const Receipt> receipts) {
  return encode_without_blooms(receipts, TypeField::kFirst);
}

Result<std::vector<Receipt>> decode_slim(ByteView rlp) {
  RlpFailure failure;
  return read_list(rlp, failure,
                   [&](RlpReader& list) { return read_slim(list.list("receipt"), failure); });
}

Hash receipts_root_of(std::span<const Receipt> receipts) {
  return receipts_root_of(receipts, blooms_of(receipts));
}

Hash receipts_root_of(std::span<const Receipt> receipts, std::span<const Bloom> blooms,
                      FailedStatus failed) {
  std::vector<std::vector<std::byte>> encoded;
  encoded.reserve(receipts.size());
  for (std::size_t i = 0; i < receipts.size(); ++i)
    encoded.push_back(
        encode_with_bloom(receipts[i], receipts[i].bloom.value_or(blooms[i]), failed));
  return ordered_trie_root(std::vector<ByteView>{encoded.begin(), encoded.end()});
}

}  // namespace bloomery::ethlog
