#include "apps/cli/track/path_list.h"

#include <algorithm>

#include "apps/cli/shell/exit_code.h"
#include "apps/tracker/state/paths.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<std::vector<std::string>> PathNames::keys(std::string_view path) {
  if (!roots_.empty()) {
    auto key = tracker::resolve_path(path, roots_);
    if (!key) return key.error();
    return std::vector<std::string>{std::move(*key)};
  }
  if (path.starts_with('/'))
    if (auto found = find_trees(); !found) return found.error();
  return tracker::keys_of_path(path, trees_ ? *trees_ : std::vector<tracker::ScannedTree>{});
}

Result<std::vector<std::string>> PathNames::keys_of_line(std::string_view line, bool is_first) {
  const bool has_mark = is_first && line.starts_with(kByteOrderMark);
  const bool has_cr = line.ends_with('\r');
  if (!has_mark && !has_cr) return keys(line);
  warn_of_marks();
  const std::string_view marked = has_cr ? line.substr(0, line.size() - 1) : line;
  // The likelier reading must name something; the others count where they do.
  auto all = keys(has_mark ? marked.substr(kByteOrderMark.size()) : marked);
  if (!all) return all;
  std::vector<std::string_view> readings{line};
  if (has_mark && has_cr) readings = {line, marked, line.substr(kByteOrderMark.size())};
  for (const std::string_view reading : readings)
    if (const auto more = keys(reading)) all->insert(all->end(), more->begin(), more->end());
  return all;
}

bool PathNames::may_exist(std::span<const std::string> keys) {
  if (!roots_.empty() || !find_trees() || trees_->empty()) return true;
  return std::ranges::any_of(
      keys, [&](const std::string& key) { return tracker::exists_in_any(key, *trees_); });
}

Status PathNames::find_trees() {
  if (trees_) return ok();
  auto trees = tracker::scanned_trees(state_);
  if (!trees) return trees.error();
  trees_ = std::move(*trees);
  return ok();
}

void PathNames::warn_of_marks() {
  if (!is_quiet_ && !is_warned_)
    warn("standard input",
         "a line ends in CR, or the first begins with a UTF-8 byte order mark: the path counts "
         "with it and without it; -0 takes paths as they are");
  is_warned_ = true;
}

}  // namespace bloomery::cli
