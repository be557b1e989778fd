#include "apps/ethlog/store/chain_marker.h"

#include <charconv>

#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/crc32c.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kTitle =
    "Blocks of an Ethereum chain, in a LevelDB database that bloomery made.\n";
constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr std::size_t kMostLost = 10'000;  // ranges; more are joined into the last

ByteView bytes_in(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

// Lines of a word and numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_{text} {}
  bool at_end() const { return rest_.empty(); }
  bool is(std::string_view word) const {
    return rest_.starts_with(word) && rest_.substr(word.size()).starts_with(' ');
  }
  // Nothing unless the line is the word and so many numbers.
  std::optional<std::vector<std::uint64_t>> take(std::string_view word, std::size_t count) {
    const std::size_t end = rest_.find('\n');
    if (!is(word) || end == rest_.npos) return std::nullopt;
    std::string_view line = rest_.substr(0, end);
    line.remove_prefix(word.size());
    rest_.remove_prefix(end + 1);
    std::vector<std::uint64_t> numbers;
    while (line.starts_with(' ')) {
      line.remove_prefix(1);
      std::uint64_t number = 0;
      const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
      if (read.ec != std::errc{}) return std::nullopt;
      line.remove_prefix(static_cast<std::size_t>(read.ptr - line.data()));
      numbers.push_back(number);
    }
    if (!line.empty() || numbers.size() != count) return std::nullopt;
    return numbers;
  }

 private:
  std::string_view rest_;
};

Error not_a_marker() {
  return {ErrorCode::kMalformed, "it is not what was written, so it is damaged"};
}

}  // namespace

std::string encode_marker(const ChainMarker& marker) {
  std::string text{kTitle};
  text += message("synced ", marker.synced, "\nblocks ", marker.blocks, "\n");
  if (marker.lowest) text += message("lowest ", *marker.lowest, "\n");
  if (marker.head) text += message("head ", *marker.head, "\n");
  const std::size_t kept = std::min(marker.lost.size(), kMostLost);
  for (std::size_t i = 0; i < kept; ++i) {
    const bool joined = i + 1 == kept;
    text += message("lost ", marker.lost[i].first, " ",
                    joined ? marker.lost.back().last : marker.lost[i].last, "\n");
  }
  text += message("crc32c ", crc32c(bytes_in(text)), "\n");
  return text;
}

Result<ChainMarker> decode_marker(std::string_view text) {
  ChainMarker marker;
  if (!text.starts_with(kTitle)) return not_a_marker();
  Lines lines{text.substr(kTitle.size())};
  if (lines.at_end()) return marker;  // of an older version
  const auto synced = lines.take("synced", 1);
  const auto blocks = lines.take("blocks", 1);
  if (!synced || !blocks) return not_a_marker();
  marker.synced = synced->front();
  marker.blocks = blocks->front();
  const auto optional_number = [&](std::string_view word, std::optional<std::uint64_t>& to) {
    if (!lines.is(word)) return true;
    const auto number = lines.take(word, 1);
    if (number) to = number->front();
    return number.has_value();
  };
  if (!optional_number("lowest", marker.lowest) || !optional_number("head", marker.head))
    return not_a_marker();
  while (lines.is("lost")) {
    const auto range = lines.take("lost", 2);
    if (!range || (*range)[0] > (*range)[1]) return not_a_marker();
    marker.lost.push_back({(*range)[0], (*range)[1]});
  }
  const std::size_t summed = text.rfind("crc32c ");
  const auto checksum = lines.take("crc32c", 1);
  if (!checksum || !lines.at_end() || checksum->front() != crc32c(bytes_in(text.substr(0, summed))))
    return not_a_marker();
  return marker;
}

Result<std::optional<ChainMarker>> read_marker(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kMarkerFile;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    if (failed) return Error{ErrorCode::kIo, message(path.string(), ": ", failed.message())};
    return std::optional<ChainMarker>{};
  }
  const auto bytes = read_file(path, {.max_bytes = kMostBytes});
  if (!bytes) return bytes.error();
  auto marker = decode_marker(text_of(*bytes));
  if (!marker)
    return Error{marker.error().code, message(path.string(), ": ", marker.error().message,
                                              "; bloomery eth verify --repair writes it anew")};
  return std::optional{std::move(*marker)};
}

Status write_marker(const std::filesystem::path& folder, const ChainMarker& marker) {
  return save_file(folder / kMarkerFile, bytes_in(encode_marker(marker)));
}

}  // namespace bloomery::ethlog
