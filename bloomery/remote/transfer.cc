#include "bloomery/remote/transfer.h"

#include <algorithm>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::internal {
namespace {

using Next = AttemptResult::Next;

constexpr long kSlowestBytesPerSecond = 1024;
constexpr std::uint64_t kLongestErrorPage = std::uint64_t{64} << 10;

Error io(std::string sentence) { return {ErrorCode::kIo, std::move(sentence)}; }

Error changed() {
  return io("the file changed on the server while it was read; run the command again");
}

bool is_strong(std::string_view etag) { return etag.starts_with('"'); }

AttemptResult fail(Error error) { return {.next = Next::kFail, .error = std::move(error)}; }
AttemptResult retry(std::string sentence, std::chrono::seconds wait = {}) {
  return {.next = Next::kRetry, .error = io(std::move(sentence)), .wait = wait};
}

}  // namespace

Result<HeaderList> Transfer::headers_for(const WebOrigin& origin) const {
  HeaderList list;
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return false;
    (void)list.release();
    list.reset(longer);
    return true;
  };
  // Stored bytes only: a range of a compressed body would be a range of something else.
  bool added = add("Accept-Encoding: identity");
  if (goal_.version != nullptr && is_strong(goal_.version->etag))
    added = added && add("If-Match: " + goal_.version->etag);
  else if (goal_.version != nullptr && !goal_.version->last_modified.empty())
    added = added && add("If-Unmodified-Since: " + goal_.version->last_modified);
  if (origin == setup_.origin)
    for (const std::string& header : setup_.options->headers) added = added && add(header);
  if (!added) return io("there is not enough memory for a request");
  return list;
}

Result<CURL*> Transfer::start(const std::string& address) {
  auto origin = parse_web_origin(address);
  if (!origin) return origin.error();
  asked_ = std::move(*origin);
  auto headers = headers_for(asked_);
  if (!headers) return headers.error();
  headers_ = std::move(*headers);
  if (!easy_) easy_.reset(curl_easy_init());
  CURL* const easy = easy_.get();
  if (easy == nullptr) return io("libcurl cannot start a request");
  curl_easy_reset(easy);
  head_ = {};
  in_body_ = takes_body_ = false;
  received_ = 0;
  first_bytes_.clear();
  refused_.reset();
  thrown_ = nullptr;
  reason_.assign(CURL_ERROR_SIZE, '\0');
  const RemoteOptions& options = *setup_.options;
  const std::string range = message(goal_.offset, "-", goal_.offset + goal_.length - 1);
  const auto set = [&](CURLoption option, auto value) {
    return curl_easy_setopt(easy, option, value) == CURLE_OK;
  };
  const bool is_set =
      set(CURLOPT_URL, address.c_str()) && set(CURLOPT_PROTOCOLS_STR, "http,https") &&
      set(CURLOPT_NOSIGNAL, 1L) && set(CURLOPT_HTTPGET, 1L) && set(CURLOPT_FOLLOWLOCATION, 0L) &&
      set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && set(CURLOPT_RANGE, range.c_str()) &&
      set(CURLOPT_HTTPHEADER, headers_.get()) && set(CURLOPT_USERAGENT, "bloomery") &&
      set(CURLOPT_SSL_VERIFYPEER, 1L) && set(CURLOPT_SSL_VERIFYHOST, 2L) &&
      set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2)) &&
      (options.ca_file.empty() || set(CURLOPT_CAINFO, options.ca_file.c_str())) &&
      set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count())) &&
      set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond) &&
      set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count())) &&
      set(CURLOPT_ERRORBUFFER, reason_.data()) && set(CURLOPT_PRIVATE, this) &&
      set(CURLOPT_HEADERFUNCTION, &Transfer::on_header) && set(CURLOPT_HEADERDATA, this) &&
      set(CURLOPT_WRITEFUNCTION, &Transfer::on_body) && set(CURLOPT_WRITEDATA, this);
  if (!is_set)
    return Error{ErrorCode::kUnsupported,
                 "this libcurl lacks an option that reading over HTTP needs; it must be 7.85 or "
                 "newer, with TLS"};
  return easy;
}

std::size_t Transfer::on_header(char* data, std::size_t size, std::size_t count,
                                void* transfer) noexcept {
  const std::size_t bytes = size * count;
  auto& self = *static_cast<Transfer*>(transfer);
  if (self.in_body_) return bytes;  // a trailer: the head was judged, and stays as it is
  try {
    self.head_.add_line({data, bytes});
    return bytes;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return 0;
  }
}

std::size_t Transfer::on_body(char* data, std::size_t size, std::size_t count,
                              void* transfer) noexcept {
  const std::size_t bytes = size * count;
  auto& self = *static_cast<Transfer*>(transfer);
  try {
    return self.take(bytes_of({data, bytes})) ? bytes : 0;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return 0;
  }
}

// How many bytes the body must have. Precondition: takes_body_.
std::uint64_t Transfer::expected_bytes() const {
  if (head_.status == 206) return *head_.content_range->last - *head_.content_range->first + 1;
  return head_.content_length.value_or(0);
}

// Decides, before the first byte of a body, whether it is taken.
void Transfer::begin_body() {
  in_body_ = true;
  if (head_.status != 200 && head_.status != 206) return;  // a page that explains the status
  if (head_.is_encoded()) {
    refused_ = Error{
        ErrorCode::kUnsupported,
        message("the server sends the file compressed (Content-Encoding: ", head_.content_encoding,
                "), so that ranges of it cannot be read; store it without an "
                "encoding")};
  } else if (head_.status == 206) {
    refused_ = check_range();
  } else if (!is_first()) {
    refused_ = io("the server sent the whole file instead of a range of it");
  } else if (head_.content_length > goal_.whole_limit) {
    refused_ = Error{ErrorCode::kTooLarge,
                     message("the server does not support range requests, and the file of ",
                             *head_.content_length, " bytes is larger than the ", goal_.whole_limit,
                             " that are then downloaded whole; download it, and name the copy")};
  }
  if (!refused_ && !is_first()) refused_ = check_version();
  takes_body_ = !refused_;
}

bool Transfer::take(ByteView piece) {
  if (!in_body_) begin_body();
  if (refused_) return false;
  if (!takes_body_) return (received_ += piece.size()) <= kLongestErrorPage;
  const bool is_whole = head_.status == 200;
  const std::uint64_t most =
      is_whole ? head_.content_length.value_or(goal_.whole_limit) : expected_bytes();
  if (piece.size() > most - received_) {
    refused_ = is_whole && !head_.content_length
                   ? Error{ErrorCode::kTooLarge,
                           message("the server does not support range requests, and the file is "
                                   "larger than the ",
                                   most,
                                   " bytes that are then downloaded whole; download it, and "
                                   "name the copy")}
                   : io("the server sent more bytes than it announced");
    return false;
  }
  if (is_first())
    first_bytes_.insert(first_bytes_.end(), piece.begin(), piece.end());
  else
    std::memcpy(goal_.into.data() + received_, piece.data(), piece.size());
  received_ += piece.size();
  return true;
}

// Whether a 206 is the range that was asked for.
std::optional<Error> Transfer::check_range() const {
  const auto wrong = [](std::string_view what) {
    return Error{ErrorCode::kMalformed,
                 message("the server answered a range request with ", what,
                         "; it, or a proxy before it, does not handle ranges correctly")};
  };
  if (head_.is_broken || !head_.content_range || !head_.content_range->first)
    return wrong("header fields that cannot be read (Content-Range)");
  const ContentRange& range = *head_.content_range;
  if (!range.total) return wrong("a range of a file of unknown size (Content-Range)");
  const std::uint64_t end = std::min(goal_.offset + goal_.length, *range.total);
  if (*range.first != goal_.offset || *range.last + 1 != end) {
    if (goal_.version != nullptr && *range.total != goal_.version->size) return changed();
    return wrong("another range than the one asked for (Content-Range)");
  }
  if (head_.content_length && *head_.content_length != end - goal_.offset)
    return wrong("a length that contradicts its range (Content-Length)");
  return std::nullopt;
}

std::optional<Error> Transfer::check_version() const {
  const ObjectVersion now{head_.content_range->total.value_or(0), head_.etag, head_.last_modified};
  if (now == *goal_.version) return std::nullopt;
  return changed();
}

std::chrono::seconds Transfer::asked_wait() const {
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK) return {};
  return std::chrono::seconds{std::max<curl_off_t>(0, seconds)};
}

AttemptResult Transfer::after_success() {
  if (!in_body_) begin_body();  // an empty body
  if (refused_) return fail(*refused_);
  if (head_.status == 200 && !head_.content_length) return {};
  if (received_ != expected_bytes())
    return retry(message("the server sent ", received_, " of ", expected_bytes(), " bytes"));
  return {};
}

AttemptResult Transfer::after_status() {
  const auto refuse = [&](std::string_view why) {
    return fail(io(message(why, " (HTTP ", head_.status, ")")));
  };
  switch (head_.status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308: {
      const char* target = nullptr;
      curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &target);
      if (target == nullptr) return refuse("the server redirects to nowhere");
      return {.next = Next::kFollow, .target = target};
    }
    case 401:
    case 403:
      return refuse(
          "the server refuses access: check the credentials, or whether a signed address has "
          "expired");
    case 404:
    case 410:
      return refuse("the server has no such file");
    case 412:
      return fail(changed());
    case 416:
      if (!is_first()) return fail(changed());
      if (head_.content_range && head_.content_range->total == 0) return {};
      return refuse("the server refuses to send the start of the file");
    case 408:
    case 425:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return retry(message("the server cannot answer now (HTTP ", head_.status, ")"), asked_wait());
    default:
      return refuse("the server gave an answer that reading a file does not expect");
  }
}

AttemptResult Transfer::after_curl(CURLcode code) const {
  const std::string words = *reason_.c_str() != '\0' ? reason_.c_str() : curl_easy_strerror(code);
  const std::string sentence = without_web_secrets(words);
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return retry(sentence);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      // The first is also what a libcurl without TLS says of https.
      if (code == CURLE_UNSUPPORTED_PROTOCOL && words.find("HTTP/0.9") == std::string::npos)
        return fail(io(sentence));
      return fail(io("the server does not speak HTTP; check the address and its port"));
    case CURLE_COULDNT_RESOLVE_HOST:
      return fail(io(message(sentence, "; check the address")));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return fail(io(message("the server's certificate is not accepted: ", sentence)));
    default:
      return fail(io(sentence));
  }
}

AttemptResult Transfer::finish(CURLcode code) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (refused_) return fail(*refused_);
  const bool has_answer = head_.status >= 200;
  if (has_answer && head_.status != 200 && head_.status != 206 &&
      (code == CURLE_OK || code == CURLE_WRITE_ERROR))
    return after_status();
  if (code != CURLE_OK) return after_curl(code);
  return after_success();
}

FirstBytes Transfer::take_first() {
  FirstBytes first;
  first.version.etag = head_.etag;
  first.version.last_modified = head_.last_modified;
  first.has_ranges = head_.status != 200;
  first.version.size = first_bytes_.size();
  if (head_.status == 206) first.version.size = *head_.content_range->total;
  first.bytes = std::move(first_bytes_);
  return first;
}

}  // namespace bloomery::internal
