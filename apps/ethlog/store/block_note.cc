#include "apps/ethlog/store/block_note.h"

#include <algorithm>

#include "apps/ethlog/model/rlp.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kNoteVersion = 1;
constexpr std::uint64_t kNoteWithFurtherParts = 2;
constexpr std::uint64_t kTypesKnown = 1;
constexpr std::uint64_t kReceiptsComplete = 2;  // older notes never say so

std::uint64_t bits_of(const Verified& v) {
  return std::uint64_t{v.header_hash} | std::uint64_t{v.parent_link} << 1 |
         std::uint64_t{v.bloom} << 2 | std::uint64_t{v.receipts_root} << 3 |
         std::uint64_t{v.body} << 4;
}

Verified verified_from(std::uint64_t bits) {
  return {.header_hash = (bits & 1) != 0,
          .parent_link = (bits & 2) != 0,
          .bloom = (bits & 4) != 0,
          .receipts_root = (bits & 8) != 0,
          .body = (bits & 16) != 0};
}

ByteView bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

void write_optional(RlpWriter& out, const std::optional<Hash>& hash) {
  out.bytes(hash ? hash->view() : ByteView{});
}

std::optional<Hash> read_optional(RlpReader& in, RlpFailure& failure, std::string_view what) {
  const ByteView raw = in.bytes(what);
  if (raw.empty()) return std::nullopt;
  if (raw.size() == Hash::kSize) return Hash::from_bytes(raw);
  failure.set(ErrorCode::kMalformed, message("the ", what, " in a block's note has ", raw.size(),
                                             " bytes, but a hash has 32"));
  return std::nullopt;
}

// Only where there is no RLP to take it from.
void write_header(RlpWriter& out, const Header& header) {
  out.begin_list();
  if (header.rlp.empty()) {
    out.bytes(header.hash.view());
    out.number(header.number);
    out.number(header.timestamp);
    out.bytes(header.bloom.view());
    write_optional(out, header.parent_hash);
    write_optional(out, header.uncles_hash);
    write_optional(out, header.transactions_root);
    write_optional(out, header.receipts_root);
    write_optional(out, header.withdrawals_root);
  }
  out.end_list();
}

void read_header(RlpReader in, RlpFailure& failure, Header& header) {
  if (in.done()) return;
  header.hash = in.fixed<32>("block hash");
  header.number = in.number("block number");
  header.timestamp = in.number("timestamp");
  header.bloom = in.fixed<256>("logs bloom");
  header.parent_hash = read_optional(in, failure, "parent hash");
  header.uncles_hash = read_optional(in, failure, "uncles hash");
  header.transactions_root = read_optional(in, failure, "transactions root");
  header.receipts_root = read_optional(in, failure, "receipts root");
  header.withdrawals_root = read_optional(in, failure, "withdrawals root");
}

// Types and transaction hashes come from the body where there is one.
void write_receipts(RlpWriter& out, const ImportedBlock& block) {
  const bool in_body = !block.body_rlp.empty();
  out.begin_list();
  // Those that are not stored must not be spoken of either: a reader would refuse the note.
  if (block.has_receipts)
    for (const Receipt& receipt : block.receipts) {
      out.begin_list();
      out.number(in_body ? 0 : receipt.type);
      out.bytes(bytes_of(receipt.extra_json));
      out.end_list();
    }
  out.end_list();
  out.begin_list();
  if (!in_body)
    for (const Hash& hash : block.transaction_hashes) out.bytes(hash.view());
  out.end_list();
}

void read_receipts(RlpReader& in, RlpFailure& failure, ImportedBlock& block) {
  RlpReader receipts = in.list("receipts of a note");
  std::size_t i = 0;
  for (; !receipts.done() && i < block.receipts.size(); ++i) {
    RlpReader receipt = receipts.list("receipt of a note");
    const std::uint64_t type = receipt.number("type of a receipt");
    if (type > 0xff) failure.set(ErrorCode::kMalformed, "a receipt's type in a note is too large");
    if (block.body_rlp.empty()) block.receipts[i].type = static_cast<std::uint8_t>(type);
    const ByteView extra = receipt.bytes("further members of a receipt");
    block.receipts[i].extra_json.assign(reinterpret_cast<const char*>(extra.data()), extra.size());
  }
  receipts.expect_end("receipts of a note");
  if (i != block.receipts.size())
    failure.set(ErrorCode::kMalformed, "a block's note has fewer receipts than are stored");
  RlpReader hashes = in.list("transactions of a note");
  if (hashes.done()) return;
  block.transaction_hashes.clear();
  while (!hashes.done()) block.transaction_hashes.push_back(hashes.fixed<32>("transaction hash"));
  for (std::size_t k = 0; k < block.receipts.size() && k < block.transaction_hashes.size(); ++k)
    block.receipts[k].transaction_hash = block.transaction_hashes[k];
}

bool has_further_parts(const ImportedBlock& block) {
  return !block.header_json.empty() || !block.transaction_json.empty() ||
         (block.has_receipts && std::ranges::any_of(block.receipts, [](const Receipt& receipt) {
            return !receipt.further_items.empty();
          }));
}

void write_further_parts(RlpWriter& out, const ImportedBlock& block) {
  out.bytes(bytes_of(block.header_json));
  out.begin_list();
  for (const std::string& one : block.transaction_json) out.bytes(bytes_of(one));
  out.end_list();
  out.begin_list();
  if (block.has_receipts)
    for (const Receipt& receipt : block.receipts) out.bytes(receipt.further_items);
  out.end_list();
}

void read_further_parts(RlpReader& in, ImportedBlock& block) {
  block.header_json = text_of(in.bytes("further members of a header"));
  RlpReader transactions = in.list("further members of transactions");
  block.transaction_json.clear();
  while (!transactions.done())
    block.transaction_json.emplace_back(text_of(transactions.bytes("members of a transaction")));
  RlpReader receipts = in.list("further items of receipts");
  for (std::size_t i = 0; !receipts.done() && i < block.receipts.size(); ++i) {
    const ByteView items = receipts.bytes("further items of a receipt");
    block.receipts[i].further_items.assign(items.begin(), items.end());
  }
  receipts.expect_end("further items of receipts");
}

}  // namespace

std::vector<std::byte> encode_note(const ImportedBlock& block) {
  const bool further = has_further_parts(block);
  RlpWriter out;
  out.begin_list();
  out.number(further ? kNoteWithFurtherParts : kNoteVersion);
  out.number(bits_of(block.verified));
  out.number((block.receipt_types_known ? kTypesKnown : 0) |
             (block.receipts_complete ? kReceiptsComplete : 0));
  write_header(out, block.header);
  write_receipts(out, block);
  if (further) write_further_parts(out, block);
  out.end_list();
  return out.take();
}

Status apply_note(ByteView note, ImportedBlock& block) {
  RlpFailure failure;
  RlpReader in = RlpReader::of_list(note, failure, "note of a block");
  const std::uint64_t version = in.number("version of a note");
  if (!failure && version != kNoteVersion && version != kNoteWithFurtherParts)
    return Error{ErrorCode::kUnsupported,
                 message("a block's note has version ", version, ", but this program reads ",
                         kNoteVersion, " and ", kNoteWithFurtherParts, "; upgrade bloomery")};
  block.verified = verified_from(in.number("checks of a note"));
  const std::uint64_t known = in.number("types of a note");
  read_header(in.list("header of a note"), failure, block.header);
  read_receipts(in, failure, block);
  if (version == kNoteWithFurtherParts) read_further_parts(in, block);
  if (block.body_rlp.empty()) block.receipt_types_known = (known & kTypesKnown) != 0;
  block.receipts_complete = (known & kReceiptsComplete) != 0 || block.verified.receipts_root;
  in.expect_end("note of a block");
  if (failure) return failure.error();
  return ok();
}

}  // namespace bloomery::ethlog
