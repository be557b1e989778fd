#include "apps/cli/filters/filter_file.h"

#include <iostream>

#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/remote/cluster_source.h"
#include "apps/cli/remote/redis_store.h"
#include "apps/cli/remote/remote_filter.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/standard_output.h"
#include "apps/cli/web/files.h"
#include "bloomery/base/file.h"
#include "bloomery/formats/index/header.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

std::string format_names() {
  std::string names;
  for (const Format& format : formats()) names += message(names.empty() ? "" : ", ", format.name);
  return names;
}

std::string names_without_magic() {
  std::string names;
  for (const Format& format : formats())
    if (format.looks_like == nullptr) names += message(names.empty() ? "" : ", ", format.name);
  return names;
}

struct EncodedFilter {
  std::vector<std::byte> bytes;
  const Format* format = nullptr;  // null: to be recognised by the bytes
};

Result<EncodedFilter> read_encoded(const std::string& path, const std::string& wanted,
                                   DecodeLimits limits) {
  const Format* format = nullptr;
  const auto read = [&]() -> Result<std::vector<std::byte>> {
    if (is_web_address(path)) return read_web_file(path, limits);
    if (!is_redis_address(path)) return read_file(path, limits);
    auto filter = open_remote_filter(path, wanted);
    if (!filter) return filter.error();
    format = &(*filter)->format();
    return (*filter)->fetch(limits);
  };
  auto bytes = read();
  if (!bytes) return bytes.error();
  return EncodedFilter{std::move(*bytes), format};
}

Status store_at(const std::string& path, const AnyFilter& filter, bool force) {
  const auto address = parse_redis_address(path);
  if (!address) return address.error();
  return address->shards ? store_in_cluster(*address, filter, force)
                         : store_filter(*address, filter, force);
}

Status write_to_stdout(ByteView bytes) {
  const std::string_view text = text_of(bytes);
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (std::cout) return ok();
  return Error{ErrorCode::kIo, output_failure()};
}

// Whether --fpr is the goal of a filter that has none.
bool takes_goal(const FormatOptions& options, const AnyFilter& filter) {
  if (!options.rate_is_goal || !options.sizing.rate) return false;
  const Description description = describe(filter);
  return description.health && !description.goal;
}

bool is_index(ByteView bytes) {
  return text_of(bytes).starts_with(std::string_view{kIndexMagic.data(), kIndexMagic.size()});
}

const Format* choose_format(const std::string& path, const FormatOptions& options, ByteView bytes,
                            Session& session) {
  if (options.format != "auto") {
    const Format* format = find_format(options.format);
    if (format == nullptr)
      session.exit_code =
          complain("", unknown_format(options.format, options.format_option), Blame::kArguments);
    return format;
  }
  const Format* format = guess_format(bytes);
  if (format == nullptr && is_index(bytes)) {
    session.exit_code = complain(path,
                                 "this is an index of filters, not a filter; use bloomery index "
                                 "query, inspect or verify",
                                 kExitUsage);
    return nullptr;
  }
  if (format == nullptr)
    session.exit_code = complain(
        path,
        message("the format is not recognised by the first bytes; name it with ",
                options.format_option, " (files of ", names_without_magic(), " have no mark)"),
        kExitUsage);
  return format;
}

}  // namespace

Error unknown_format(std::string_view name, std::string_view option) {
  return {ErrorCode::kInvalidArgument,
          message(option, ": unknown format '", name, "'; known formats: ", format_names())};
}

void add_format_name_options(CommandLine& app, FormatOptions& options) {
  app.add_option("--format", options.format,
                 "Format of the filter (default: auto, recognised by the first bytes)")
      ->value_name("NAME")
      ->group("Filter file");
  app.add_option("--secret-file", options.secret_file, "File with the secret of a keyed filter")
      ->value_name("FILE")
      ->group("Filter file");
}

void add_header_options(CommandLine& app, FormatOptions& options) {
  app.add_count("--keys", options.sizing.keys,
                "Number of keys that a filter without a header was built for")
      ->group("Filter file");
  app.add_probability("--fpr", options.sizing.rate,
                      options.rate_is_goal
                          ? "False-positive rate that a filter without a header was built for; the "
                            "goal that judges the health of a filter whose file stores none"
                          : "False-positive rate that a filter without a header was built for")
      ->group("Filter file");
  app.add_count("--bits", options.sizing.bits, "Size in bits of a filter without a header")
      ->group("Filter file");
  app.add_count("--probes", options.sizing.probes, "Number of probes of a filter without a header")
      ->group("Filter file");
}

void add_format_options(CommandLine& app, FormatOptions& options) {
  add_format_name_options(app, options);
  add_header_options(app, options);
}

Result<SipKey> read_secret(const std::string& path) {
  const auto secret = read_file(path, {.max_bytes = std::uint64_t{1} << 20});
  if (!secret) return secret.error();
  if (secret->empty())
    return Error{ErrorCode::kInvalidArgument,
                 "the secret is empty; put random bytes into the file"};
  return sip_key_from_secret(*secret);
}

std::optional<DecodeOptions> decode_options(const FormatOptions& options, Session& session) {
  DecodeOptions decode{.limits = {session.globals.memory}, .sizing = options.sizing};
  if (options.secret_file.empty()) return decode;
  const auto key = read_secret(options.secret_file);
  if (!key) {
    session.exit_code = complain(options.secret_file, key.error(), Blame::kArguments);
    return std::nullopt;
  }
  decode.sip_key = *key;
  return decode;
}

int complain_of_filter(const std::string& path, const Error& error) {
  // What a decoder calls an invalid argument is an option that is missing or does not fit.
  const bool options_at_fault = error.code == ErrorCode::kInvalidArgument;
  return complain(path, error, options_at_fault ? Blame::kArguments : Blame::kFilterFile);
}

std::optional<FilterFile> open_filter(const std::string& path, const FormatOptions& options,
                                      Session& session) {
  const auto refuse = [&](const Error& error) {
    session.exit_code = complain_of_filter(path, error);
    return std::nullopt;
  };
  if (options.format == "auto" && is_filter_set(path)) return load_set(path, options, session);
  const auto decode = decode_options(options, session);
  if (!decode) return std::nullopt;
  const auto encoded = read_encoded(path, options.format, decode->limits);
  if (!encoded) return refuse(encoded.error());
  const Format* format = encoded->format;
  if (format == nullptr) format = choose_format(path, options, encoded->bytes, session);
  if (format == nullptr) return std::nullopt;
  auto filter = format->decode(encoded->bytes, *decode);
  if (!filter) return refuse(filter.error());
  // The bytes do not distinguish the two strategies, but the filter does.
  if (options.format == "auto" && std::holds_alternative<ClassicFilter<GuavaMitz32>>(*filter))
    format = find_format("guava:mitz32");
  FormatOptions header = options;
  if (takes_goal(options, *filter)) header.sizing.rate.reset();
  if (auto fits = header.are_for_this_file ? check_header_options(header, format->name) : ok();
      !fits) {
    session.exit_code = complain(path, fits.error(), Blame::kArguments);
    return std::nullopt;
  }
  if (was_left_open(*filter)) warn_of_open_file(path, session.globals);
  if (options.are_for_this_file && !options.secret_file.empty() && !is_keyed(*filter) &&
      !session.globals.quiet)
    warn(path, "the filter is not keyed; --secret-file is ignored");
  return FilterFile{path, format, std::move(*filter)};
}

bool save_filter(const std::string& path, const Format& format, const AnyFilter& filter,
                 Session& session, bool force) {
  const auto save = [&]() -> Status {
    if (is_web_address(path)) return web_is_read_only();
    if (is_redis_address(path)) return store_at(path, filter, force);
    const auto bytes = format.encode(filter);
    if (!bytes) return bytes.error();
    if (path == "-") return write_to_stdout(*bytes);
    return save_locked(path, *bytes, force, session);
  };
  const auto saved = save();
  if (!saved) session.exit_code = complain(path, saved.error(), Blame::kArguments);
  return saved.has_value();
}

bool save_encoded(const std::string& path, const Format& format, ByteView bytes, Session& session,
                  bool force) {
  const auto save = [&]() -> Status {
    if (path == "-") return write_to_stdout(bytes);
    if (is_web_address(path)) return web_is_read_only();
    if (!is_redis_address(path)) return save_locked(path, bytes, force, session);
    const auto filter = format.decode(bytes, {.limits = {session.globals.memory}});
    return filter ? store_at(path, *filter, force) : filter.error();
  };
  const auto saved = save();
  if (!saved) session.exit_code = complain(path, saved.error(), Blame::kArguments);
  return saved.has_value();
}

bool needs_file(const std::string& path, std::string_view advice, Session& session) {
  if (!is_redis_address(path)) return false;
  session.exit_code = complain(path, advice, kExitUsage);
  return true;
}

bool was_left_open(const AnyFilter& filter) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.was_open; }) {
          return held.was_open;
        } else {
          return false;
        }
      },
      filter);
}

void warn_of_open_file(const std::string& path, const Globals& globals) {
  if (globals.quiet) return;
  warn(path,
       "a program that was writing the file did not close it: its bits have no valid checksum, and "
       "its keys are estimated from them");
}

void judge_by(std::optional<double> rate, Description& description) {
  if (!rate || description.goal || !description.health) return;
  description.goal = Goal{0, *rate};
  Health& health = *description.health;
  health.verdict = judge(health.fill, health.error_rate, description.goal);
}

bool has_verified_checksum(const FilterFile& file, const Description& description) {
  // The decoder of what a server's DUMP gives verifies its CRC-64.
  return description.has_checksum || file.format->name.ends_with(":payload");
}

void warn_of_health(const std::string& path, const Description& description,
                    const Globals& globals) {
  if (globals.quiet || !description.health || description.health->verdict == Verdict::kOk) return;
  const Health& health = *description.health;
  std::string sentence =
      message(health.verdict == Verdict::kSaturated ? "the filter is saturated"
                                                    : "the filter is over its design",
              ": about ", format_count(health.estimated_keys), " keys");
  const bool knows_keys = description.goal && description.goal->keys > 0;
  if (knows_keys) sentence += message(" in a filter for ", format_count(description.goal->keys));
  sentence += message("; its false-positive rate is ", format_probability(health.error_rate));
  if (description.goal)
    sentence += message(knows_keys ? ", and it was built for " : ", and its goal is ",
                        format_probability(description.goal->false_positive_rate));
  warn(path, sentence);
}

}  // namespace bloomery::cli
