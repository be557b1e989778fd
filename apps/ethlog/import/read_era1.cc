#include "apps/ethlog/import/read_era1.h"

#include "apps/ethlog/import/era_accumulator.h"
#include "apps/ethlog/model/header.h"
#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/store/snappy_frames.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error in_block(std::uint64_t number, std::string_view part, const Error& inner) {
  return {inner.code,
          message("era file, block ", number, ": its ", part, " cannot be read: ", inner.message)};
}

// A part of a block, decompressed.
Result<std::vector<std::byte>> unpacked_value(const ReadAt& file, const E2Entry& entry,
                                              DecodeLimits limits) {
  const auto stored = value_of(file, entry);
  if (!stored) return stored.error();
  return decode_snappy_frames(*stored, limits);
}

Result<Header> read_header(const ReadAt& file, const E2Entry& entry, std::uint64_t number,
                           DecodeLimits limits) {
  const auto rlp = unpacked_value(file, entry, limits);
  if (!rlp) return in_block(number, "header", rlp.error());
  Result<Header> header = decode_header(*rlp);
  if (!header) return in_block(number, "header", header.error());
  if (header->number != number)
    return Error{ErrorCode::kMalformed, message("era file: the header of block ", header->number,
                                                " stands where block ", number, " belongs")};
  return header;
}

}  // namespace

Result<EraReader> EraReader::open(ReadAt file, DecodeLimits limits) {
  Result<EraLayout> layout = read_era_layout(file);
  if (!layout) return layout.error();
  EraReader reader{std::move(file), std::move(*layout), limits};
  if (const Status s = reader.check_headers(); !s) return s.error();
  return reader;
}

Status EraReader::check_headers() {
  std::vector<Hash> hashes;
  hashes.reserve(blocks());
  for (std::size_t i = 0; i < blocks(); ++i) {
    const Result<Header> header =
        read_header(file_, layout_.blocks[i].header, first_block() + i, limits_);
    if (!header) return header.error();
    if (i > 0 && *header->parent_hash != hashes.back())
      return Error{
          ErrorCode::kMalformed,
          message("era file: the parent of block ", header->number, " is ",
                  header->parent_hash->hex(), ", but the block before is ", hashes.back().hex())};
    hashes.push_back(header->hash);
  }
  return check_accumulator(hashes);
}

// Over the blocks that have a total difficulty: those before the merge, which come first.
Status EraReader::check_accumulator(std::span<const Hash> hashes) {
  if (!layout_.accumulator) return ok();
  const auto stored = value_of(file_, *layout_.accumulator);
  if (!stored) return stored.error();
  if (stored->size() != Hash::kSize)
    return Error{ErrorCode::kMalformed,
                 message("era file: the accumulator should have 32 bytes, not ", stored->size())};
  std::vector<HeaderRecord> records;
  for (std::size_t i = 0; i < blocks() && layout_.blocks[i].total_difficulty; ++i) {
    const auto difficulty = value_of(file_, *layout_.blocks[i].total_difficulty);
    if (!difficulty) return difficulty.error();
    if (difficulty->size() != Hash::kSize)
      return Error{ErrorCode::kMalformed,
                   message("era file: the total difficulty of block ", first_block() + i,
                           " should have 32 bytes, not ", difficulty->size())};
    records.push_back({hashes[i], Hash::from_bytes(*difficulty)});
  }
  const Hash computed = era_accumulator(records);
  if (computed != Hash::from_bytes(*stored))
    return Error{ErrorCode::kMalformed,
                 message("era file: its blocks give the accumulator ", computed.hex(),
                         ", but it says ", to_hex(*stored), ": blocks are altered or missing")};
  accumulator_ = computed;
  return ok();
}

Result<ImportedBlock> EraReader::read_block(std::size_t index) const {
  const EraBlock& parts = layout_.blocks[index];
  const std::uint64_t number = first_block() + index;
  ImportedBlock block;
  Result<Header> header = read_header(file_, parts.header, number, limits_);
  if (!header) return header.error();
  block.header = std::move(*header);
  auto body = unpacked_value(file_, parts.body, limits_);
  if (!body) return in_block(number, "body", body.error());
  block.body_rlp = std::move(*body);
  if (!parts.receipts) return block;
  const auto rlp = unpacked_value(file_, *parts.receipts, limits_);
  if (!rlp) return in_block(number, "list of receipts", rlp.error());
  auto receipts = parts.receipts->type == EntryType::kSlimReceipts ? decode_slim(*rlp)
                                                                   : decode_consensus_list(*rlp);
  if (!receipts) return in_block(number, "list of receipts", receipts.error());
  block.receipts = std::move(*receipts);
  block.has_receipts = true;
  return block;
}

Result<std::optional<ImportedBlock>> EraReader::next() {
  if (next_ == blocks()) return std::optional<ImportedBlock>{};
  Result<ImportedBlock> block = read_block(next_++);
  if (!block) return block.error();
  return std::optional{std::move(*block)};
}

}  // namespace bloomery::ethlog
