#include "bloomery/remote/set.h"

#include <algorithm>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/remote/address.h"
#include "bloomery/remote/connection.h"

namespace bloomery {
namespace {

using internal::Connection;
using internal::with_address;

class RemotePart final : public PartReader {
 public:
  explicit RemotePart(RemoteFile file) : file_{std::move(file)} {}

  std::uint64_t size_bytes() const override { return file_.size(); }
  Status read(std::span<const PartBytes> ranges) const override {
    std::vector<RemoteRange> wanted;
    wanted.reserve(ranges.size());
    for (const PartBytes& range : ranges) wanted.push_back({range.offset, range.into});
    return file_.read(wanted);
  }

 private:
  RemoteFile file_;
};

// The set keeps it as long as its parts.
class RemoteParts final : public PartSource {
 public:
  RemoteParts(std::string manifest, std::unique_ptr<Connection> connection)
      : manifest_{std::move(manifest)}, connection_{std::move(connection)} {}

  Result<std::unique_ptr<PartReader>> open(std::string_view file) override {
    auto opened = RemoteFile::open(address_beside(manifest_, file), *connection_);
    if (!opened) return opened.error();
    return std::unique_ptr<PartReader>{std::make_unique<RemotePart>(std::move(*opened))};
  }

 private:
  std::string manifest_;
  std::unique_ptr<Connection> connection_;
};

bool stays_as_it_is(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') ||
         std::string_view{"-._~/"}.find(letter) != std::string_view::npos;
}

}  // namespace

std::string address_beside(std::string_view address, std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const std::size_t authority = address.find("://") + 3;
  const std::string_view path = address.substr(0, address.find_first_of("?#", authority));
  std::string query{address.substr(path.size())};
  query.resize(std::min(query.size(), query.find('#')));
  const std::size_t slash = path.rfind('/');
  std::string beside{path.substr(0, slash < authority ? path.size() : slash)};
  beside += '/';
  for (const char letter : name) {
    if (stays_as_it_is(letter)) {
      beside += letter;
      continue;
    }
    const auto code = static_cast<unsigned char>(letter);
    beside += {'%', kDigits[code >> 4], kDigits[code & 15]};
  }
  return beside + query;
}

bool is_remote_set(const RemoteFile& file) { return looks_like_manifest(file.first_bytes()); }

Result<FilterSet> open_remote_set(std::string_view address, const RemoteOptions& remote,
                                  const DecodeOptions& options) {
  const std::string shown = shown_web_address(address);
  auto client = internal::HttpClient::create(address, remote);
  if (!client) return with_address(shown, client.error());
  auto connection = std::make_unique<Connection>(std::move(*client), remote);
  const auto file = RemoteFile::open(address, *connection);
  if (!file) return file.error();
  const auto bytes = file->read_all({std::min(options.limits.max_bytes, kMostManifestBytes)});
  if (!bytes) return bytes.error();
  auto manifest = decode_manifest(*bytes, options.limits);
  if (!manifest) return with_address(shown, manifest.error());
  auto parts = std::make_unique<RemoteParts>(std::string{address}, std::move(connection));
  auto set = FilterSet::open(std::move(*manifest), std::move(parts), options.sip_key);
  if (!set) return with_address(shown, set.error());
  return set;
}

}  // namespace bloomery
