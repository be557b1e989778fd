#include "apps/cli/filters/queryable_filter.h"

#include <filesystem>

#include "apps/cli/filters/leveldb_kind.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/bus_error.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/cli/web/files.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

bool worth_mapping(const std::string& path, const FormatOptions& options) {
  if (options.format != "auto" && options.format != "bloomery") return false;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  return !unknown && bytes >= QueryableFilter::kMappedFrom;
}

bool header_options_fit(const std::string& path, std::string_view format,
                        const FormatOptions& options, Session& session) {
  if (!options.are_for_this_file) return true;
  const auto fits = check_header_options(options, format);
  if (!fits) session.exit_code = complain(path, fits.error(), Blame::kArguments);
  return fits.has_value();
}

}  // namespace

std::optional<QueryableFilter> QueryableFilter::open(const std::string& path,
                                                     const FormatOptions& options,
                                                     Session& session) {
  if (is_redis_address(path)) return open_remote(path, options, session);
  if (options.format == "auto" && is_filter_set(path)) {
    auto set = open_set(path, options, session);
    if (!set || !header_options_fit(path, "bloomery", options, session)) return std::nullopt;
    return QueryableFilter{std::move(*set)};
  }
  if (is_web_address(path)) return open_web(path, options, session);
  if (worth_mapping(path, options)) {
    const auto decode = decode_options(options, session);
    if (!decode) return std::nullopt;
    // What cannot be mapped (another format, counters, layers) is read, and then says what is
    // wrong.
    if (auto mapped = MappedNative::open(path, *decode)) {
      if (!header_options_fit(path, "bloomery", options, session)) return std::nullopt;
      name_mapping(mapped->file_bytes(), path);
      if (mapped->was_open()) warn_of_open_file(path, session.globals);
      return QueryableFilter{std::move(*mapped)};
    }
  }
  if (leveldb_kind_of(path, options) != LevelDbKind::kNone) {
    const auto decode = decode_options(options, session);
    if (!decode) return std::nullopt;
    if (!header_options_fit(path, "leveldb", options, session)) return std::nullopt;
    auto database = LevelDbDatabase::open(path, *decode);
    if (database) return QueryableFilter{std::move(*database)};
    // An error of one file of a database names that file already.
    const bool names_it = database.error().message.starts_with(path);
    session.exit_code = complain(names_it ? "" : path, database.error(), Blame::kFilterFile);
    return std::nullopt;
  }
  auto file = open_filter(path, options, session);
  if (!file) return std::nullopt;
  return QueryableFilter{std::move(*file)};
}

std::optional<QueryableFilter> QueryableFilter::open_remote(const std::string& path,
                                                            const FormatOptions& options,
                                                            Session& session) {
  if (auto fits = check_remote_options(options); options.are_for_this_file && !fits) {
    session.exit_code = complain(path, fits.error(), Blame::kArguments);
    return std::nullopt;
  }
  auto filter = open_remote_filter(path, options.format);
  if (filter) return QueryableFilter{std::move(*filter)};
  session.exit_code = complain_of_filter(path, filter.error());
  return std::nullopt;
}

std::optional<QueryableFilter> QueryableFilter::open_web(const std::string& path,
                                                         const FormatOptions& options,
                                                         Session& session) {
  const auto refuse = [&](const Error& error) {
    session.exit_code = complain_of_filter(path, error);
    return std::nullopt;
  };
  const auto decode = decode_options(options, session);
  if (!decode) return std::nullopt;
  auto file = open_web_file(path, decode->limits);
  if (!file) return refuse(file.error());
  warn_of_cache(*file);
  if (options.format == "auto" && is_remote_set(*file)) {
    auto set = open_set(path, options, session);
    if (!set || !header_options_fit(path, "bloomery", options, session)) return std::nullopt;
    return QueryableFilter{std::move(*set)};
  }
  const bool may_be_ours = options.format == "auto" || options.format == "bloomery";
  if (!may_be_ours || !RemoteBlock::suits(*file)) {
    auto whole = open_filter(path, options, session);
    if (!whole) return std::nullopt;
    return QueryableFilter{std::move(*whole)};
  }
  if (!header_options_fit(path, "bloomery", options, session)) return std::nullopt;
  auto blocks = RemoteBlock::open(std::move(*file), *decode);
  if (!blocks) return refuse(blocks.error());
  if (blocks->was_open()) warn_of_open_file(path, session.globals);
  return QueryableFilter{std::make_unique<RemoteBlock>(std::move(*blocks))};
}

Status QueryableFilter::may_contain_batch(std::span<const ByteView> keys,
                                          std::span<std::uint8_t> answers) const {
  if (const auto* file = std::get_if<FilterFile>(&held_))
    return bloomery::may_contain_batch(file->filter, keys, answers);
  if (const auto* remote = std::get_if<Remote>(&held_))
    return (*remote)->may_contain_batch(keys, answers);
  if (const auto* web = std::get_if<Web>(&held_)) return (*web)->may_contain_batch(keys, answers);
  if (const FilterSet* parts = set()) return parts->may_contain_batch(keys, answers);
  if (const auto* asked = database())
    asked->may_contain_batch(keys, answers);
  else
    std::get<MappedNative>(held_).may_contain_batch(keys, answers);
  return ok();
}

const AnyFilter* QueryableFilter::in_memory() const {
  const auto* file = std::get_if<FilterFile>(&held_);
  return file != nullptr ? &file->filter : nullptr;
}

const LevelDbDatabase* QueryableFilter::database() const {
  return std::get_if<LevelDbDatabase>(&held_);
}

std::string_view QueryableFilter::format_name() const {
  if (const auto* remote = std::get_if<Remote>(&held_)) return (*remote)->format().name;
  if (database() != nullptr) return "leveldb";
  const auto* file = std::get_if<FilterFile>(&held_);
  return file != nullptr ? file->format->name : "bloomery";
}

std::optional<FunnelName> QueryableFilter::funnel() const {
  if (const auto* web = std::get_if<Web>(&held_)) return (*web)->funnel();
  if (is_remote() || database() != nullptr) return std::nullopt;  // neither keeps one
  if (set() != nullptr) return set()->funnel();
  const auto* file = std::get_if<FilterFile>(&held_);
  return file != nullptr ? recorded_funnel(file->filter) : std::get<MappedNative>(held_).funnel();
}

Result<Description> QueryableFilter::described() const {
  if (const FilterSet* parts = set()) return parts->describe();
  return describe();
}

Description QueryableFilter::describe() const {
  if (const auto* remote = std::get_if<Remote>(&held_)) return (*remote)->describe();
  if (const auto* web = std::get_if<Web>(&held_)) return (*web)->describe();
  if (const auto* file = std::get_if<FilterFile>(&held_)) return bloomery::describe(file->filter);
  if (const auto* asked = database()) return bloomery::describe(*asked);
  return bloomery::describe(std::get<MappedNative>(held_));
}

}  // namespace bloomery::cli
