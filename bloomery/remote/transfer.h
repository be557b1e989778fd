// One range of one object on its way through libcurl: what it asks, what it takes, and what is to
// be done once it ended. Not for users; only where libcurl is.
#pragma once
#include <curl/curl.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "bloomery/remote/address.h"
#include "bloomery/remote/client.h"
#include "bloomery/remote/response_head.h"

namespace bloomery::internal {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, FreeEasy>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

// What every request of a client has in common.
struct RequestSetup {
  WebOrigin origin;  // the only one that is sent the headers
  const RemoteOptions* options;
};

// What a request is for. Without a version it is the first one: it learns the version, and takes
// the whole object from a server without ranges.
struct RequestGoal {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  ByteSpan into = {};
  const ObjectVersion* version = nullptr;
  std::uint64_t whole_limit = 0;  // bytes that a server without ranges may send
};

// What is to be done after an attempt.
struct AttemptResult {
  enum class Next : std::uint8_t { kDone, kRetry, kFollow, kFail };
  Next next = Next::kDone;
  Error error = {ErrorCode::kIo, {}};  // of kRetry and kFail
  std::chrono::seconds wait{0};        // of kRetry: at least so long
  std::string target = {};             // of kFollow
};

// Does not move: libcurl holds its address.
class Transfer {
 public:
  Transfer(const RequestSetup& setup, const RequestGoal& goal) : setup_{setup}, goal_{goal} {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // A handle that asks `address` for the range. The one before it must be out of its multi handle.
  Result<CURL*> start(const std::string& address);
  // Throws what a callback could not: there was not enough memory.
  AttemptResult finish(CURLcode code);
  // Of the first request, once it is done.
  FirstBytes take_first();
  std::uint64_t received() const { return received_; }

 private:
  // libcurl's frames are C: no exception may pass them.
  static std::size_t on_header(char* data, std::size_t size, std::size_t count,
                               void* transfer) noexcept;
  static std::size_t on_body(char* data, std::size_t size, std::size_t count,
                             void* transfer) noexcept;

  bool is_first() const { return goal_.version == nullptr; }
  Result<HeaderList> headers_for(const WebOrigin& origin) const;
  std::uint64_t expected_bytes() const;
  bool take(ByteView piece);
  void begin_body();
  std::optional<Error> check_range() const;
  std::optional<Error> check_version() const;
  AttemptResult after_success();
  AttemptResult after_status();
  AttemptResult after_curl(CURLcode code) const;
  std::chrono::seconds asked_wait() const;

  const RequestSetup& setup_;
  const RequestGoal goal_;
  EasyHandle easy_;
  HeaderList headers_;
  std::string reason_;  // libcurl's own words
  WebOrigin asked_;     // of this attempt
  ResponseHead head_;
  bool in_body_ = false;
  bool takes_body_ = false;
  std::uint64_t received_ = 0;
  std::vector<std::byte> first_bytes_;  // of the first request
  std::optional<Error> refused_;        // why the body was not taken
  std::exception_ptr thrown_;           // by a callback
};

}  // namespace bloomery::internal
