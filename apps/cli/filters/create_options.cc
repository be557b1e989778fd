#include "apps/cli/filters/create_options.h"

#include <algorithm>
#include <map>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSizing = "Sizing";
constexpr const char* kEngine = "Engine (format bloomery)";
constexpr const char* kForeign = "Options of one format";

template <class Value, class Target>
Option* add_choice(CommandLine& app, std::string_view name, std::string_view help,
                   const std::map<std::string, Value>& choices, Target& target) {
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) names.push_back(choice);
  const auto store = [choices, &target](const std::string& text) {
    target = choices.at(text);
    return ok();
  };
  return app.add_option(name, Option::Store{store}, help)->choices(std::move(names));
}

void add_sizing(CommandLine& app, NewFilterOptions& options) {
  SizingRequest& sizing = options.create.sizing;
  const auto limit = [&](Option* option, std::string_view family) {
    options.limited.push_back({option->group(kSizing), {"bloomery", family}});
  };
  app.add_count("-n,--keys", sizing.keys,
                "Number of keys to size the filter for (default: estimated from the length of the "
                "files and a sample of their records; a pipe starts at 1M and grows in layers)")
      ->group(kSizing);
  app.add_probability("-p,--fpr", sizing.rate,
                      "False-positive rate when that many keys are in (default: 1%)")
      ->group(kSizing);
  app.add_count("--bits", sizing.bits, "Size in bits, instead of --keys and --fpr")->group(kSizing);
  app.add_count("--probes", sizing.probes, "Number of probes per key")->group(kSizing);
  limit(app.add_option("--bits-per-key", sizing.bits_per_key,
                       "Bits per key, instead of --fpr (leveldb: default 10)")
            ->value_name("B"),
        "leveldb");
  limit(app.add_count("--blocks", sizing.blocks,
                      "Size in blocks, instead of --bits (64 bytes each; parquet: 32)"),
        "parquet");
}

void add_engine(CommandLine& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](Option* option) {
    options.limited.push_back({option->group(kEngine), {"bloomery"}});
  };
  limit(add_choice<Layout>(app, "--layout",
                           "Memory layout (default: auto, which is block, the fastest, or lines, "
                           "two to four cache lines per key, for rates below about 0.03 %)",
                           {{"auto", Layout::kAuto},
                            {"block", Layout::kBlock},
                            {"lines", Layout::kLines},
                            {"classic", Layout::kClassic},
                            {"counting", Layout::kCounting},
                            {"scalable", Layout::kScalable}},
                           create.layout));
  limit(add_choice<Profile>(app, "--profile", "Hash function (default: xxh3-64)",
                            {{"xxh3-64", Profile::kXxh3_64},
                             {"xxh3", Profile::kXxh3},
                             {"aes", Profile::kAes},
                             {"mix", Profile::kMix},
                             {"siphash", Profile::kSiphash}},
                            create.profile));
  limit(app.add_count("--seed", create.seed, "Seed of the hash (default: 0)"));
  limit(app.add_option("--secret-file", options.secret_file,
                       "File with the secret of a keyed filter (--profile siphash)")
            ->value_name("FILE"));
  limit(app.add_count("--counter-bits", create.counter_bits, "Bits per counter (default: 4)")
            ->choices({"2", "4", "8"}));
  limit(app.add_count("--growth", create.growth.factor,
                      "Keys of a layer, as a multiple of the previous one (default: 2)")
            ->value_name("N"));
  limit(app.add_option("--tightening", create.growth.tightening,
                       "Rate of a layer, as a multiple of the previous one (default: 0.5)")
            ->value_name("T"));
  limit(app.add_count("--max-layers", create.growth.max_layers,
                      "Maximum number of layers (default: 32)")
            ->value_name("N"));
}

void add_foreign(CommandLine& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](Option* option, auto... families) {
    options.limited.push_back({option->group(kForeign), {families...}});
  };
  limit(app.add_count("--base-lg", create.base_lg,
                      "leveldb:block: one filter for each 2^N bytes of the table (default: 11)")
            ->value_name("N"),
        "leveldb");
  limit(add_choice<GuavaRelease>(
            app, "--guava-release",
            "guava: release whose rule gives the number of probes (default: 33.4)",
            {{"31", GuavaRelease::k31}, {"33.4", GuavaRelease::k33_4}}, create.guava_release),
        "guava");
  limit(app.add_option("--data", Option::Store{[&](const std::string& text) {
                         const ByteView bytes = bytes_of(text);
                         create.user_data.assign(bytes.begin(), bytes.end());
                         return ok();
                       }},
                       "dcso: user data to store after the filter")
            ->value_name("TEXT"),
        "dcso");
  limit(app.add_count("--expansion", create.expansion,
                      "redisbloom, rediscuckoo: keys of a layer, as a multiple of the previous one "
                      "(0: no growth; default: 2)")
            ->value_name("N"),
        "redisbloom", "rediscuckoo");
}

Status check_limited(const NewFilterOptions& options) {
  for (const auto& [option, families] : options.limited) {
    if (!option->given()) continue;
    if (std::ranges::find(families, family_of(options.format)) != families.end()) continue;
    std::string names;
    for (const std::string_view family : families)
      names += message(names.empty() ? "" : " or ", family);
    return usage_error(message(option->name(), " is an option of format ", names,
                               "; the format is ", options.format));
  }
  return ok();
}

Status check_fold_at_end(const NewFilterOptions& options) {
  if (!options.fold_at_end) return ok();
  const SizingRequest& sizing = options.create.sizing;
  if (sizing.keys || sizing.bits || sizing.bits_per_key || sizing.blocks)
    return usage_error(
        "--auto finds the size itself: it accepts --fpr and --probes, but no other size");
  const Layout layout = options.create.layout;
  if (options.create.seeded || (layout != Layout::kAuto && layout != Layout::kBlock))
    return usage_error(
        "--auto builds a block filter and folds it: it cannot be combined with another --layout or "
        "with --seeded");
  return ok();
}

}  // namespace

void add_bulk_options(CommandLine& app, NewFilterOptions& options) {
  const auto limit = [&](Option* option, const char* group) {
    options.limited.push_back({option->group(group), {"bloomery"}});
  };
  limit(app.add_flag("--auto", options.fold_at_end,
                     "Size the filter for any number of keys: start from --memory, and fold to the "
                     "smallest block filter that keeps --fpr"),
        kSizing);
  limit(app.add_flag("--seeded", options.create.seeded,
                     "Choose a seed for each block that leaves it emptiest: a smaller filter, "
                     "built in bulk (16 bytes per key within --memory, then a temporary file)"),
        kEngine);
}

bool format_is_given(const NewFilterOptions& options) {
  return options.format_option != nullptr && options.format_option->given();
}

std::string_view family_of(std::string_view format) { return format.substr(0, format.find(':')); }

void add_new_filter_options(CommandLine& app, NewFilterOptions& options) {
  add_sizing(app, options);
  options.format_option =
      app.add_option("--format", options.format, "Format of the file (default: bloomery)")
          ->value_name("NAME")
          ->group("Filter file");
  add_engine(app, options);
  add_foreign(app, options);
}

Result<const Format*> chosen_format(NewFilterOptions& options) {
  const Format* format = find_format(options.format);
  if (format == nullptr) return unknown_format(options.format);
  if (format->create == nullptr)
    return usage_error(
        message("--format: a filter of format ", format->name, " cannot be built from keys"));
  if (auto fits = check_limited(options); !fits) return fits.error();
  if (auto fits = check_fold_at_end(options); !fits) return fits.error();
  if (auto fits = check_sizing(options); !fits) return fits.error();
  const bool keyed = options.create.profile == Profile::kSiphash;
  if (keyed != !options.secret_file.empty())
    return usage_error(keyed ? "--profile siphash needs a --secret-file"
                             : "--secret-file needs --profile siphash, the keyed hash");
  if (keyed) {
    const auto key = read_secret(options.secret_file);
    if (!key) return key.error();
    options.create.sip_key = *key;
  }
  return format;
}

}  // namespace bloomery::cli
