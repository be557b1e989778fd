#include "apps/cli/track/scan_report.h"

#include <ctime>
#include <iostream>

#include "apps/cli/filters/report.h"
#include "apps/cli/shell/numbers.h"
#include "apps/tracker/scan/usage_view.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kUsageBarWidth = 10;

std::string day_and_time(std::int64_t unix_seconds) {
  if (unix_seconds == tracker::kNoChange) return "-";
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  char text[32];
  if (::gmtime_r(&seconds, &parts) == nullptr) return "-";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

std::string bar(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  const auto filled = static_cast<std::size_t>(share * kUsageBarWidth + 0.5);
  return std::string(std::min(filled, kUsageBarWidth), '#') +
         std::string(kUsageBarWidth - std::min(filled, kUsageBarWidth), '.');
}

// Which folders above have more to come, and so a line down the page.
std::string branch(const tracker::LargeFolder& folder, std::vector<bool>& more) {
  if (folder.depth == 0) return {};
  more.resize(folder.depth);
  std::string line;
  for (std::size_t i = 1; i < folder.depth; ++i) line += more[i] ? "│   " : "    ";
  more.push_back(!folder.is_last);
  return line + (folder.is_last ? "└── " : "├── ");
}

// Bytes of the character of UTF-8 that begins here, 0 if none does.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  const bool control = first == 0xc2 && second < 0xa0;
  return overlong || beyond || control ? 0 : bytes;
}

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  const auto byte = static_cast<unsigned char>(c);
  return std::string{"\\x"} + "0123456789abcdef"[byte >> 4] + "0123456789abcdef"[byte & 15];
}

}  // namespace

std::string shown_name(std::string_view name) {
  std::string shown;
  while (!name.empty()) {
    const auto first = static_cast<unsigned char>(name.front());
    const std::size_t bytes = first < 0x20 || first == 0x7f ? 0 : character_bytes(name);
    shown += bytes == 0 ? escaped(name.front()) : std::string{name.substr(0, bytes)};
    name.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

void print_usage_tree(const tracker::ScanReport& report, std::size_t folders) {
  const auto largest = tracker::largest_folders(report.result.cache, folders);
  if (largest.empty()) return;
  const std::uint64_t whole = largest.front().record.total.bytes;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths(4);
  std::vector<bool> more;
  for (const auto& folder : largest) {
    const tracker::FolderRecord& record = folder.record;
    const std::string name = folder.depth == 0 ? report.target.root : shown_name(record.name);
    rows.push_back(
        {format_bytes(record.total.bytes), bar(record.total.bytes, whole),
         format_count(record.total.objects), day_and_time(record.total.newest_unix),
         branch(folder, more) + name + (record.due || record.due_below ? "  (incomplete)" : "")});
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], rows.back()[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      std::cout << std::string(widths[i] - row[i].size(), ' ') << row[i] << "  ";
    std::cout << row.back() << '\n';
  }
}

std::string scan_summary(const tracker::ScanReport& report, double seconds) {
  const tracker::ScanCounts& counts = report.result.counts;
  const std::uint64_t folders = counts.read + counts.from_cache;
  const double share =
      folders == 0 ? 0 : static_cast<double>(counts.read) / static_cast<double>(folders);
  std::string line =
      message("read ", format_count(counts.read), " of ", format_count(folders), " folders (",
              format_probability(share), ") in ", format_seconds(seconds),
              counts.from_cache > 0 ? ", the rest from the cache" : "");
  if (!report.all_read_because.empty())
    line += message("; the cache was not used: ", report.all_read_because);
  if (counts.unmarked > 0)
    line += message("; ", format_count(counts.unmarked),
                    " that the sweep read had changed without a mark");
  return line;
}

}  // namespace bloomery::cli
