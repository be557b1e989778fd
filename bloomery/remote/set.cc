#include "bloomery/remote/set.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/header.h"
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
    if (auto read = file_.read(wanted); !read) return read;
    const std::lock_guard lock{mutex_};
    for (const PartBytes& range : ranges) note(range);
    return missing_ > 0 ? ok() : check_all();
  }

 private:
  void note(const PartBytes& range) const;
  Status check_all() const;

  RemoteFile file_;
  mutable std::mutex mutex_;  // of all that follows
  // Empty until the first read, before which the set checks the size.
  mutable std::vector<bool> has_page_;
  mutable std::uint64_t missing_ = file_.is_whole() ? 0 : file_.pages();
  // Of the body up to here: one that is read from its start to its end is not read again.
  mutable internal::BodyChecksum checksum_ = {};
  mutable std::uint64_t checked_to_ = kNativeHeaderBytes;
  mutable std::optional<Status> verdict_ = {};  // once all was fetched
};

void RemotePart::note(const PartBytes& range) const {
  const std::uint64_t end = range.offset + range.into.size();
  if (missing_ == 0 || range.into.empty()) return;
  if (has_page_.empty()) has_page_.resize(static_cast<std::size_t>(file_.pages()));
  constexpr std::size_t kPage = RemoteFile::kPageBytes;
  for (std::uint64_t page = range.offset / kPage; page <= (end - 1) / kPage; ++page) {
    if (!has_page_[static_cast<std::size_t>(page)]) --missing_;
    has_page_[static_cast<std::size_t>(page)] = true;
  }
  if (range.offset > checked_to_ || end <= checked_to_) return;
  checksum_.add(range.into.subspan(static_cast<std::size_t>(checked_to_ - range.offset)));
  checked_to_ = end;
}

// A header that is not a part's is refused by the set. The pages come from memory or from the cache
// where these have room for the part, else once more from the server.
Status RemotePart::check_all() const {
  if (verdict_) return *verdict_;
  const std::uint64_t size = file_.size();
  const auto header = decode_native_part_header(file_.first_bytes(), size, {.max_bytes = size});
  if (!header) return ok();
  std::vector<std::byte> piece(
      static_cast<std::size_t>(std::min<std::uint64_t>(size, std::uint64_t{4} << 20)));
  while (checked_to_ < size) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size - checked_to_));
    const ByteSpan into = ByteSpan{piece}.first(count);
    if (auto read = file_.read(checked_to_, into); !read) return read;
    checksum_.add(into);
    checked_to_ += count;
  }
  verdict_ = ok();
  if (checksum_.value() != header->body_checksum)
    verdict_ = with_address(file_.shown_address(), internal::damaged_body());
  return *verdict_;
}

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
