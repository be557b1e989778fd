#include <iostream>
#include <memory>
#include <thread>

#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "apps/cli/track/fleet.h"
#include "apps/cli/track/scan_json.h"
#include "apps/cli/track/scan_report.h"
#include "apps/tracker/open_tracker.h"
#include "apps/tracker/state/pace.h"
#include "apps/tracker/state/private_files.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

struct TrackScanOptions {
  TrackOptions track;
  FleetOptions fleet;
  std::string folder;
  std::optional<std::string> prefix;
  std::optional<std::uint64_t> sweep;
  std::uint64_t top = 20;
  double folders_per_second = 0;
  std::string usage;
  bool full = false;
  bool all = false;
  bool one_file_system = false;
};

// Whole, but not so long that an interruption waits for it.
void wait_until(tracker::Pace::Clock::time_point turn) {
  constexpr std::chrono::milliseconds kSlice{50};
  for (;;) {
    const auto left = turn - tracker::Pace::Clock::now();
    if (left <= left.zero() || InterruptGuard::interrupted()) return;
    std::this_thread::sleep_for(std::min<tracker::Pace::Clock::duration>(left, kSlice));
  }
}

tracker::ScanRequest request_for(const TrackScanOptions& options, const Session& session) {
  tracker::ScanRequest request{.folder = options.folder,
                               .client = {.tracker = tracker_options(options.track, session)},
                               .prefix = options.prefix,
                               .one_file_system = options.one_file_system};
  request.rules.full = options.full;
  request.rules.minio_exact = options.track.minio_exact;
  request.rules.sweep = options.sweep.value_or(options.track.minio_exact ? tracker::kMinioSweepEvery
                                                                         : tracker::kSweepEvery);
  return request;
}

Result<tracker::ScanReport> scan_with_progress(const TrackScanOptions& options,
                                               const Session& session,
                                               tracker::FleetClient* fleet) {
  tracker::ScanRequest request = request_for(options, session);
  std::optional<Progress> progress;
  tracker::Pace pace{options.folders_per_second};
  request.starts = [&](std::uint64_t known) {
    progress.emplace(session.globals,
                     known > 0 ? std::optional<std::uint64_t>{known} : std::nullopt, "folders");
  };
  request.hooks.before_read = [&](const tracker::ScanCounts& counts, std::uint64_t known_done) {
    progress->update(counts.read + counts.from_cache, known_done);
    if (options.folders_per_second > 0) wait_until(pace.next(tracker::Pace::Clock::now()));
    return !InterruptGuard::interrupted();
  };
  if (fleet == nullptr) return tracker::scan_with_tracker(request);
  auto setup = tracker::begin_scan(request, *fleet);
  if (!setup) return setup.error();
  return tracker::run_scan(request, std::move(*setup));
}

void print_problems(const tracker::ScanReport& report) {
  constexpr std::size_t kShown = 10;
  const auto& problems = report.result.problems;
  for (std::size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    const std::string path = report.target.root + "/" + problems[i].path;
    complain(shown_name(path), shown_name(problems[i].what), kExitUsage);
  }
  if (report.result.counts.unreadable > kShown)
    complain(message(report.result.counts.unreadable - kShown,
                     " more folders could not be read; --json lists them"),
             kExitUsage);
}

// usage.json is of the tree that was scanned first with this state; each other one has a file of
// its own, named as its cache is.
std::filesystem::path usage_file(const TrackScanOptions& options, const Session& session,
                                 const tracker::ScanReport& report, const std::string& text) {
  if (!options.usage.empty()) return options.usage;
  const std::filesystem::path state{options.track.state};
  const auto first = state / "usage.json";
  const std::string of = root_in_usage(first);
  if (of.empty() || of == root_in(text)) return first;
  auto own = tracker::usage_cache_path(state, report.target.root).replace_extension("json");
  if (!session.globals.quiet)
    std::cerr << "bloomery: " << own.string() << ": contains the result; " << first.string()
              << " belongs to another tree\n";
  return own;
}

int print(const TrackScanOptions& options, const Session& session,
          const tracker::ScanReport& report, double seconds) {
  const ScanJsonOptions json{static_cast<std::size_t>(options.top), seconds, false};
  if (session.globals.json) {
    ScanJsonOptions wanted = json;
    wanted.all = options.all;
    std::cout << scan_json(report, wanted) << '\n';
  } else {
    print_usage_tree(report, options.all ? SIZE_MAX : static_cast<std::size_t>(options.top));
  }
  std::cout.flush();
  if (!session.globals.quiet) {
    std::cerr << "bloomery: " << scan_summary(report, seconds) << '\n';
    if (!report.coverage.proven() &&
        report.all_read_because.find(report.coverage.gap) == std::string::npos)
      warn(options.track.state, "the next scan reads everything too: " + report.coverage.gap);
    if (report.state_within)
      warn(options.track.state,
           "lies in the scanned tree, and changes with every scan; choose a --state outside of it");
  }
  print_problems(report);
  if (!report.result.complete) return kExitUsage;
  const std::string text = scan_json(report, json) + "\n";
  const auto file = usage_file(options, session, report, text);
  // One that the caller names is for others too: it has the modes that are usual there.
  const auto saved = options.usage.empty() ? tracker::save_private(file, bytes_of(text))
                                           : save_file(file, bytes_of(text));
  if (!saved) return complain(file.string(), saved.error(), Blame::kArguments);
  return report.result.counts.unreadable > 0 ? kExitUsage : kExitSuccess;
}

int complain_of(const TrackScanOptions& options, const Error& error) {
  const bool of_folder = error.message.starts_with(options.folder + ":");
  if (!of_folder && options.fleet.given()) return complain_of_fleet(options.fleet, error);
  return complain(of_folder ? options.folder : options.track.state, error, Blame::kArguments);
}

// What was scanned is right, also where another leader began a cycle meanwhile: only the fleet does
// not count it.
void finish_with(tracker::FleetClient& fleet, const TrackScanOptions& options,
                 const Session& session, const tracker::ScanReport& report) {
  if (!session.globals.quiet) warn_of_incomplete(options.fleet, fleet);
  if (!report.result.complete) return;
  if (auto finished = fleet.finish_scan(); !finished)
    warn(options.fleet.redis, finished.error().message);
}

int scan(const TrackScanOptions& options, Session& session) {
  const InterruptGuard guard;  // what was read is kept before the signal does its work
  const auto start = tracker::Pace::Clock::now();
  warn_of_state_folder(options.track, session);
  std::unique_ptr<tracker::FleetClient> fleet;
  if (options.fleet.given()) {
    auto reached =
        reach_fleet(options.fleet, options.track, session, tracker::FleetFallback::kEverything);
    if (!reached) return complain_of_fleet(options.fleet, reached.error());
    fleet = std::move(*reached);
  }
  const auto report = scan_with_progress(options, session, fleet.get());
  if (!report) return complain_of(options, report.error());
  if (fleet) finish_with(*fleet, options, session, *report);
  const double seconds = std::chrono::duration<double>(tracker::Pace::Clock::now() - start).count();
  const int exit_code = print(options, session, *report, seconds);
  if (!report->result.complete)
    return complain(
        "interrupted: the folders read so far are kept, and the same command continues from there",
        kExitUsage);
  return exit_code;
}

void add_scan_options(CommandLine& subcommand, TrackScanOptions& options) {
  subcommand.add_option("ROOT", options.folder, "The folder to scan")->required();
  add_state_options(subcommand, options.track);
  auto* marks_only = add_marks_only_option(subcommand, options.track);
  add_redis_option(subcommand, options.fleet)->excludes(marks_only);
  add_patience_option(subcommand, options.fleet);
  Option* full =
      subcommand.add_flag("--full", options.full, "Read every folder, and ignore the cache");
  subcommand
      .add_count("--sweep", options.sweep,
                 "Read every folder once in N scans, marked or not (0: never; default: 512; 16 "
                 "with --minio-exact)")
      ->value_name("N")
      ->excludes(full);
  subcommand
      .add_option(
          "--rate",
          Option::Store{[&target = options.folders_per_second](const std::string& text) -> Status {
            const auto rate = parse_decimal(text);
            if (!rate || *rate <= 0 || *rate >= 1e9)
              return Error{ErrorCode::kInvalidArgument,
                           "a number above 0 is expected, not '" + text + "'"};
            target = *rate;
            return ok();
          }},
          "Read at most R folders per second")
      ->value_name("R");
  Option* top =
      subcommand.add_count("--top", options.top, "Show the N largest folders (default: 20)")
          ->value_name("N");
  subcommand.add_flag("--all", options.all, "Show every folder")->excludes(top);
  subcommand.add_flag("-x,--one-file-system", options.one_file_system,
                      "Leave out folders of other file systems");
  subcommand
      .add_option("--prefix", options.prefix,
                  "Name of ROOT in marked paths, where no tree is watched (default: paths are "
                  "relative to ROOT)")
      ->value_name("PATH");
  subcommand
      .add_option("--usage", options.usage,
                  "File for the result as JSON (default: usage.json beside the state; for further "
                  "trees, their own file there)")
      ->value_name("FILE");
}

}  // namespace

void attach_track_scan(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery track scan /data --state S            like du, but reads what changed\n"
      "  bloomery track scan /data --state S --rate 50  gently\n"
      "  bloomery track scan /data --state S --json | jq .bytes\n"
      "  bloomery track scan /data --state S --redis redis://host/archive   many servers\n");
  auto options = std::make_shared<TrackScanOptions>();
  add_scan_options(subcommand, *options);
  subcommand.action([options, &session] { session.exit_code = scan(*options, session); });
}

}  // namespace bloomery::cli
