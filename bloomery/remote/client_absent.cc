// Where libcurl is missing.
#include "bloomery/remote/client.h"

namespace bloomery::internal {

struct HttpClient::State {};

HttpClient::HttpClient(std::unique_ptr<State> state) : state_{std::move(state)} {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

namespace {

Error absent() {
  return {ErrorCode::kUnsupported,
          "web addresses are not supported in this build, which lacks libcurl; download the file, "
          "or build with libcurl4-openssl-dev"};
}

}  // namespace

Result<HttpClient> HttpClient::create(std::string_view, const RemoteOptions&) { return absent(); }
Result<FirstBytes> HttpClient::open(const std::string&, std::size_t, std::uint64_t) {
  return absent();
}
Status HttpClient::read(const std::string&, std::span<const RangeRead>, const ObjectVersion&) {
  return absent();
}
const RemoteTraffic& HttpClient::traffic() const {
  static const RemoteTraffic kNone;
  return kNone;
}

}  // namespace bloomery::internal
