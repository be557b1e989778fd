// Any bytes as a JSON document: what is cut out of its text leaves JSON with the rest of the text,
// and every other byte as it was.
#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/documents/json_text.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery::cli;
  using bloomery::fuzz::require;
  if (size == 0) return 0;
  const std::string_view record{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto finder = JsonTextFinder::make("/text", "duplicates");
  require(finder.has_value());
  JsonDocument found;
  if (const auto fault = finder->find(record, found)) {
    require(fault->byte <= record.size());
    return 0;
  }
  if (!found.has_text) return 0;
  const auto raw_of = [](std::string_view whole, const JsonDocument& at) {
    return whole.substr(at.text_begin, at.text_end - at.text_begin);
  };
  const std::string_view raw = raw_of(record, found);
  std::string text;
  const auto invalid = append_unescaped(raw, text);
  require(!invalid || *invalid < raw.size());
  // The text is cut at the first two beginnings of characters from the byte that chooses.
  std::size_t first = text.empty() ? 0 : data[0] % text.size();
  const auto is_inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
  };
  while (is_inside(first)) ++first;
  std::size_t second = first < text.size() ? first + 1 : first;
  while (is_inside(second)) ++second;
  std::vector<TextRange> kept{{0, first}, {second, text.size()}};
  to_raw_ranges(raw, kept);
  std::string edited{record.substr(0, found.text_begin)};
  for (const TextRange& range : kept) edited += raw.substr(range.begin, range.end - range.begin);
  edited += record.substr(found.text_end);
  JsonDocument again;
  require(!finder->find(edited, again) && again.has_text);
  std::string left;
  const auto still_invalid = append_unescaped(raw_of(edited, again), left);
  // Halves of characters on both sides of a cut may become one; else the text is what was kept.
  if (!invalid) require(!still_invalid && left == text.substr(0, first) + text.substr(second));
  return 0;
}
