#include "apps/cli/filters/create_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/number_options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSizing = "Sizing";
constexpr const char* kEngine = "Engine (format bloomery)";
constexpr const char* kForeign = "Options of one format";

template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::string& help,
                        const std::map<std::string, Value>& choices,
                        std::function<void(const std::string&, Value)> use) {
  std::string names;
  for (const auto& [choice, value] : choices) names += (names.empty() ? "" : "|") + choice;
  return app
      .add_option_function<std::string>(
          name,
          [=](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end())
              throw CLI::ValidationError(name,
                                         "it is one of " + names + ", and not '" + text + "'");
            use(text, found->second);
          },
          help)
      ->type_name(names);
}

void add_sizing(CLI::App& app, NewFilterOptions& options) {
  SizingRequest& sizing = options.create.sizing;
  const auto limit = [&](CLI::Option* option, std::string_view family) {
    options.limited.push_back({option->group(kSizing), {"bloomery", family}});
  };
  add_count_option(app, "-n,--keys", sizing.keys,
                   "Keys the filter is for (default: judged from the length of the files and a\n"
                   "sample of their records; a pipe starts at 1M and grows in layers)")
      ->group(kSizing);
  add_probability_option(app, "-p,--fpr", sizing.rate,
                         "False-positive rate with that many keys in it (default: 0.01)")
      ->group(kSizing);
  add_count_option(app, "--bits", sizing.bits, "Bits, instead of keys and rate")->group(kSizing);
  add_count_option(app, "--probes", sizing.probes, "Probes of a key")->group(kSizing);
  limit(app.add_option("--bits-per-key", sizing.bits_per_key,
                       "Bits for each key, instead of a rate (default of leveldb: 10)")
            ->type_name("B"),
        "leveldb");
  limit(add_count_option(app, "--blocks", sizing.blocks,
                         "Blocks, instead of bits (of 64 bytes; of parquet: of 32)"),
        "parquet");
}

void add_engine(CLI::App& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](CLI::Option* option) {
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
      [&](const std::string&, Layout layout) { create.layout = layout; }));
  limit(
      add_choice<Profile>(app, "--profile", "The hash (default: xxh3)",
                          {{"xxh3", Profile::kXxh3},
                           {"aes", Profile::kAes},
                           {"mix", Profile::kMix},
                           {"siphash", Profile::kSiphash}},
                          [&](const std::string&, Profile profile) { create.profile = profile; }));
  limit(add_count_option(app, "--seed", create.seed, "Seed of the hash (default: 0)"));
  limit(app.add_option("--secret-file", options.secret_file,
                       "File whose bytes are the secret of a keyed filter (profile siphash)")
            ->type_name("FILE"));
  limit(app.add_option("--counter-bits", create.counter_bits, "Bits of a counter (default: 4)")
            ->check(CLI::IsMember({2, 4, 8}))
            ->type_name("2|4|8"));
  limit(app.add_option("--growth", create.growth.factor,
                       "How many times the keys of the layer before (default: 2)")
            ->type_name("N"));
  limit(app.add_option("--tightening", create.growth.tightening,
                       "How many times the rate of the layer before (default: 0.5)")
            ->type_name("T"));
  limit(app.add_option("--max-layers", create.growth.max_layers, "Most layers (default: 32)")
            ->type_name("N"));
}

void add_foreign(CLI::App& app, NewFilterOptions& options) {
  CreateOptions& create = options.create;
  const auto limit = [&](CLI::Option* option, auto... families) {
    options.limited.push_back({option->group(kForeign), {families...}});
  };
  limit(app.add_option("--base-lg", create.base_lg,
                       "leveldb:block: a filter for each 2^N bytes of the table (default: 11)")
            ->type_name("N"),
        "leveldb");
  limit(add_choice<GuavaRelease>(
            app, "--guava-release", "guava: whose rule for the number of probes (default: 33.4)",
            {{"31", GuavaRelease::k31}, {"33.4", GuavaRelease::k33_4}},
            [&](const std::string&, GuavaRelease release) { create.guava_release = release; }),
        "guava");
  limit(app.add_option_function<std::string>(
               "--data",
               [&](const std::string& text) {
                 const ByteView bytes = bytes_of(text);
                 create.user_data.assign(bytes.begin(), bytes.end());
               },
               "dcso: bytes to keep after the filter")
            ->type_name("TEXT"),
        "dcso");
  limit(app.add_option("--expansion", create.expansion,
                       "redisbloom, rediscuckoo: how many times the keys of the layer before;\n"
                       "0: no growth (default: 2)")
            ->type_name("N"),
        "redisbloom", "rediscuckoo");
}

Error usage(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

Status check_limited(const NewFilterOptions& options) {
  for (const auto& [option, families] : options.limited) {
    if (option->count() == 0) continue;
    if (std::ranges::find(families, family_of(options.format)) != families.end()) continue;
    std::string names;
    for (const std::string_view family : families)
      names += message(names.empty() ? "" : " or ", family);
    return usage(message(option->get_name(), " is an option of format ", names,
                         ", and the format is ", options.format));
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

void add_bulk_options(CLI::App& app, NewFilterOptions& options) {
  const auto limit = [&](CLI::Option* option, const char* group) {
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
  return options.format_option != nullptr && options.format_option->count() > 0;
}

std::string_view family_of(std::string_view format) { return format.substr(0, format.find(':')); }

void add_new_filter_options(CLI::App& app, NewFilterOptions& options) {
  add_sizing(app, options);
  options.format_option =
      app.add_option("--format", options.format, "Format of the file (default: bloomery)")
          ->type_name("NAME")
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
