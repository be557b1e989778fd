// A file on a web server or in an object store, read by ranges: only the pages that are asked for
// are fetched, several at a time, and kept in memory and in a local cache.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"
#include "bloomery/remote/options.h"

namespace bloomery {

namespace internal {
struct Connection;
}

// Some bytes of a file, and where they go.
struct RemoteRange {
  std::uint64_t offset;
  ByteSpan into;
};

// Any number of threads may read; they wait for each other. Every byte is of the version of the
// file that open() found: where the file changes on the server, reading fails. Messages of errors
// begin with shown_address().
class RemoteFile {
 public:
  static constexpr std::size_t kPageBytes = std::size_t{64} << 10;

  // One request: it fetches the first page, which tells the size and the version.
  static Result<RemoteFile> open(std::string_view address, const RemoteOptions& options);
  // The same over a connection that outlives the file, to the origin that it was made for.
  static Result<RemoteFile> open(std::string_view address, internal::Connection& connection);
  RemoteFile(RemoteFile&& other) noexcept;
  RemoteFile& operator=(RemoteFile&& other) noexcept;
  ~RemoteFile();

  std::uint64_t size() const;
  std::uint64_t pages() const { return (size() + kPageBytes - 1) / kPageBytes; }
  // Without user, password and query.
  const std::string& shown_address() const;
  // True where the server has no ranges: open() fetched all.
  bool is_whole() const;
  // The first page, or all of a shorter file.
  ByteView first_bytes() const;

  // kTruncated where a range is not inside the file. The pages of all ranges are fetched together.
  Status read(std::span<const RemoteRange> ranges) const;
  Status read(std::uint64_t offset, ByteSpan into) const;
  // The whole file; kTooLarge where it is longer than the limit.
  Result<std::vector<std::byte>> read_all(DecodeLimits limits) const;
  // Calls use(number, bytes) for each of these pages, in no order. Precondition: ascending, each
  // below pages(). Neighbours are fetched by one request. use() must not call this file.
  using UsePage = std::function<void(std::uint64_t number, ByteView page)>;
  Status read_pages(std::span<const std::uint64_t> numbers, const UsePage& use) const;

  // Of the connection.
  RemoteTraffic traffic() const;
  // Why pages could not be kept in the cache; empty where they could.
  std::string cache_trouble() const;

 private:
  struct State;
  explicit RemoteFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery
