#include "bloomery/formats/minio_paths.h"

#include <algorithm>

#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

constexpr std::string_view kFolderObject = "__XLDIR__";

std::vector<std::string_view> between_slashes(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::string with_slashes(const std::vector<std::string_view>& parts) {
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool looks_like_an_address(std::string_view bucket) {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    if (is_digit(bucket[i])) continue;
    if (bucket[i] != '.' || i == 0 || !is_digit(bucket[i - 1])) return false;
    ++dots;
  }
  return dots == 3 && is_digit(bucket.back());
}

bool has_turn(std::uint32_t draw, std::uint32_t cycle, std::uint32_t cycles) {
  if (cycles <= 1) return cycles == 1;
  return draw % cycles == cycle % cycles;
}

}  // namespace

std::string minio_clean(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> kept;
  for (const std::string_view part : between_slashes(path)) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!rooted) {
      kept.push_back(part);
    }
  }
  const std::string cleaned = with_slashes(kept);
  if (rooted) return "/" + cleaned;
  return cleaned.empty() ? "." : cleaned;
}

std::string minio_join(const std::vector<std::string>& parts) {
  std::vector<std::string_view> filled;
  for (const std::string& part : parts)
    if (!part.empty()) filled.emplace_back(part);
  return filled.empty() ? "" : minio_clean(with_slashes(filled));
}

std::string minio_path_join(std::string_view bucket, std::string_view prefix) {
  std::string joined = minio_join({std::string{bucket}, std::string{prefix}});
  if (prefix.ends_with('/') && !joined.ends_with('/')) joined += '/';
  return joined;
}

std::vector<std::string> minio_split(std::string_view path) {
  if (path.ends_with(kFolderObject)) path.remove_suffix(kFolderObject.size());
  const std::vector<std::string_view> parts = between_slashes(path);
  const auto is_nothing = [](std::string_view part) { return part.empty() || part == "."; };
  auto first = std::find_if_not(parts.begin(), parts.end(), is_nothing);
  auto last = parts.end();
  while (last != first && (last - 1)->empty()) --last;
  return {first, last};
}

std::string minio_key(std::string_view path) {
  if (path != "/") {
    while (path.starts_with('/')) path.remove_prefix(1);
    while (path.ends_with('/')) path.remove_suffix(1);
  }
  return minio_clean(path);
}

std::vector<std::string> minio_dirty_keys(std::string_view bucket, std::string_view prefix) {
  std::vector<std::string> keys;
  std::vector<std::string> so_far;
  for (const std::string& part : minio_split(minio_path_join(bucket, prefix))) {
    so_far.push_back(part);
    keys.push_back(minio_key(minio_join(so_far)));
  }
  return keys;
}

std::optional<std::string> minio_dir_key(std::string_view path) {
  const std::vector<std::string> parts = minio_split(minio_clean(path));
  if (parts.empty()) return std::nullopt;
  return minio_key(minio_join(parts));
}

bool minio_bucket_is_usable(std::string_view bucket) {
  if (bucket.ends_with('/')) bucket.remove_suffix(1);
  if (bucket.size() < 3 || bucket.size() > 63) return false;
  if (bucket == "minio" || bucket == ".minio.sys") return false;
  if (!is_letter_or_digit(bucket.front()) || !is_letter_or_digit(bucket.back())) return false;
  const auto allowed = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' || c == ':';
  };
  if (!std::ranges::all_of(bucket, allowed)) return false;
  for (const std::string_view pair : {"..", ".-", "-."})
    if (bucket.find(pair) != std::string_view::npos) return false;
  return !looks_like_an_address(bucket);
}

std::string minio_bucket_of(std::string_view path) {
  const std::vector<std::string> parts = minio_split(minio_clean(path));
  return parts.empty() ? "" : parts.front();
}

bool minio_scan_turn(std::string_view key, std::uint32_t cycle, std::uint32_t cycles) {
  return has_turn(static_cast<std::uint32_t>(xxh64(bytes_of(key))), cycle, cycles);
}

bool minio_heal_turn(std::string_view key, std::uint32_t cycle, std::uint32_t cycles) {
  return has_turn(static_cast<std::uint32_t>(xxh64(bytes_of(key)) >> 32), cycle, cycles);
}

}  // namespace bloomery
