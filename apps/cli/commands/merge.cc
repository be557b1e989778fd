#include <cmath>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/formats/measured_description.h"
#include "bloomery/formats/native/part_file.h"

namespace bloomery::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  OutputOptions output;
  FormatOptions format;
  std::string operation = "or";
  std::optional<double> max_rate;
  bool tree = false;
};

// Filters of different hashes have nothing in common, whatever else differs.
Error why_not_merged(const FilterFile& one, const FilterFile& other, const Error& error) {
  const auto mine = hasher_of(one.filter);
  const auto theirs = hasher_of(other.filter);
  if (!mine || !theirs || mine->profile() == theirs->profile()) return error;
  const std::string advice = std::holds_alternative<NativeScalable>(one.filter)
                                 ? "build both with the same --profile"
                                 : "build --like " + one.path + " makes one that merges with it";
  return {error.code, message("the filters hash differently: ", profile_name(mine->profile()),
                              " against ", profile_name(theirs->profile()), "; ", advice)};
}

std::optional<FilterFile> merge_all(const MergeOptions& options, Session& session) {
  auto merged = open_filter(options.files.front(), options.format, session);
  for (std::size_t i = 1; merged && i < options.files.size(); ++i) {
    const auto next = open_filter(options.files[i], options.format, session);
    if (!next) return std::nullopt;
    const Status status = options.operation == "or" ? merge(merged->filter, next->filter)
                                                    : intersect(merged->filter, next->filter);
    if (!status) {
      session.exit_code =
          complain(message(options.files.front(), " and ", options.files[i]),
                   why_not_merged(*merged, *next, status.error()), Blame::kFilterFile);
      return std::nullopt;
    }
  }
  return merged;
}

// Merges pairs, then pairs of those: halves run in threads of their own. Memory is one filter for
// each thread and for each level above.
std::optional<FilterFile> merge_tree(const MergeOptions& options,
                                     std::span<const std::string> files, std::uint32_t threads,
                                     Session& session) {
  if (files.size() == 1) return open_filter(files.front(), options.format, session);
  const std::size_t half = files.size() / 2;
  Session other{session.globals};
  std::optional<FilterFile> second;
  const std::uint32_t others = threads / 2;
  const auto merge_second = [&] {
    second = merge_tree(options, files.subspan(half), others, other);
  };
  std::jthread thread;
  try {
    if (others > 0) thread = std::jthread{merge_second};
  } catch (const std::system_error&) {  // no more threads: this one does it
  }
  auto first = merge_tree(options, files.first(half), threads - others, session);
  if (thread.joinable())
    thread.join();
  else if (first)
    merge_second();
  if (!first) return std::nullopt;
  if (!second) {
    session.exit_code = other.exit_code;
    return std::nullopt;
  }
  const Status status = options.operation == "or" ? merge(first->filter, second->filter)
                                                  : intersect(first->filter, second->filter);
  if (status) return first;
  session.exit_code = complain(message(files.front(), " and ", files[half]),
                               why_not_merged(*first, *second, status.error()), Blame::kFilterFile);
  return std::nullopt;
}

// The same part of filters that were built from different records.
int merge_parts(const MergeOptions& options, Session& session) {
  if (options.operation != "or" || options.max_rate)
    return complain(options.output.path,
                    "parts are merged without --op and and --max-fpr; join them first", kExitUsage);
  const auto decode = decode_options(options.format, session);
  if (!decode) return session.exit_code;
  std::optional<NativePart> merged;
  for (const std::string& path : options.files) {
    auto part = load_native_part(path, *decode);
    if (!part) return complain_of_filter(path, part.error());
    if (!merged) {
      merged.emplace(std::move(*part));
    } else if (auto done = merged->merge(*part); !done) {
      return complain(message(options.files.front(), " and ", path), done.error(),
                      Blame::kFilterFile);
    }
  }
  if (auto saved = save_native_part(*merged, options.output.path, &session.locked.lock); !saved)
    return complain(options.output.path, saved.error(), Blame::kArguments);
  if (!session.globals.quiet)
    std::cerr << "bloomery: " << options.output.path << ": merged "
              << counted(options.files.size(), "file") << " of part " << merged->filter.part().index
              << " of " << merged->filter.part().parts << '\n';
  return kExitSuccess;
}

void report_merge(const MergeOptions& options, const Description& description,
                  const Globals& globals) {
  const auto& health = description.health;
  if (globals.json) {
    Json json{
        {"files", options.files.size()}, {"op", options.operation}, {"bytes", description.bytes},
        {"estimated_keys", nullptr},     {"fill", nullptr},         {"estimated_fpr", nullptr}};
    if (health) {
      json["estimated_keys"] = std::llround(health->estimated_keys);
      json["fill"] = health->fill;
      json["estimated_fpr"] = health->error_rate;
    }
    std::cout << json.dump() << '\n';
    return;
  }
  if (globals.quiet) return;
  std::cerr << "bloomery: " << name_without_secrets(options.output.path) << ": "
            << (options.operation == "or" ? "merged " : "intersected ")
            << format_count(options.files.size()) << " filters";
  if (health)
    std::cerr << ", about " << format_count(health->estimated_keys) << " keys, fill "
              << format_probability(health->fill) << ", false positives "
              << format_probability(health->error_rate);
  std::cerr << '\n';
}

int run_merge(const MergeOptions& options, Session& session) {
  if (!may_write(options.output, session)) return session.exit_code;
  if (!lock_to_write(options.output.path, options.output.force, session)) return session.exit_code;
  if (options.output.path != "-" && is_part_file(options.files.front()))
    return merge_parts(options, session);
  const auto merged = options.tree
                          ? merge_tree(options, options.files, session.globals.threads, session)
                          : merge_all(options, session);
  if (!merged) return session.exit_code;
  const Description description = describe_measured(merged->filter).description;
  if (options.max_rate && description.health && description.health->error_rate > *options.max_rate)
    return complain(options.output.path,
                    message("not written: the false-positive rate would be ",
                            format_probability(description.health->error_rate),
                            "; --max-fpr allows ", format_probability(*options.max_rate)),
                    kExitRefused);
  if (options.max_rate && !description.health)
    return complain(options.output.path,
                    "not written: this kind of filter does not report a false-positive rate, so "
                    "--max-fpr cannot be checked",
                    kExitRefused);
  if (!save_filter(options.output.path, *merged->format, merged->filter, session,
                   options.output.force))
    return session.exit_code;
  report_merge(options, description, session.globals);
  if (!options.max_rate) warn_of_health(options.output.path, description, session.globals);
  return kExitSuccess;
}

}  // namespace

void attach_merge(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery merge -o week.bloom mon.bloom tue.bloom wed.bloom\n"
      "  bloomery merge --op and -o common.bloom a.bloom b.bloom\n"
      "  bloomery merge --max-fpr 2% -o all.bloom shard-*.bloom    refuse a worse union\n"
      "  bloomery merge -o redis://localhost/all redis://eu/seen redis://us/seen\n"
      "  bloomery merge --tree -j 8 -o all.bloom day-*.bloom       pairs, then pairs of those\n");
  auto options = std::make_shared<MergeOptions>();
  subcommand
      .add_list("FILE", options->files,
                "Filter files, or redis://host:port/key, of the same kind and shape")
      ->required();
  add_output_options(subcommand, options->output, session.globals);
  subcommand
      .add_option("--op", options->operation, "or: the union; and: the keys that all may contain")
      ->choices({"or", "and"})
      ->shows_default("or");
  subcommand.add_probability("--max-fpr", options->max_rate,
                             "Exit with 4 if the false-positive rate would be higher");
  subcommand.add_flag("--tree", options->tree,
                      "Merge pairs of files, then pairs of those, in as many threads as -j says: "
                      "the same bits, sooner where there are many files");
  add_format_options(subcommand, options->format);
  subcommand.action([options, &session] { session.exit_code = run_merge(*options, session); });
}

}  // namespace bloomery::cli
