#include "apps/tracker/events/exports.h"

#include <algorithm>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::uint64_t kLongestTable = std::uint64_t{16} << 20;
constexpr std::string_view kBlanks = " \t\r";

// A line ends with a newline that has no backslash before it.
std::string_view next_line(std::string_view& rest) {
  std::size_t end = rest.find('\n');
  while (end != std::string_view::npos && end > 0 && rest[end - 1] == '\\')
    end = rest.find('\n', end + 1);
  end = std::min(end, rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// The first word, which may stand in quotes.
std::string_view first_word(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  if (!line.starts_with('"')) return line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& table) {
  std::error_code failed;
  if (!std::filesystem::is_directory(table, failed)) return {table};
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry{table, failed}, end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().extension() == ".exports") files.push_back(entry->path());
  return files;
}

}  // namespace

std::vector<std::string> parse_exports(std::string_view table) {
  std::vector<std::string> paths;
  while (!table.empty()) {
    const std::string_view word = first_word(next_line(table));
    if (word.starts_with('/')) paths.push_back(unescape_octal(word));
  }
  return paths;
}

std::vector<std::filesystem::path> usual_export_tables() {
  return {"/proc/fs/nfsd/exports", "/var/lib/nfs/etab", "/etc/exports", "/etc/exports.d"};
}

std::vector<std::string> read_exports(std::span<const std::filesystem::path> tables) {
  std::vector<std::string> all;
  for (const auto& table : tables)
    for (const auto& file : files_of(table)) {
      const auto bytes = read_file(file, {.max_bytes = kLongestTable});
      if (!bytes) continue;
      for (const std::string& path : parse_exports(text_of(*bytes))) {
        std::error_code failed;
        const auto real = std::filesystem::canonical(path, failed);
        all.push_back("/" + clean_path(failed ? path : real.string()));
      }
    }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<UnseenSubtree> exported_subtrees(std::span<const Region> regions,
                                             std::span<const std::string> exported,
                                             std::span<const Mount> mounts) {
  constexpr std::string_view kReason =
      "it is exported by NFS, and inotify does not see what is written to files that a server "
      "opens "
      "by handle; fanotify does, as root and not on btrfs";
  std::vector<UnseenSubtree> subtrees;
  for (const Region& region : regions) {
    const FilesystemPlace here = place_in_filesystem(region.path, mounts);
    for (const std::string& path : exported) {
      const FilesystemPlace there = place_in_filesystem(path, mounts);
      if (there.device != here.device) continue;
      UnseenSubtree subtree{region.path, std::string{kReason}};
      if (lies_in(there.within, here.within)) {
        subtree.path =
            "/" + clean_path(region.path + "/" + there.within.substr(here.within.size()));
      } else if (!lies_in(here.within, there.within)) {
        continue;
      }
      if (std::ranges::find(subtrees, subtree) == subtrees.end())
        subtrees.push_back(std::move(subtree));
    }
  }
  return subtrees;
}

}  // namespace bloomery::tracker
