#include "apps/ethlog/store/freezer.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

std::optional<std::filesystem::path> folder_of_tables(const std::filesystem::path& folder) {
  for (const char* below : {"ancient/chain", "ancient", "chain", "."}) {
    std::error_code ignored;
    std::filesystem::path candidate = folder / below;
    if (std::filesystem::exists(candidate / "hashes.ridx", ignored)) return candidate;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<Freezer>> Freezer::open(const std::filesystem::path& folder,
                                             DecodeLimits limits) {
  const auto tables = folder_of_tables(folder);
  if (!tables) return std::optional<Freezer>{};
  Result<FreezerTable> hashes = FreezerTable::open(*tables, "hashes", limits);
  if (!hashes) return hashes.error();
  Result<FreezerTable> headers = FreezerTable::open(*tables, "headers", limits);
  if (!headers) return headers.error();
  Result<FreezerTable> bodies = FreezerTable::open(*tables, "bodies", limits);
  if (!bodies) return bodies.error();
  Result<FreezerTable> receipts = FreezerTable::open(*tables, "receipts", limits);
  if (!receipts) return receipts.error();
  // A node prunes both together. A tail that was altered would hide blocks.
  if (bodies->first() != receipts->first())
    return Error{ErrorCode::kMalformed,
                 message(tables->string(), ": bodies begin with block ", bodies->first(),
                         ", but receipts with block ", receipts->first(),
                         ": bodies.meta or receipts.meta is damaged")};
  return std::optional{
      Freezer{std::move(*hashes), std::move(*headers), std::move(*bodies), std::move(*receipts)}};
}

std::uint64_t Freezer::end() const {
  return std::min({hashes_.end(), headers_.end(), bodies_.end(), receipts_.end()});
}

std::uint64_t Freezer::first_with_receipts() const { return receipts_.first(); }

Result<std::optional<std::vector<std::byte>>> Freezer::value(const FreezerTable& table,
                                                             std::uint64_t number) const {
  if (number >= end()) return std::optional<std::vector<std::byte>>{};
  return table.value(number);
}

Result<std::optional<Hash>> Freezer::hash(std::uint64_t number) const {
  const auto raw = value(hashes_, number);
  if (!raw) return raw.error();
  if (!*raw) return std::optional<Hash>{};
  if ((*raw)->size() != Hash::kSize)
    return Error{ErrorCode::kMalformed, message("freezer table hashes: value ", number,
                                                " should have 32 bytes, not ", (*raw)->size())};
  return std::optional{Hash::from_bytes(**raw)};
}

Result<std::optional<std::vector<std::byte>>> Freezer::header(std::uint64_t number) const {
  return value(headers_, number);
}
Result<std::optional<std::vector<std::byte>>> Freezer::body(std::uint64_t number) const {
  return value(bodies_, number);
}
Result<std::optional<std::vector<std::byte>>> Freezer::receipts(std::uint64_t number) const {
  return value(receipts_, number);
}

Result<std::optional<ImportedBlock>> Freezer::block(std::uint64_t number) const {
  const auto stored_hash = hash(number);
  if (!stored_hash) return stored_hash.error();
  auto stored_header = header(number);
  if (!stored_header) return stored_header.error();
  if (!*stored_hash || !*stored_header) return std::optional<ImportedBlock>{};
  auto stored_body = body(number);
  if (!stored_body) return stored_body.error();
  auto stored_receipts = receipts(number);
  if (!stored_receipts) return stored_receipts.error();
  auto block = block_from_parts(
      number, **stored_hash,
      {std::move(**stored_header), std::move(*stored_body), std::move(*stored_receipts)});
  if (!block) return block.error();
  return std::optional{std::move(*block)};
}

}  // namespace bloomery::ethlog
