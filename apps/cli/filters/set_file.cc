#include "apps/cli/filters/set_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "apps/cli/filters/queryable_filter.h"
#include "apps/cli/web/files.h"
#include "bloomery/formats/native/part_file.h"
#include "bloomery/formats/set/join.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

// A part is trusted where a file of its size is.
static_assert(FilterSet::kTrustedFrom == QueryableFilter::kMappedFrom);

// The first bytes of a regular file: a pipe would lose what is read here.
std::vector<std::byte> first_bytes(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  std::ifstream file{path, std::ios::binary};
  std::vector<std::byte> bytes(64);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

bool is_filter_set(const std::string& path) {
  if (is_web_address(path)) return shown_web_address(path).ends_with(".bloomset");
  return path.ends_with(".bloomset") || looks_like_manifest(first_bytes(path));
}

bool is_part_file(const std::string& path) { return looks_like_native_part(first_bytes(path)); }

std::optional<FilterSet> open_set(const std::string& path, const FormatOptions& options,
                                  Session& session) {
  const auto decode = decode_options(options, session);
  if (!decode) return std::nullopt;
  auto set = is_web_address(path) ? open_web_set(path, *decode) : FilterSet::open(path, *decode);
  if (set) return std::move(*set);
  session.exit_code = complain_of_filter(path, set.error());
  return std::nullopt;
}

std::optional<FilterFile> load_set(const std::string& path, const FormatOptions& options,
                                   Session& session) {
  const auto set = open_set(path, options, session);
  if (!set) return std::nullopt;
  auto filter = load_joined(*set, {session.globals.memory});
  if (filter) return FilterFile{path, find_format("bloomery"), std::move(*filter)};
  session.exit_code = complain_of_filter(path, filter.error());
  return std::nullopt;
}

bool refuse_to_change_set(const std::string& path, Session& session) {
  if (!is_filter_set(path)) return false;
  session.exit_code = complain(
      path,
      "this is a filter in parts, which are built apart (build --part); to change it here, make "
      "one file of it (bloomery join)",
      kExitUsage);
  return true;
}

}  // namespace bloomery::cli
