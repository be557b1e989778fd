#include "apps/ethlog/model/header.h"

#include <array>

#include "apps/ethlog/model/rlp.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Kind = HeaderMember::Kind;

constexpr std::array<HeaderMember, 21> kMembers{{
    {"parentHash", Kind::kFixed, 32},
    {"sha3Uncles", Kind::kFixed, 32},
    {"miner", Kind::kFixed, 20},
    {"stateRoot", Kind::kFixed, 32},
    {"transactionsRoot", Kind::kFixed, 32},
    {"receiptsRoot", Kind::kFixed, 32},
    {"logsBloom", Kind::kFixed, 256},
    {"difficulty", Kind::kInteger, 0},
    {"number", Kind::kInteger, 0},
    {"gasLimit", Kind::kInteger, 0},
    {"gasUsed", Kind::kInteger, 0},
    {"timestamp", Kind::kInteger, 0},
    {"extraData", Kind::kBytes, 0},
    {"mixHash", Kind::kFixed, 32},
    {"nonce", Kind::kFixed, 8},
    {"baseFeePerGas", Kind::kInteger, 0},         // London
    {"withdrawalsRoot", Kind::kFixed, 32},        // Shanghai
    {"blobGasUsed", Kind::kInteger, 0},           // Cancun
    {"excessBlobGas", Kind::kInteger, 0},         // Cancun
    {"parentBeaconBlockRoot", Kind::kFixed, 32},  // Cancun
    {"requestsHash", Kind::kFixed, 32},           // Prague
}};

// Header items are short; the longest honest ones are a bloom and a clique signature list.
constexpr std::size_t kMostHeaderBytes = 64 << 10;

Status append_member(RlpWriter& out, const HeaderMember& member, std::string_view text) {
  const auto wrong = [&] {
    return Error{
        ErrorCode::kMalformed,
        message("the header member ", member.name, " should be ",
                member.kind == Kind::kFixed     ? message(member.size, " bytes of data")
                : member.kind == Kind::kInteger ? std::string{"a quantity of at most 32 bytes"}
                                                : std::string{"data"},
                " written as 0x and hexadecimal digits; it is \"", text.substr(0, 80), "\"")};
  };
  if (member.kind == Kind::kInteger) {
    const auto integer = integer_from_quantity(text);
    if (!integer) return wrong();
    out.integer(*integer);
    return ok();
  }
  const auto raw = bytes_from_hex(text);
  if (!raw || raw->size() > kMostHeaderBytes) return wrong();
  if (member.kind == Kind::kFixed && raw->size() != member.size) return wrong();
  out.bytes(*raw);
  return ok();
}

}  // namespace

std::span<const HeaderMember> header_members() { return kMembers; }

Result<Header> decode_header(ByteView rlp) {
  if (rlp.size() > kMostHeaderBytes)
    return Error{ErrorCode::kTooLarge,
                 message("a block header of ", rlp.size(), " bytes is longer than any; at most ",
                         kMostHeaderBytes, " are read")};
  RlpFailure failure;
  RlpReader items = RlpReader::of_list(rlp, failure, "block header");
  Header header;
  header.parent_hash = items.fixed<32>("parentHash of a block header");
  header.uncles_hash = items.fixed<32>("sha3Uncles of a block header");
  (void)items.fixed<20>("miner of a block header");
  (void)items.fixed<32>("stateRoot of a block header");
  header.transactions_root = items.fixed<32>("transactionsRoot of a block header");
  header.receipts_root = items.fixed<32>("receiptsRoot of a block header");
  header.bloom = items.fixed<256>("logsBloom of a block header");
  (void)items.integer("difficulty of a block header");
  header.number = items.number("number of a block header");
  (void)items.number("gasLimit of a block header");
  (void)items.number("gasUsed of a block header");
  header.timestamp = items.number("timestamp of a block header");
  (void)items.bytes("extraData of a block header");
  (void)items.fixed<32>("mixHash of a block header");
  (void)items.fixed<8>("nonce of a block header");
  if (!items.done()) (void)items.integer("baseFeePerGas of a block header");
  if (!items.done()) header.withdrawals_root = items.fixed<32>("withdrawalsRoot of a block header");
  while (!items.done()) (void)items.item("a later fork's item of a block header");
  if (failure) return failure.error();
  header.hash = keccak_hash(rlp);
  header.rlp.assign(rlp.begin(), rlp.end());
  return header;
}

Result<std::vector<std::vector<std::byte>>> encode_header_members(const MemberText& text_of) {
  std::vector<std::vector<std::byte>> items;
  bool whole = true;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const auto text = text_of(kMembers[i].name);
    if (!text && i >= kMandatoryHeaderMembers) break;
    whole = whole && text;
    if (!text) continue;
    RlpWriter out;
    if (const Status appended = append_member(out, kMembers[i], *text); !appended)
      return appended.error();
    items.push_back(out.take());
  }
  if (!whole) items.clear();
  return items;
}

Result<std::optional<std::vector<std::byte>>> encode_header(const MemberText& text_of) {
  const auto items = encode_header_members(text_of);
  if (!items) return items.error();
  if (items->empty()) return std::optional<std::vector<std::byte>>{};
  RlpWriter out;
  out.begin_list();
  for (const auto& item : *items) out.item(item);
  out.end_list();
  return std::optional{out.take()};
}

}  // namespace bloomery::ethlog
