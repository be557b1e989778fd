#include "apps/tracker/state/paths.h"

#include <algorithm>
#include <filesystem>

#include "bloomery/base/bytes.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/profile.h"

namespace bloomery::tracker {
namespace {

// Appends the names of a path to `clean`, of which the first `fixed` bytes are out of reach of
// "..".
void append_names(std::string& clean, std::string_view path, std::size_t fixed) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      const std::size_t end = clean.rfind('/');
      clean.resize(std::max(fixed, end == std::string::npos ? 0 : end));
      continue;
    }
    if (!clean.empty()) clean += '/';
    clean += name;
  }
}

bool lies_in_any(std::string_view clean, const std::vector<std::string>& roots) {
  return std::ranges::any_of(
      roots, [&](const std::string& root) { return lies_in(clean, clean_path(root)); });
}

}  // namespace

std::string clean_path(std::string_view path) {
  std::string clean;
  clean.reserve(path.size());
  append_names(clean, path, 0);
  return clean;
}

std::string clean_path(std::string_view bucket, std::string_view path) {
  std::string clean = clean_path(bucket);
  append_names(clean, path, clean.size());
  return clean;
}

bool is_clean(std::string_view path) {
  if (path.empty()) return true;
  bool name_starts = true;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (!name_starts) {
      name_starts = c == '/';
      continue;
    }
    if (c == '/') return false;
    name_starts = false;
    if (c != '.') continue;
    const std::string_view name = path.substr(i, path.find('/', i) - i);
    if (name == "." || name == "..") return false;
  }
  return !name_starts;
}

std::string_view parent_of(std::string_view clean) {
  const std::size_t slash = clean.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : clean.substr(0, slash);
}

bool lies_in(std::string_view clean, std::string_view folder) {
  if (folder.empty()) return true;
  return clean.starts_with(folder) &&
         (clean.size() == folder.size() || clean[folder.size()] == '/');
}

bool lies_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(path, failed);
  if (failed) return false;
  const auto above = std::filesystem::canonical(folder, failed);
  return !failed && lies_in(clean_path(real.string()), clean_path(above.string()));
}

Hash128 path_digest(std::string_view clean) {
  return Hasher{}(bytes_of(clean.empty() ? std::string_view{"/"} : clean));
}

bool leads_out(std::string_view path) {
  std::ptrdiff_t depth = 0;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    depth += name == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

Result<std::string> resolve_path(std::string_view path, const std::vector<std::string>& roots) {
  if (roots.empty()) return clean_path(path);
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(std::filesystem::path{path}, failed);
  if (failed)
    return Error{ErrorCode::kIo, message(path, ": cannot be made absolute: ", failed.message())};
  const std::string clean = clean_path(absolute.string());
  if (lies_in_any(clean, roots)) return clean;
  // The way there may lead through a symbolic link; a name that is gone is no hindrance.
  const auto real = std::filesystem::weakly_canonical(absolute, failed);
  if (!failed && lies_in_any(clean_path(real.string()), roots)) return clean_path(real.string());
  return Error{
      ErrorCode::kInvalidArgument,
      message(path, ": lies outside the watched tree; give a path below one of its roots")};
}

}  // namespace bloomery::tracker
