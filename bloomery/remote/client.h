// Reads ranges of objects over HTTP, several at a time: retries, redirects, and a check that all
// ranges are of one version of an object. Not for users.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"
#include "bloomery/remote/options.h"

namespace bloomery::internal {

// Which version of an object: what a server says of it in every response.
struct ObjectVersion {
  std::uint64_t size = 0;
  std::string etag;           // empty: the server has none
  std::string last_modified;  // likewise
  friend bool operator==(const ObjectVersion&, const ObjectVersion&) = default;
};

struct FirstBytes {
  ObjectVersion version;
  std::vector<std::byte> bytes;  // the first ones, or all of them
  bool has_ranges = true;        // false: the server sent the whole object
};

struct RangeRead {
  std::uint64_t offset;
  ByteSpan into;  // not empty, and inside the object
};

// One thread at a time. Messages of errors do not name the address.
class HttpClient {
 public:
  // The headers of the options go to the origin of this address only. kInvalidArgument for an
  // address or a header that cannot be sent; kUnsupported where the library was built without
  // libcurl.
  static Result<HttpClient> create(std::string_view address, const RemoteOptions& options);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  ~HttpClient();

  // The first request. It asks for a range, because a signed address often permits no HEAD. A
  // server without ranges may send `whole_limit` bytes, else kTooLarge.
  Result<FirstBytes> open(const std::string& address, std::size_t first_bytes,
                          std::uint64_t whole_limit);
  // Ranges of this version; kIo where the object is another one now. After an error the contents of
  // the spans are unspecified.
  Status read(const std::string& address, std::span<const RangeRead> ranges,
              const ObjectVersion& version);
  const RemoteTraffic& traffic() const;

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery::internal
