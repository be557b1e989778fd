// bloomery build: a new filter from records.
#include <filesystem>
#include <iostream>

#include "apps/cli/filters/bulk_build.h"
#include "apps/cli/filters/cluster_build.h"
#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/like.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/plan.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/parts/build_part.h"
#include "apps/cli/parts/part_option.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kBuildExamples =
    "Examples:\n"
    "  bloomery build -o seen.bloom urls.txt                  a filter of the lines of a file\n"
    "  zcat log.gz | bloomery build -o ids.bloom -f 3         of the third column of a stream\n"
    "  bloomery build -o mail.bloom --csv -f email users.csv  of a column of CSV, by its name\n"
    "  bloomery build -o ids.bloom -n 10M -p 0.1% ids.txt     for ten million keys at one in 1000\n"
    "  producer | bloomery build -o ids.bloom --auto          for as many keys as will come\n"
    "  bloomery build -o ids.bloom --seeded -j 0 ids.txt      the smallest, for one that stays\n"
    "  bloomery build -o a.guava --format guava -n 1M a.txt   a file that Guava reads\n"
    "  bloomery build -o live.bloom --layout counting a.txt   one that keys can be removed from\n"
    "  bloomery build -o tue.bloom --like mon.bloom tue.txt   one that merges with an older one\n"
    "  bloomery build -o 'redis://node1/seen?shards=auto' -n 10M -p 1% urls.txt   in a cluster\n"
    "  bloomery build -o ids.bloom --column user_id a.parquet   of a column of a Parquet file\n"
    "  bloomery build --part 3/64 -n 1G -o ids.03.bloom ids.txt   one of 64 parts: see join\n";

struct BuildOptions {
  OutputOptions output;
  bool strict = false;
  std::vector<std::string> files;
  std::string like;  // empty: the filter is sized by the other options
  std::optional<bloomery::Part> part = {};
  NewFilterOptions filter;
  RecordOptions records;
  std::optional<std::uint64_t> counted = {};  // records, before they are read
};

void print_plan(const BuildOptions& options, const Description& empty, std::string_view origin,
                const Globals& globals) {
  if (globals.quiet) return;
  std::cerr << "bloomery: plan: ";
  const SizingRequest& sizing = options.filter.create.sizing;
  if (sizing.keys) std::cerr << counted(*sizing.keys, "key") << " (" << origin << ")";
  if (sizing.keys && sizing.rate) std::cerr << " at " << format_probability(*sizing.rate);
  std::cerr << (sizing.keys ? ": " : "") << empty.layout << ", " << shape_sentence(empty)
            << " of memory (limit " << format_bytes(globals.memory) << ")\n";
}

// What the options say once the sizes of the files are known, and where those came from.
Result<std::string> complete(BuildOptions& options, std::vector<InputFile>& inputs,
                             const Globals& globals) {
  CreateOptions& create = options.filter.create;
  create.limits.max_bytes = globals.memory;
  create.funnel = options.records.funnel.value_or(FunnelName::kBytes);
  if (!options.filter.fold_at_end)
    return complete_sizing(options.filter, inputs, options.records.ends());
  if (!create.sizing.rate) create.sizing.rate = kDefaultRate;
  return std::string{};
}

Insertion insertion_into(AnyFilter& filter, const BuildOptions& options, const Format& format) {
  return {.path = options.output.path,
          .format = &format,
          .filter = &filter,
          .counted = options.counted,
          .strict = options.strict,
          .force = options.output.force};
}

void finish_bulk(BulkBuilt built, const BuildOptions& options, const Format& format,
                 Session& session) {
  const std::uint64_t kept = built.native.filter.provenance().keys_inserted.value_or(0);
  AnyFilter filter{std::move(built.native)};
  Insertion insertion = insertion_into(filter, options, format);
  insertion.before = std::nullopt;
  save_and_report(insertion,
                  {.records = built.records,
                   .selected = kept,
                   .seconds = built.seconds,
                   .filter = describe(filter),
                   .skipped = built.skipped,
                   .malformed = built.malformed},
                  session);
}

Result<BulkBuilt> run_seeded(BuildOptions& options, const BulkRequest& request,
                             std::string_view origin) {
  const auto plan = block_plan_for(request.create);
  if (!plan) return plan.error();
  if (plan->shape.bytes() > request.globals.memory)
    return Error{ErrorCode::kTooLarge,
                 message("the filter would need ", format_bytes(plan->shape.bytes()),
                         "; --memory allows ", format_bytes(request.globals.memory))};
  Description empty;
  empty.layout = "block, seeded";
  empty.bits = plan->shape.bits();
  empty.probes = plan->shape.probes;
  empty.bytes = plan->shape.bytes();
  print_plan(options, empty, origin, request.globals);
  return build_seeded(request, *plan);
}

Result<BulkBuilt> run_auto(const BulkRequest& request) {
  const double rate = *request.create.sizing.rate;
  const bool is_block =
      request.create.sizing.probes || !lines_layout_suits(rate) || block_layout_suits(rate);
  if (!request.globals.quiet)
    std::cerr << "bloomery: plan: any number of keys at " << format_probability(rate) << ": "
              << (is_block ? "block" : "lines") << ", as large as the keys need (limit "
              << format_bytes(request.globals.memory) << ")\n";
  auto built = build_auto_sized(request);
  if (built && !request.globals.quiet) {
    const Description made = describe(built->native);
    std::cerr << "bloomery: sized for " << format_count(made.goal->keys) << " keys at "
              << format_probability(rate) << ": " << made.layout << ", " << shape_sentence(made)
              << '\n';
  }
  return built;
}

void run_like(BuildOptions& options, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  auto like = empty_filter_like(options.like, options.filter, session);
  if (!like) return;
  if (!may_write(options.output, session, like->format)) return;
  if (auto fits = adopt_funnel(options.records, recorded_funnel(like->filter)); !fits) {
    session.exit_code = complain(options.like, fits.error(), Blame::kArguments);
    return;
  }
  if (auto fits = check_funnel(options.records, like->format->name); !fits)
    return stop(fits.error());
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  if (auto other = refuse_as_output(options.output.path, *inputs); !other)
    return stop(other.error());
  print_plan(options, describe(like->filter), "", session.globals);
  insert_and_save(insertion_into(like->filter, options, *like->format), *inputs, options.records,
                  session);
}

int run_part(BuildOptions& options, Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  if (!may_write(options.output, session)) return session.exit_code;
  if (auto fits = check_funnel(options.records, options.filter.format); !fits)
    return stop(fits.error());
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  if (auto other = refuse_as_output(options.output.path, *inputs); !other)
    return stop(other.error());
  return build_part(
      {*options.part, options.filter, options.records, *inputs, options.output, options.strict},
      session);
}

void run(BuildOptions& options, const CommandLine& app, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  const Globals& globals = session.globals;
  if (lacks_input(options.files, options.records, app, session)) return;
  if (!options.like.empty()) return run_like(options, session);
  if (options.part) {
    session.exit_code = run_part(options, session);
    return;
  }
  const auto format = chosen_format(options.filter);
  if (!format) return stop(format.error());
  if (!may_write(options.output, session, *format)) return;
  if (auto fits = check_funnel(options.records, options.filter.format); !fits)
    return stop(fits.error());
  options.records.input.threads = globals.threads;
  auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  if (auto other = refuse_as_output(options.output.path, *inputs); !other)
    return stop(other.error());
  const auto origin = complete(options, *inputs, globals);
  if (!origin) return stop(origin.error());
  const CreateOptions& create = options.filter.create;
  // An empty file is counted as one key, and nulls of a column are counted or not.
  if (*origin == "counted" && options.records.input.column.empty() &&
      create.sizing.keys.value_or(0) > 1)
    options.counted = create.sizing.keys;
  const Layout layout = options.filter.fold_at_end ? Layout::kBlock : layout_for(create);
  if (auto fits = check_layout(options.filter, layout); !fits) return stop(fits.error());
  if (auto fits = fits_cluster(options.output.path, create, layout); !fits)
    return stop(fits.error());
  if (options.filter.fold_at_end || (create.seeded && layout == Layout::kBlock)) {
    const BulkRequest request{create, *inputs, options.records, globals};
    auto built = create.seeded ? run_seeded(options, request, *origin) : run_auto(request);
    if (built) return finish_bulk(std::move(*built), options, **format, session);
    stop(built.error());
    return report_not_saved(options.output.path, globals);
  }
  if (is_built_in_cluster(options.output.path, create)) {
    if (options.strict)
      session.exit_code =
          complain(options.output.path,
                   "--strict works on files only: keys added to servers cannot be removed again",
                   kExitUsage);
    else
      session.exit_code =
          build_in_cluster(options.output, create, *inputs, options.records, globals);
    return;
  }
  auto filter = (*format)->create(create);
  if (!filter) return stop(filter.error());
  print_plan(options, describe(*filter), *origin, globals);
  insert_and_save(insertion_into(*filter, options, **format), *inputs, options.records, session);
}

}  // namespace

void attach_build(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<BuildOptions>();
  subcommand.examples(kBuildExamples);
  add_record_files(subcommand, options->files);
  add_output_options(subcommand, options->output, session.globals);
  subcommand.add_flag("--strict", options->strict,
                      "Exit with 4 and save nothing if the filter ends up over its design");
  add_record_options(subcommand, options->records);
  options->records.input.consumer += " -o FILTER";
  add_new_filter_options(subcommand, options->filter);
  add_bulk_options(subcommand, options->filter);
  add_like_option(subcommand, options->like);
  add_part_option(subcommand, options->part,
                  "Build only this part of the filter, from 0/N to N-1/N, in 1/N of the memory: of "
                  "all records, or of those that split routed to it. --keys is the number of keys "
                  "of all parts")
      ->group("Filter file")
      ->excludes(subcommand.find_option("--like"));
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
