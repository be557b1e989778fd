#include "apps/ethlog/json/json_header.h"

#include <algorithm>
#include <tuple>

#include "apps/ethlog/json/json_members.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

using Json = nlohmann::json;
using Encoded = std::vector<std::byte>;

// More members than these that we do not know are in no fork: their orders are not tried.
constexpr std::size_t kMostUnknown = 4;

// What a node's block has beside its header, and what our own archives have.
constexpr std::string_view kBesideHeader[] = {
    "block",     "bodyRlp",         "calls",        "hash",
    "headerRlp", "nLogs",           "nTxs",         "receipts",
    "size",      "totalDifficulty", "transactions", "txHashes",
    "uncles",    "verified",        "withdrawals",  "receiptsStorageRlp",
    "source"};

bool is_header_member(std::string_view name) {
  return std::ranges::find(header_members(), name, &HeaderMember::name) != header_members().end();
}

bool is_beside_header(std::string_view name) {
  return std::ranges::find(kBesideHeader, name) != std::end(kBesideHeader);
}

Encoded as_list(std::span<const Encoded> first, std::span<const Encoded> then = {}) {
  RlpWriter out;
  out.begin_list();
  for (const Encoded& item : first) out.item(item);
  for (const Encoded& item : then) out.item(item);
  out.end_list();
  return out.take();
}

// A hash or more as bytes, anything shorter as a quantity, which is how nodes write both.
std::optional<Encoded> encode_unknown(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr || text->size() > 2 + 2 * std::size_t{256}) return std::nullopt;
  RlpWriter out;
  if (text->size() >= 2 + 2 * Hash::kSize) {
    const auto raw = bytes_from_hex(*text);
    if (!raw) return std::nullopt;
    out.bytes(*raw);
  } else {
    const auto integer = integer_from_quantity(*text);
    if (!integer) return std::nullopt;
    out.integer(*integer);
  }
  return out.take();
}

std::vector<Encoded> unknown_members(const Json& json) {
  std::vector<Encoded> unknown;
  for (const auto& [name, value] : json.items())
    if (!is_header_member(name) && !is_beside_header(name))
      if (auto encoded = encode_unknown(value)) unknown.push_back(std::move(*encoded));
  return unknown;
}

// Every choice of the unknown members in every order, the shorter ones first. They can only follow
// all that are known: a reader would take them for one of those.
std::optional<Encoded> with_unknown(std::span<const Encoded> known, std::vector<Encoded> unknown,
                                    const Hash& hash) {
  if (unknown.empty() || unknown.size() > kMostUnknown || known.size() < header_members().size())
    return std::nullopt;
  std::vector<std::size_t> order(unknown.size());
  for (std::size_t count = 1; count <= unknown.size(); ++count) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    do {
      std::vector<Encoded> chosen;
      for (std::size_t i = 0; i < count; ++i) chosen.push_back(unknown[order[i]]);
      Encoded rlp = as_list(known, chosen);
      if (keccak_hash(rlp) == hash) return rlp;
      // What stands behind the chosen ones makes no difference.
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
    } while (std::ranges::next_permutation(order).found);
  }
  return std::nullopt;
}

// Nothing: no way of putting the members together gives the hash.
std::optional<Encoded> rlp_of_hash(const std::vector<Encoded>& known, const Json& json,
                                   const Hash& hash) {
  for (std::size_t count = known.size(); count >= kMandatoryHeaderMembers; --count) {
    Encoded rlp = as_list(std::span{known}.first(count));
    if (keccak_hash(rlp) == hash) return rlp;
  }
  return with_unknown(known, unknown_members(json), hash);
}

std::optional<std::string> member_text(const Json& json, std::string_view name) {
  const Json* found = member(json, name);
  if (found == nullptr) return std::nullopt;
  if (found->is_number_unsigned()) return to_quantity(found->get<std::uint64_t>());
  // A node of a chain that has no such thing may write it as no bytes.
  if (*found == "0x") return name == "extraData" ? std::optional<std::string>{"0x"} : std::nullopt;
  return found->is_string() ? found->get<std::string>() : std::string{};
}

// Sets the block's RLP where there is one that gives its hash.
Status read_members(const Json& json, ImportedBlock& block) {
  const auto items =
      encode_header_members([&](std::string_view name) { return member_text(json, name); });
  if (!items) return items.error();
  const std::string* said = text_member(json, "hash");
  const auto hash = said != nullptr ? Hash::from_hex(*said) : std::nullopt;
  if (items->empty()) return ok();
  if (!hash) {
    block.header.rlp = as_list(*items);
    return ok();
  }
  if (auto rlp = rlp_of_hash(*items, json, *hash); rlp && decode_header(*rlp))
    block.header.rlp = std::move(*rlp);
  else
    block.header_contradicts = unknown_members(json).empty();
  return ok();
}

// What the RLP, the body and the fields of Header do not give back.
void keep_header_members(const Json& json, ImportedBlock& block) {
  static constexpr std::string_view kInHeader[] = {
      "number",     "timestamp",        "logsBloom",    "parentHash",
      "sha3Uncles", "transactionsRoot", "receiptsRoot", "withdrawalsRoot"};
  std::size_t in_rlp = 0;
  if (!block.header.rlp.empty()) {
    RlpFailure failure;
    RlpReader items = RlpReader::of_list(block.header.rlp, failure, "block header");
    for (; !items.done() && in_rlp < header_members().size(); ++in_rlp) (void)items.item("member");
  }
  const auto known = header_members().first(in_rlp);
  const auto is_kept = [&](std::string_view name, const Json& value) {
    if (name == "size" || name == "totalDifficulty") return true;
    if (name == "uncles" || name == "withdrawals") return value.is_array() && !value.empty();
    if (is_beside_header(name)) return false;
    if (std::ranges::find(kInHeader, name) != std::end(kInHeader)) return false;
    return std::ranges::find(known, name, &HeaderMember::name) == known.end();
  };
  Json rest = Json::object();
  for (const auto& [name, value] : json.items())
    if (is_kept(name, value)) rest[name] = value;
  block.header_json = compact(rest);
}

}  // namespace

// What the members say besides is put over the RLP, for check_block to compare.
Status read_header(const Json& json, ImportedBlock& block) {
  Members members{json};
  std::optional<Encoded> given;
  if (!members.bytes("headerRlp", given)) return members.error();
  if (given)
    block.header.rlp = std::move(*given);
  else if (const Status s = read_members(json, block); !s)
    return s;
  Header header;
  const bool has_rlp = !block.header.rlp.empty();
  if (has_rlp) {
    Result<Header> decoded = decode_header(block.header.rlp);
    if (!decoded) return decoded.error();
    header = std::move(*decoded);
  }
  std::optional<Hash> hash;
  std::optional<std::uint64_t> number;
  std::optional<std::uint64_t> timestamp;
  std::optional<Bloom> bloom;
  if (!members.fixed("hash", hash) || !members.number("number", number) ||
      !members.number("timestamp", timestamp) || !members.fixed("logsBloom", bloom))
    return members.error();
  for (const auto& [name, there] : {std::pair{"hash", hash.has_value()},
                                    {"number", number.has_value()},
                                    {"logsBloom", bloom.has_value()}})
    if (!has_rlp && !there) return members.missing(name), members.error();
  for (const auto& [name, out] :
       {std::tuple<std::string_view, std::optional<Hash>&>{"parentHash", header.parent_hash},
        {"sha3Uncles", header.uncles_hash},
        {"transactionsRoot", header.transactions_root},
        {"receiptsRoot", header.receipts_root},
        {"withdrawalsRoot", header.withdrawals_root}}) {
    const std::string* text = text_member(json, name);
    if (!has_rlp && text != nullptr && *text == "0x") continue;
    // A root of a fork that the hash does not know of is no part of the header.
    if (has_rlp && !given && !out) continue;
    if (!members.fixed(name, out)) return members.error();
  }
  header.hash = hash.value_or(header.hash);
  header.number = number.value_or(header.number);
  header.timestamp = timestamp.value_or(header.timestamp);
  header.bloom = bloom.value_or(header.bloom);
  block.header = std::move(header);
  if (!given) keep_header_members(json, block);
  return ok();
}

}  // namespace bloomery::ethlog
