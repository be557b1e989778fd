#include "apps/cli/filters/create_options.h"

#include <algorithm>
#include <map>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSizing = "Sizing";
constexpr const char* kEngine = "Engine (format bloomery)";
constexpr const char* kForeign = "Options of one format";

template <class Value>
Option* add_choice(CommandLine& app, std::string_view name, std::string_view help,
                   const std::map<std::string, Value>& choices, Value& target) {
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
                "Keys the filter is for (default: judged from the length of the files and a\n"
                "sample of their records; a pipe starts at 1M and grows in layers)")
      ->group(kSizing);
  app.add_probability("-p,--fpr", sizing.rate,
                      "False-positive rate with that many keys in it (default: 0.01)")
      ->group(kSizing);
  app.add_count("--bits", sizing.bits, "Bits, instead of keys and rate")->group(kSizing);
  app.add_count("--probes", sizing.probes, "Probes of a key")->group(kSizing);
  limit(app.add_option("--bits-per-key", sizing.bits_per_key,
                       "Bits for each key, instead of a rate (default of leveldb: 10)")
            ->value_name("B"),
        "leveldb");
  limit(app.add_count("--blocks", sizing.blocks,
                      "Blocks, instead of bits (of 64 bytes; of parquet: of 32)"),
        "parquet");
}

void add_engine(CommandLine& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](Option* option) {
    options.limited.push_back({option->group(kEngine), {"bloomery"}});
  };
  limit(add_choice<Layout>(
      app, "--layout",
      "How the bits lie in memory (default: auto, which is block, the fastest, and classic\n"
      "for rates below about 0.02 %)",
      {{"auto", Layout::kAuto},
       {"block", Layout::kBlock},
       {"classic", Layout::kClassic},
       {"counting", Layout::kCounting},
       {"scalable", Layout::kScalable}},
      create.layout));
  limit(add_choice<Profile>(app, "--profile", "The hash (default: xxh3)",
                            {{"xxh3", Profile::kXxh3},
                             {"aes", Profile::kAes},
                             {"mix", Profile::kMix},
                             {"siphash", Profile::kSiphash}},
                            create.profile));
  limit(app.add_count("--seed", create.seed, "Seed of the hash (default: 0)"));
  limit(app.add_option("--secret-file", options.secret_file,
                       "File whose bytes are the secret of a keyed filter (profile siphash)")
            ->value_name("FILE"));
  limit(app.add_count("--counter-bits", create.counter_bits, "Bits of a counter (default: 4)")
            ->choices({"2", "4", "8"}));
  limit(app.add_count("--growth", create.growth.factor,
                      "How many times the keys of the layer before (default: 2)")
            ->value_name("N"));
  limit(app.add_option("--tightening", create.growth.tightening,
                       "How many times the rate of the layer before (default: 0.5)")
            ->value_name("T"));
  limit(app.add_count("--max-layers", create.growth.max_layers, "Most layers (default: 32)")
            ->value_name("N"));
}

void add_foreign(CommandLine& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](Option* option, auto... families) {
    options.limited.push_back({option->group(kForeign), {families...}});
  };
  limit(app.add_count("--base-lg", create.base_lg,
                      "leveldb:block: a filter for each 2^N bytes of the table (default: 11)")
            ->value_name("N"),
        "leveldb");
  limit(add_choice<GuavaRelease>(
            app, "--guava-release", "guava: whose rule for the number of probes (default: 33.4)",
            {{"31", GuavaRelease::k31}, {"33.4", GuavaRelease::k33_4}}, create.guava_release),
        "guava");
  limit(app.add_option("--data", Option::Store{[&](const std::string& text) {
                         const ByteView bytes = bytes_of(text);
                         create.user_data.assign(bytes.begin(), bytes.end());
                         return ok();
                       }},
                       "dcso: bytes to keep after the filter")
            ->value_name("TEXT"),
        "dcso");
  limit(app.add_count("--expansion", create.expansion,
                      "redisbloom, rediscuckoo: how many times the keys of the layer before;\n"
                      "0: no growth (default: 2)")
            ->value_name("N"),
        "redisbloom", "rediscuckoo");
}

Error usage(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

Status check_limited(const NewFilterOptions& options) {
  for (const auto& [option, families] : options.limited) {
    if (!option->given()) continue;
    if (std::ranges::find(families, family_of(options.format)) != families.end()) continue;
    std::string names;
    for (const std::string_view family : families)
      names += message(names.empty() ? "" : " or ", family);
    return usage(message(option->name(), " is an option of format ", names, ", and the format is ",
                         options.format));
  }
  return ok();
}

Status check_fold_at_end(const NewFilterOptions& options) {
  if (!options.fold_at_end) return ok();
  const SizingRequest& sizing = options.create.sizing;
  if (sizing.keys || sizing.bits || sizing.bits_per_key || sizing.blocks)
    return usage("--auto finds the size itself: it takes --fpr and --probes, and no other size");
  const Layout layout = options.create.layout;
  if (options.create.seeded || (layout != Layout::kAuto && layout != Layout::kBlock))
    return usage("--auto makes a block filter and folds it: no other layout, and no --seeded");
  return ok();
}

}  // namespace

void add_bulk_options(CommandLine& app, NewFilterOptions& options) {
  const auto limit = [&](Option* option, const char* group) {
    options.limited.push_back({option->group(group), {"bloomery"}});
  };
  limit(app.add_flag("--auto", options.fold_at_end,
                     "For any number of keys: start from --memory, and fold to the smallest block\n"
                     "filter that keeps --fpr"),
        kSizing);
  limit(
      app.add_flag("--seeded", options.create.seeded,
                   "Choose for each block the bits that leave it emptiest: a smaller filter, made\n"
                   "in bulk (16 bytes per key within --memory, then a temporary file)"),
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
    return usage(
        message("--format: a filter of format ", format->name, " cannot be made from keys"));
  if (auto fits = check_limited(options); !fits) return fits.error();
  if (auto fits = check_fold_at_end(options); !fits) return fits.error();
  if (auto fits = check_sizing(options); !fits) return fits.error();
  const bool keyed = options.create.profile == Profile::kSiphash;
  if (keyed != !options.secret_file.empty())
    return usage(keyed ? "--profile siphash needs a --secret-file"
                       : "--secret-file is for --profile siphash, whose hash is keyed");
  if (keyed) {
    const auto key = read_secret(options.secret_file);
    if (!key) return key.error();
    options.create.sip_key = *key;
  }
  return format;
}

}  // namespace bloomery::cli
