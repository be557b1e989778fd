#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/remote/cluster_source.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/formats/rewrap.h"

namespace bloomery::cli {
namespace {

struct ConvertOptions {
  std::string file;
  std::string to;
  OutputOptions output;
  FormatOptions format;
};

void report_conversion(const ConvertOptions& options, const FilterFile& from, std::size_t bytes,
                       const Globals& globals) {
  if (globals.json) {
    const Json json{{"from", from.format->name}, {"to", options.to}, {"bytes", bytes}};
    std::cout << json.dump() << '\n';
  } else if (!globals.quiet) {
    // From our own format into it again, counters have become bits.
    const bool same = from.format->name == options.to && options.to == "bloomery";
    std::cerr << "bloomery: " << name_without_secrets(options.output.path) << ": "
              << (same ? describe(from.filter).layout + " " : "") << from.format->name
              << " written as " << (same ? "plain " : "") << options.to << ", "
              << format_bytes(bytes) << "; same keys, same answers\n";
  }
}

std::optional<RedisAddress> sharded_address(const std::string& path) {
  if (!is_redis_address(path)) return std::nullopt;
  auto address = parse_redis_address(path);
  return address && address->shards ? std::optional{std::move(*address)} : std::nullopt;
}

// Part by part from its file to its server.
int load_into_cluster(const ConvertOptions& options, const RedisAddress& address,
                      Session& session) {
  const auto set = FilterSet::open(options.file, {.limits = {session.globals.memory}});
  if (!set) return complain(options.file, set.error(), Blame::kFilterFile);
  const InterruptGuard guard;
  const auto stored =
      store_shards(address, SetSource{*set}, options.output.force, InterruptGuard::interrupted);
  if (!stored) return complain(options.output.path, stored.error(), Blame::kArguments);
  if (session.globals.json)
    std::cout << Json{{"from", "bloomset"},
                      {"to", options.to},
                      {"bytes", stored->bytes},
                      {"shards", stored->shards}}
                     .dump()
              << '\n';
  else if (!session.globals.quiet)
    std::cerr << "bloomery: " << name_without_secrets(options.output.path) << ": " << stored->shards
              << " shards loaded, " << format_bytes(stored->bytes) << "; same keys, same answers\n";
  return kExitSuccess;
}

int convert(const ConvertOptions& options, Session& session) {
  const Format* to = find_format(options.to);
  if (to == nullptr) return complain("", unknown_format(options.to, "--to"), Blame::kArguments);
  if (!may_write(options.output, session, to)) return session.exit_code;
  if (const auto address = sharded_address(options.output.path); address)
    if (is_filter_set(options.file)) return load_into_cluster(options, *address, session);
  if (!lock_to_write(options.output.path, options.output.force, session)) return session.exit_code;
  const auto opened = open_filter(options.file, options.format, session);
  if (!opened) return session.exit_code;
  const auto bytes = rewrap(opened->filter, *to);
  if (!bytes) return complain(options.file, bytes.error(), Blame::kFilterFile);
  if (!save_encoded(options.output.path, *to, *bytes, session, options.output.force))
    return session.exit_code;
  report_conversion(options, *opened, bytes->size(), session.globals);
  return kExitSuccess;
}

}  // namespace

void attach_convert(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery convert --to bits-and-blooms:json -o seen.json seen.bin\n"
      "  bloomery convert --format leveldb --to leveldb:block -o block.bin filter.bin\n"
      "  bloomery convert --to bloomery -o seen.bloom counting.bloom    counters become bits\n"
      "  bloomery convert --format redisbloom --to redisbloom -o redis://localhost/seen seen.bin\n"
      "  bloomery convert --to redisbloom -o seen.bin redis://localhost/seen\n"
      "  bloomery convert --to bloomery -o 'redis://node1/seen?shards=auto' seen.bloom\n");
  auto options = std::make_shared<ConvertOptions>();
  subcommand
      .add_option("IN", options->file, "The filter to convert: a file or redis://host:port/key")
      ->required();
  subcommand.add_option("--to", options->to, "The format to write")->required()->value_name("NAME");
  add_output_options(subcommand, options->output, session.globals);
  add_format_options(subcommand, options->format);
  subcommand.action([options, &session] { session.exit_code = convert(*options, session); });
}

}  // namespace bloomery::cli
