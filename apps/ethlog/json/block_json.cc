#include "apps/ethlog/json/block_json.h"

#include "apps/ethlog/json/json_object.h"
#include "apps/ethlog/json/transaction_json.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

struct HeaderText {
  std::string_view name;
  std::string text;  // empty: the header has no such member
};

std::string text_of(const HeaderMember& member, RlpReader& items) {
  switch (member.kind) {
    case HeaderMember::Kind::kInteger:
      return quantity_of(items.integer(member.name));
    case HeaderMember::Kind::kFixed:
    case HeaderMember::Kind::kBytes:
      break;
  }
  return to_hex(items.bytes(member.name));
}

template <class T>
std::string hex_or_nothing(const std::optional<T>& value) {
  return value ? value->hex() : std::string{};
}

// Of a header whose source gave no RLP.
std::string known_member(const Header& header, std::string_view name) {
  if (name == "parentHash") return hex_or_nothing(header.parent_hash);
  if (name == "sha3Uncles") return hex_or_nothing(header.uncles_hash);
  if (name == "transactionsRoot") return hex_or_nothing(header.transactions_root);
  if (name == "receiptsRoot") return hex_or_nothing(header.receipts_root);
  if (name == "withdrawalsRoot") return hex_or_nothing(header.withdrawals_root);
  if (name == "logsBloom") return header.bloom.hex();
  if (name == "number") return to_quantity(header.number);
  if (name == "timestamp") return to_quantity(header.timestamp);
  return {};
}

std::vector<HeaderText> members_of(const Header& header) {
  std::vector<HeaderText> members;
  RlpFailure failure;
  // A header that is stored was decoded once already.
  RlpReader items = header.rlp.empty() ? RlpReader{{}, failure}
                                       : RlpReader::of_list(header.rlp, failure, "block header");
  for (const HeaderMember& member : header_members())
    members.push_back({member.name, !header.rlp.empty()
                                        ? (items.done() ? std::string{} : text_of(member, items))
                                        : known_member(header, member.name)});
  return members;
}

void add_header(JsonObject& object, const Header& header) {
  for (const HeaderText& member : members_of(header))
    if (!member.text.empty()) object.text(member.name, member.text);
  object.data("hash", header.hash.view());
}

template <class Range, class HashOf>
std::string list_of_hashes(const Range& all, const HashOf& hash_of) {
  std::string list = "[";
  for (const auto& one : all) {
    list += list.size() > 1 ? ",\"" : "\"";
    append_hex(list, hash_of(one).view());
    list += '"';
  }
  return list + "]";
}

std::string uncle_hashes(ByteView list) {
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(list, failure, "uncles");
  std::vector<ByteView> uncles;
  while (!items.done()) uncles.push_back(items.item("uncle"));
  return list_of_hashes(uncles, keccak_hash);
}

std::string withdrawal_list(const std::vector<ByteView>& withdrawals) {
  std::string list = "[";
  for (const ByteView one : withdrawals) {
    RlpFailure failure;
    RlpReader items = RlpReader::of_list(one, failure, "withdrawal");
    list += list.size() > 1 ? ",{" : "{";
    list += "\"index\":\"" + to_quantity(items.number("index"));
    list += "\",\"validatorIndex\":\"" + to_quantity(items.number("validator"));
    list += "\",\"address\":\"" + items.fixed<20>("address").hex();
    list += "\",\"amount\":\"" + to_quantity(items.number("amount")) + "\"}";
  }
  return list + "]";
}

// Of the block's RLP, [header, transactions, uncles, withdrawals?].
std::uint64_t block_bytes(const ImportedBlock& block) {
  RlpFailure failure;
  RlpReader parts = RlpReader::of_list(block.body_rlp, failure, "body");
  RlpWriter out;
  out.begin_list();
  out.item(block.header.rlp);
  while (!parts.done()) out.item(parts.item("part of a body"));
  out.end_list();
  return out.size();
}

// Without a body there may still be hashes from the import, or the root of an empty list.
void add_transactions(JsonObject& object, const ImportedBlock& block) {
  static const Hash empty_root = keccak_hash(bytes_of("\x80"));
  const auto itself = [](const Hash& hash) { return hash; };
  if (!block.transaction_hashes.empty() || block.header.transactions_root == empty_root)
    object.raw("transactions", list_of_hashes(block.transaction_hashes, itself));
}

std::string stored_transactions(const ImportedBlock& block) {
  std::string list = "[";
  for (std::size_t i = 0; i < block.transaction_hashes.size(); ++i) {
    if (i > 0) list += ',';
    append_stored_transaction_json(list, block, i);
  }
  return list + "]";
}

std::string whole_transactions(const ImportedBlock& block, const BlockTransactions& transactions) {
  std::string list = "[";
  for (std::size_t i = 0; i < transactions.body.transactions.size(); ++i) {
    if (i > 0) list += ',';
    append_transaction_json(list, block, transactions, i);
  }
  return list + "]";
}

}  // namespace

void append_header_json(std::string& out, const Header& header) {
  out += '{';
  const auto members = members_of(header);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool of_a_fork = i >= kMandatoryHeaderMembers;
    if (members[i].text.empty() && !of_a_fork) continue;
    out += '"';
    out += members[i].name;
    out += members[i].text.empty() ? "\":null," : "\":\"" + members[i].text + "\",";
  }
  out += "\"hash\":\"" + header.hash.hex() + "\"}";
}

void append_block_header_json(std::string& out, const Header& header) {
  JsonObject object;
  add_header(object, header);
  object.append_to(out);
}

void append_block_json(std::string& out, const ImportedBlock& block, TransactionList list) {
  JsonObject object;
  add_members(object, block.header_json);
  add_header(object, block.header);
  add_transactions(object, block);
  if (list == TransactionList::kWhole && has_stored_transactions(block))
    object.raw("transactions", stored_transactions(block));
  const auto read = transactions_of(block);
  if (read && *read) {
    const Body& body = (*read)->body;
    object.raw("transactions", list == TransactionList::kWhole
                                   ? whole_transactions(block, **read)
                                   : list_of_hashes(body.transactions, [](const Transaction& one) {
                                       return one.hash();
                                     }));
    object.raw("uncles", uncle_hashes(body.uncles));
    if (body.withdrawals) object.raw("withdrawals", withdrawal_list(*body.withdrawals));
    if (!block.header.rlp.empty()) object.quantity("size", block_bytes(block));
  }
  object.append_to(out);
}

}  // namespace bloomery::ethlog
