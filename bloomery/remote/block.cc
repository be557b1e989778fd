#include "bloomery/remote/block.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "bloomery/base/buffer.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/filter/block/view.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/native.h"

namespace bloomery {
namespace {

constexpr std::size_t kPage = RemoteFile::kPageBytes;

}  // namespace

struct RemoteBlock::State {
  RemoteFile file;
  NativeHeader header;
  KeyHash hash;
  Buffer body;
  BlockView<const std::byte> view;
  std::vector<bool> has_page;
  std::uint64_t missing;             // pages
  std::optional<Error> damage = {};  // what check_all() found

  void want(std::uint64_t body_offset, std::vector<std::uint64_t>& pages) const {
    const std::uint64_t page = (kNativeHeaderBytes + body_offset) / kPage;
    if (!has_page[static_cast<std::size_t>(page)]) pages.push_back(page);
  }
  void want_blocks(ByteView key, std::vector<std::uint64_t>& pages) const;
  Status fetch(std::span<const std::uint64_t> pages);
  Status check_all() const;
};

// The blocks of the key, and where each has a seed, its byte.
void RemoteBlock::State::want_blocks(ByteView key, std::vector<std::uint64_t>& pages) const {
  const BlockShape shape = header.block_shape();
  const Hash128 digest = hash.digest(key);
  block::LineWords words{digest.low, digest.high};
  for (std::uint32_t line = 0; line < shape.lines(); ++line) {
    if (line > 0) words = block::next_line(words);
    const std::uint64_t block = block::block_of(words.place, shape.blocks);
    want(block * block::kBlockBytes, pages);
    if (shape.seeded) want(shape.blocks * block::kBlockBytes + block, pages);
  }
}

// Precondition: ascending and missing.
Status RemoteBlock::State::fetch(std::span<const std::uint64_t> pages) {
  const ByteSpan memory = body.span();
  auto fetched = file.read_pages(pages, [&](std::uint64_t number, ByteView page) {
    const std::uint64_t start = number * kPage;
    const std::size_t header_part = start < kNativeHeaderBytes ? kNativeHeaderBytes : 0;
    const ByteView part = page.subspan(std::min(header_part, page.size()));
    if (!part.empty())
      std::memcpy(memory.data() + (start + header_part - kNativeHeaderBytes), part.data(),
                  part.size());
  });
  if (!fetched) return fetched;
  // Where a page did not come, the window set is zero, which exists.
  if (auto valid = internal::check_seeds(view.seeds()); !valid)
    return Error{valid.error().code, message(file.shown_address(), ": ", valid.error().message)};
  for (const std::uint64_t page : pages) has_page[static_cast<std::size_t>(page)] = true;
  missing -= pages.size();
  if (missing > 0) return ok();
  auto valid = check_all();
  if (!valid) damage = valid.error();  // of every later call too
  return valid;
}

Status RemoteBlock::State::check_all() const {
  const ByteView bytes = body.view();
  if (header.is_open() || internal::body_checksum(std::span{&bytes, 1}) == header.body_checksum)
    return ok();
  const Error damaged = internal::damaged_body();
  return Error{damaged.code, message(file.shown_address(), ": ", damaged.message)};
}

bool RemoteBlock::suits(const RemoteFile& file) {
  const ByteView bytes = file.first_bytes();
  if (!looks_like_native(bytes)) return false;
  const auto header = decode_native_header(bytes, file.size(), {.max_bytes = file.size()});
  return !header || header->is_blocks();  // what is wrong is worth its sentence before a download
}

Result<RemoteBlock> RemoteBlock::open(RemoteFile file, const DecodeOptions& options) {
  const auto named = [&](const Error& error) {
    return Error{error.code, message(file.shown_address(), ": ", error.message)};
  };
  const auto header = decode_native_header(file.first_bytes(), file.size(), options.limits);
  if (!header) return named(header.error());
  if (!header->is_blocks())
    return named({ErrorCode::kUnsupported,
                  "only filters with layout block or lines are read page by page; download it"});
  const auto hash = native_hash(*header, options.sip_key);
  if (!hash) return named(hash.error());
  const std::uint64_t pages = file.pages();
  auto state = std::make_unique<State>(State{std::move(file),
                                             *header,
                                             *hash,
                                             Buffer{memory_bytes(header->body_bytes)},
                                             {},
                                             std::vector<bool>(static_cast<std::size_t>(pages)),
                                             pages});
  state->view = {header->block_shape(), state->body.view(), *hash};
  const std::uint64_t first = 0;  // open() of the file fetched it
  if (auto fetched = state->fetch(std::span{&first, 1}); !fetched) return fetched.error();
  RemoteBlock opened{std::move(state)};
  if (opened.file().is_whole())
    if (auto fetched = opened.fetch_all(); !fetched) return fetched.error();
  return opened;
}

RemoteBlock::RemoteBlock(std::unique_ptr<State> state) : state_{std::move(state)} {}
RemoteBlock::RemoteBlock(RemoteBlock&& other) noexcept = default;
RemoteBlock& RemoteBlock::operator=(RemoteBlock&& other) noexcept = default;
RemoteBlock::~RemoteBlock() = default;

Status RemoteBlock::may_contain_batch(std::span<const ByteView> keys,
                                      std::span<std::uint8_t> answers) {
  State& state = *state_;
  if (state.damage) return *state.damage;
  if (state.missing > 0) {
    std::vector<std::uint64_t> pages;
    for (const ByteView key : keys) state.want_blocks(key, pages);
    std::ranges::sort(pages);
    pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
    auto fetched = ok();
    if (pages.size() * 2 > state.missing)
      fetched = fetch_all();
    else if (!pages.empty())
      fetched = state.fetch(pages);
    if (!fetched) return fetched;
  }
  state.view.may_contain_batch(keys, {answers.data(), nullptr});
  return ok();
}

Status RemoteBlock::fetch_all() {
  if (state_->damage) return *state_->damage;
  std::vector<std::uint64_t> pages;
  for (std::size_t i = 0; i < state_->has_page.size(); ++i)
    if (!state_->has_page[i]) pages.push_back(i);
  return pages.empty() ? ok() : state_->fetch(pages);
}

FunnelName RemoteBlock::funnel() const { return state_->header.funnel; }
bool RemoteBlock::was_open() const { return state_->header.is_open(); }
const RemoteFile& RemoteBlock::file() const { return state_->file; }

Provenance RemoteBlock::provenance() const {
  Provenance provenance = state_->header.provenance();
  if (was_open()) provenance.keys_inserted = std::nullopt;
  return provenance;
}

Description RemoteBlock::describe() const {
  const NativeHeader& header = state_->header;
  Description description;
  description.format = "bloomery";
  description.layout = header.kind == NativeKind::kLines ? "lines" : "block";
  description.dialect =
      header.kind == NativeKind::kLines ? BloomeryBlock::kLinesName : BloomeryBlock::kName;
  description.bits = header.bits;
  description.probes = header.probes;
  description.bytes = header.body_bytes;
  description.keys_inserted = provenance().keys_inserted;
  description.goal = provenance().goal;
  if (state_->missing == 0)
    description.health =
        block_health(header.block_shape(), state_->view.blocks(), provenance().goal);
  return description;
}

}  // namespace bloomery
