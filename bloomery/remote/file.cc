#include "bloomery/remote/file.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/remote/address.h"
#include "bloomery/remote/connection.h"

namespace bloomery {
namespace {

using internal::Connection;
using internal::FirstBytes;
using internal::HttpClient;
using internal::RangeRead;
using internal::with_address;

static_assert(RemoteFile::kPageBytes == internal::kPageBytes);

constexpr std::uint64_t kPagesPerRequest = 64;  // 4 MiB
constexpr std::size_t kPagesAtOnce = 512;       // 32 MiB, while a long range is read

}  // namespace

struct RemoteFile::State {
  std::unique_ptr<Connection> owned;  // null: another owns it
  Connection* connection;
  std::string address;
  std::string shown;
  FirstBytes first;
  Hash128 object = {};  // names the version
  bool has_tag = false;

  std::size_t page_size(std::uint64_t number) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(kPageBytes, first.version.size - number * kPageBytes));
  }
  ByteView at_hand(std::uint64_t number);
  bool load(std::uint64_t number, ByteSpan page);
  void store(std::uint64_t number, ByteView page);
  Status fetch(std::span<const std::uint64_t> missing, bool is_walk, const UsePage& use);
};

// Empty where the page is not in memory.
ByteView RemoteFile::State::at_hand(std::uint64_t number) {
  if (number == 0 || !first.has_ranges)
    return ByteView{first.bytes}.subspan(static_cast<std::size_t>(number) * kPageBytes,
                                         page_size(number));
  return connection->memory.find({object, number});
}

bool RemoteFile::State::load(std::uint64_t number, ByteSpan page) {
  if (!has_tag || !connection->cache || !connection->cache->load({object, number}, page))
    return false;
  connection->cached_bytes += page.size();
  return true;
}

void RemoteFile::State::store(std::uint64_t number, ByteView page) {
  if (!has_tag || !connection->cache) return;
  if (auto stored = connection->cache->store({object, number}, page); !stored) {
    connection->cache_trouble = stored.error().message;
    connection->cache.reset();  // a full disk would be tried again for every page
  }
}

Status RemoteFile::State::fetch(std::span<const std::uint64_t> missing, bool is_walk,
                                const UsePage& use) {
  std::vector<std::byte> bytes(missing.size() * kPageBytes);
  std::vector<RangeRead> ranges;
  for (std::size_t i = 0; i < missing.size();) {
    std::size_t end = i + 1;
    while (end < missing.size() && end - i < kPagesPerRequest &&
           missing[end] == missing[end - 1] + 1)
      ++end;
    const std::size_t length = (end - i - 1) * kPageBytes + page_size(missing[end - 1]);
    ranges.push_back({missing[i] * kPageBytes, ByteSpan{bytes}.subspan(i * kPageBytes, length)});
    i = end;
  }
  if (auto read = connection->client.read(address, ranges, first.version); !read)
    return with_address(shown, read.error());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const ByteView page = ByteView{bytes}.subspan(i * kPageBytes, page_size(missing[i]));
    store(missing[i], page);
    if (!is_walk) connection->memory.put({object, missing[i]}, page);
    use(missing[i], page);
  }
  return ok();
}

RemoteFile::RemoteFile(std::unique_ptr<State> state) : state_{std::move(state)} {}
RemoteFile::RemoteFile(RemoteFile&& other) noexcept = default;
RemoteFile& RemoteFile::operator=(RemoteFile&& other) noexcept = default;
RemoteFile::~RemoteFile() = default;

Result<RemoteFile> RemoteFile::open(std::string_view address, const RemoteOptions& options) {
  auto client = HttpClient::create(address, options);
  if (!client) return with_address(shown_web_address(address), client.error());
  auto connection = std::make_unique<Connection>(std::move(*client), options);
  auto file = open(address, *connection);
  if (file) file->state_->owned = std::move(connection);
  return file;
}

// The name of the version holds the first page too: a file of ours begins with the checksum of its
// body, so that even a server which gives two files one tag never mixes their pages.
Result<RemoteFile> RemoteFile::open(std::string_view address, Connection& connection) {
  auto state = std::make_unique<State>(
      State{nullptr, &connection, std::string{address}, shown_web_address(address), {}});
  const std::lock_guard lock{connection.mutex};
  auto first = connection.client.open(state->address, kPageBytes,
                                      std::min(connection.whole_limit, connection.whole_left));
  if (!first) return with_address(state->shown, first.error());
  state->first = std::move(*first);
  if (!state->first.has_ranges) connection.whole_left -= state->first.bytes.size();
  const auto& version = state->first.version;
  state->has_tag =
      state->first.has_ranges && (!version.etag.empty() || !version.last_modified.empty());
  const std::string name =
      message(state->shown, '\n', version.etag, '\n', version.last_modified, '\n', version.size);
  const std::size_t page = std::min(kPageBytes, state->first.bytes.size());
  state->object = xxh3_128(ByteView{state->first.bytes}.first(page), xxh3_64(bytes_of(name)));
  return RemoteFile{std::move(state)};
}

std::uint64_t RemoteFile::size() const { return state_->first.version.size; }
const std::string& RemoteFile::shown_address() const { return state_->shown; }
bool RemoteFile::is_whole() const { return !state_->first.has_ranges; }
ByteView RemoteFile::first_bytes() const {
  return ByteView{state_->first.bytes}.first(std::min(kPageBytes, state_->first.bytes.size()));
}

std::string RemoteFile::cache_trouble() const {
  const std::lock_guard lock{state_->connection->mutex};
  return state_->connection->cache_trouble;
}

RemoteTraffic RemoteFile::traffic() const {
  const std::lock_guard lock{state_->connection->mutex};
  RemoteTraffic traffic = state_->connection->client.traffic();
  traffic.cached_bytes = state_->connection->cached_bytes;
  return traffic;
}

Status RemoteFile::read_pages(std::span<const std::uint64_t> numbers, const UsePage& use) const {
  const std::lock_guard lock{state_->connection->mutex};
  // A walk over the file would drive all other pages out of memory.
  const bool is_walk = numbers.size() > state_->connection->memory.most_bytes() / kPageBytes / 2;
  std::vector<std::uint64_t> missing;
  std::vector<std::byte> loaded(kPageBytes);
  for (const std::uint64_t number : numbers) {
    assert(number < pages());
    const ByteSpan page = ByteSpan{loaded}.first(state_->page_size(number));
    if (const ByteView held = state_->at_hand(number); !held.empty()) {
      use(number, held);
    } else if (state_->load(number, page)) {
      if (!is_walk) state_->connection->memory.put({state_->object, number}, page);
      use(number, page);
    } else {
      missing.push_back(number);
    }
    if (missing.size() < kPagesAtOnce) continue;
    if (auto fetched = state_->fetch(missing, is_walk, use); !fetched) return fetched;
    missing.clear();
  }
  return missing.empty() ? ok() : state_->fetch(missing, is_walk, use);
}

Status RemoteFile::read(std::span<const RemoteRange> ranges) const {
  struct Piece {
    std::uint64_t page;
    std::size_t from;  // in the page
    ByteSpan into;
  };
  std::vector<Piece> pieces;
  for (const RemoteRange& range : ranges) {
    if (range.offset > size() || range.into.size() > size() - range.offset)
      return Error{ErrorCode::kTruncated,
                   message(state_->shown, ": the file has ", size(), " bytes, and ",
                           range.into.size(), " are read at ", range.offset)};
    for (std::size_t done = 0; done < range.into.size();) {
      const std::uint64_t at = range.offset + done;
      const auto from = static_cast<std::size_t>(at % kPageBytes);
      const std::size_t length = std::min(kPageBytes - from, range.into.size() - done);
      pieces.push_back({at / kPageBytes, from, range.into.subspan(done, length)});
      done += length;
    }
  }
  std::ranges::sort(pieces, {}, &Piece::page);
  std::vector<std::uint64_t> numbers;
  for (const Piece& piece : pieces)
    if (numbers.empty() || numbers.back() != piece.page) numbers.push_back(piece.page);
  return read_pages(numbers, [&](std::uint64_t number, ByteView page) {
    auto piece = std::ranges::lower_bound(pieces, number, {}, &Piece::page);
    for (; piece != pieces.end() && piece->page == number; ++piece)
      std::memcpy(piece->into.data(), page.data() + piece->from, piece->into.size());
  });
}

Status RemoteFile::read(std::uint64_t offset, ByteSpan into) const {
  const RemoteRange range{offset, into};
  return read(std::span{&range, 1});
}

Result<std::vector<std::byte>> RemoteFile::read_all(DecodeLimits limits) const {
  if (size() > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message(state_->shown, ": the file has ", size(),
                                               " bytes, and the limit is ", limits.max_bytes)};
  std::vector<std::byte> bytes(static_cast<std::size_t>(size()));
  if (auto filled = read(0, bytes); !filled) return filled.error();
  return bytes;
}

}  // namespace bloomery
