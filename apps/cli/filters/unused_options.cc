#include "apps/cli/filters/unused_options.h"

#include <algorithm>
#include <array>
#include <bit>

#include "bloomery/base/message.h"
#include "bloomery/formats/format_sizes.h"

namespace bloomery::cli {
namespace {

Error unused(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

std::string names_of(unsigned sizes) {
  constexpr std::array<std::pair<SizeMember, const char*>, 6> kNames{
      {{kSizeKeys, "--keys"},
       {kSizeRate, "--fpr"},
       {kSizeBits, "--bits"},
       {kSizeProbes, "--probes"},
       {kSizeBitsPerKey, "--bits-per-key"},
       {kSizeBlocks, "--blocks"}}};
  std::string names;
  for (const auto& [size, name] : kNames)
    if ((sizes & size) != 0) names += message(names.empty() ? "" : " ", name);
  return names;
}

constexpr unsigned kShape = kSizeBits | kSizeProbes;

// How the user sizes a filter of a family (takes_sizes() decides).
struct SizingWords {
  std::string_view family;
  const char* words;
};

constexpr SizingWords kSizingWords[] = {
    {"go-bloom", "--keys and --fpr, or --bits and --probes"},
    {"leveldb", "--keys with --bits-per-key or --fpr, or --bits and --probes"},
    {"guava", "--keys and --fpr"},
    {"dcso", "--keys and --fpr"},
    {"redisbloom", "--keys and --fpr"},
    {"rediscuckoo", "--keys"},
    {"bits-and-blooms", "--keys and --fpr, or --bits and --probes"},
    {"parquet", "--keys and --fpr, or --blocks"},
    {"eventhorizon", "--bits and --probes"},
    {"ethereum", "no option: it has 2048 bits and 3 probes"},
};

bool is_given(const NewFilterOptions& options, std::string_view name) {
  return std::ranges::any_of(options.limited, [&](const NewFilterOptions::Limited& one) {
    return one.option->name() == name && one.option->given();
  });
}

struct HashOf {
  std::optional<Hasher> operator()(const auto& held) const {
    if constexpr (requires { held.filter.hash().hasher; })
      return held.filter.hash().hasher;
    else if constexpr (requires { held.filter.dialect().hasher; })
      return held.filter.dialect().hasher;
    else
      return std::nullopt;
  }
};

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::kClassic:
      return "classic";
    case Layout::kBlock:
      return "block";
    case Layout::kLines:
      return "lines";
    case Layout::kCounting:
      return "counting";
    case Layout::kScalable:
      return "scalable";
    case Layout::kAuto:
      break;
  }
  return "";  // every layout
}

// The option of a new filter that says something else than the one there is; none: empty.
std::string differing_option(const NewFilterOptions& options, const FilterFile& file,
                             bool sizes_of_others) {
  const Description is = describe(file.filter);
  const SizingRequest& asked = options.create.sizing;
  const auto hasher = hasher_of(file.filter);
  if (!sizes_of_others) {
    if (asked.keys && !(is.goal && is.goal->keys == *asked.keys)) return "--keys";
    if (asked.rate && !(is.goal && is.goal->false_positive_rate == *asked.rate)) return "--fpr";
    if (asked.bits && is.bits != asked.bits) return "--bits";
    if (asked.probes && is.probes != asked.probes) return "--probes";
  }
  for (const auto& [option, families] : options.limited) {
    const std::string name = option->name();
    if (!option->given() || name == "--secret-file") continue;
    if (name == "--layout" && is.layout.starts_with(name_of(options.create.layout))) continue;
    if (name == "--profile" && hasher && hasher->profile() == options.create.profile) continue;
    if (name == "--seed" && hasher && hasher->seed() == options.create.seed) continue;
    return name;
  }
  return "";
}

}  // namespace

Status check_sizing(const NewFilterOptions& options) {
  const std::string_view family = family_of(options.format);
  const unsigned given = given_sizes(options.create.sizing);
  if (is_given(options, "--base-lg") && options.format != "leveldb:block")
    return unused(
        message("--base-lg is an option of format leveldb:block; the format is ", options.format));
  if (takes_sizes(options.format, given)) return ok();
  const auto* row = std::ranges::find(kSizingWords, family, &SizingWords::family);
  return unused(message("a filter of format ", options.format, " is sized by ", row->words,
                        "; it cannot use ", names_of(given),
                        std::has_single_bit(given) ? "" : " together"));
}

Status check_layout(const NewFilterOptions& options, Layout layout) {
  if (family_of(options.format) != "bloomery") return ok();
  struct Use {
    std::string_view option;
    Layout layout;
  };
  constexpr Use kUses[] = {{"--counter-bits", Layout::kCounting},
                           {"--growth", Layout::kScalable},
                           {"--tightening", Layout::kScalable},
                           {"--max-layers", Layout::kScalable},
                           {"--blocks", Layout::kBlock}};
  for (const auto& [option, user] : kUses)
    if (is_given(options, option) && layout != user &&
        !(user == Layout::kBlock && layout == Layout::kLines))
      return unused(message(option, " is an option of layout ", name_of(user), "; the layout is ",
                            name_of(layout)));
  if (is_given(options, "--seed") && options.create.profile == Profile::kSiphash)
    return unused("--seed: --profile siphash takes its key from --secret-file, not from a seed");
  return ok();
}

Status check_header_options(const FormatOptions& options, std::string_view format) {
  const unsigned given = given_sizes(options.sizing);
  const std::string_view family = family_of(format);
  if (given == 0) return ok();
  if (family == "go-bloom") {
    const bool half = (given & kShape) != 0 && (given & kShape) != kShape;
    if (!half) return ok();
    return unused("--bits and --probes describe a go-bloom file together: give both or neither");
  }
  if (family == "eventhorizon") {
    if ((given & ~kShape) == 0) return ok();
    return unused("an eventhorizon file is described by --bits and --probes alone");
  }
  return unused(message(names_of(given), ": a file of format ", format, " stores its ",
                        options.rate_is_goal && given == kSizeRate ? "goal" : "size",
                        "; leave the option out"));
}

Status check_remote_options(const FormatOptions& options) {
  const unsigned given = given_sizes(options.sizing);
  if (given == 0 && options.secret_file.empty()) return ok();
  return unused(message(given != 0 ? names_of(given) : "--secret-file",
                        ": for files only; a server knows its filters"));
}

Status check_existing(const NewFilterOptions& options, const FilterFile& file,
                      bool sizes_of_others) {
  const std::string option = differing_option(options, file, sizes_of_others);
  if (option.empty()) return ok();
  return unused(message(option, " is for a new filter: ", file.path,
                        " exists and keeps its parameters; leave the option out, or save to a new ",
                        "file"));
}

Status check_globals(const CommandLine& subcommand, std::span<const char* const> not_used,
                     std::string_view why) {
  for (const CommandLine* command = &subcommand; command != nullptr; command = command->parent())
    for (const char* name : not_used)
      if (command->find_option(name)->given())
        return unused(message(name, " has no effect: ", why, "; leave the option out"));
  return ok();
}

std::optional<Hasher> hasher_of(const AnyFilter& filter) { return std::visit(HashOf{}, filter); }

bool is_keyed(const AnyFilter& filter) {
  const auto hasher = hasher_of(filter);
  return hasher && hasher->profile() == Profile::kSiphash;
}

}  // namespace bloomery::cli
