#include "apps/tracker/scan/scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <utility>

#include "apps/tracker/scan/linked_names.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

std::int64_t now_unix() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::unique_ptr<ChangeSource>> source_of(TrackerClient& client, const ScanRequest& request) {
  auto history = client.snapshot();
  if (history)
    return std::unique_ptr<ChangeSource>{std::make_unique<HistorySource>(std::move(*history))};
  if (history.error().code != ErrorCode::kUnsupported) return history.error();
  TrackerOptions reading = request.client.tracker;
  reading.background = false;
  reading.read_only = true;
  auto tracker = Tracker::open(std::move(reading));
  if (!tracker) return tracker.error();
  return std::unique_ptr<ChangeSource>{std::make_unique<MinioSource>(std::move(*tracker))};
}

// A cache that is too large for the caller's limit is a good one: it is not replaced by another.
Status fits_limit(const std::filesystem::path& cache, DecodeLimits limits) {
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(cache, missing);
  if (missing || bytes <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge, message(cache.string(), ": longer than the limit of ",
                                             limits.max_bytes, " bytes; give more with -m")};
}

struct KnownCache {
  std::optional<UsageCache> cache;
  std::string why_not;
};

// Another folder under the name of the one that was scanned has another number. Without the device,
// which may be numbered otherwise after the next start of the machine.
std::uint64_t identity_of_root(const std::string& root) {
  struct statx info {};
  struct statfs system {};
  if (::statx(AT_FDCWD, root.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0) return 0;
  (void)::statfs(root.c_str(), &system);
  const bool born = (info.stx_mask & STATX_BTIME) != 0;
  const std::int64_t parts[] = {static_cast<std::int64_t>(info.stx_ino),
                                born ? info.stx_btime.tv_sec : 0,
                                born ? std::int64_t{info.stx_btime.tv_nsec} : 0,
                                system.f_fsid.__val[0], system.f_fsid.__val[1]};
  return xxh3_64(std::as_bytes(std::span{parts}));
}

KnownCache known_cache(const ScanRequest& request, const ScanSetup& setup, const UsageCache& wanted,
                       std::uint64_t identity) {
  std::error_code ignored;
  if (!std::filesystem::exists(setup.cache, ignored))
    return {std::nullopt, "this tree was not scanned before"};
  auto loaded = load_usage_cache(setup.cache, request.client.tracker.limits);
  if (!loaded) return {std::nullopt, loaded.error().message};
  if (!loaded->is_same_tree(wanted))
    return {std::nullopt, "the last scan had other rules or another name for the tree"};
  if (loaded->root_record().identity != identity)
    return {std::nullopt, "the folder is another one than the last scan's, under its name"};
  return {std::move(*loaded), {}};
}

std::string why_all_is_read(const KnownCache& known, const ScanRules& rules, const ScanFrame& frame,
                            const ChangeSource& source) {
  if (!known.cache) return known.why_not;
  if (known.cache->full_from != 0) return "a scan of everything was interrupted, and is continued";
  if (frame.full_from != 0) return "--full was given";
  if (rules.minio_exact) return {};
  const std::string gap = source.gap_since(known.cache->cycle_of(known.cache->root_record().scan));
  return gap.empty() ? gap : "the tracker does not know what changed: " + gap;
}

// A file was seen under a new name, and its other one may lie in a folder from the cache: until
// that folder is known to have such a file, changes through the new name would not be seen in it.
bool must_find_names(const ScanResult& result, const ScanFrame& frame, const ScanRules& rules) {
  const bool used_cache = frame.known != nullptr && frame.full_from == 0 && !rules.minio_exact;
  return result.complete && used_cache &&
         has_more_names(result.cache.elsewhere, frame.known->elsewhere);
}

void name_tree(UsageCache& cache, const UsageCache& wanted) {
  cache.root = wanted.root;
  cache.key = wanted.key;
  cache.one_file_system = wanted.one_file_system;
  cache.minio_rules = wanted.minio_rules;
  cache.saved_unix = now_unix();
}

Status save_as(const std::filesystem::path& path, UsageCache& cache, const UsageCache& wanted) {
  name_tree(cache, wanted);
  return save_usage_cache(path, cache);
}

}  // namespace

Result<ScanTarget> scan_target(const std::filesystem::path& folder,
                               const std::vector<std::string>& roots,
                               const std::optional<std::string>& prefix) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(folder, failed);
  if (failed || !std::filesystem::is_directory(real, failed))
    return Error{ErrorCode::kIo, message(folder.string(), ": is not a folder that can be scanned",
                                         failed ? ": " : "", failed ? failed.message() : "")};
  if (roots.empty()) return ScanTarget{real.string(), clean_path(prefix.value_or(""))};
  if (prefix)
    return Error{ErrorCode::kInvalidArgument,
                 "a prefix is for keys without a watched tree, and this tracker has one"};
  const std::string clean = clean_path(real.string());
  for (const std::string& root : roots) {
    const auto real_root = std::filesystem::canonical(root, failed);
    const std::string above = clean_path(failed ? root : real_root.string());
    if (!lies_in(clean, above)) continue;
    // Changes are known by the name that the watcher has for its root.
    return ScanTarget{real.string(),
                      clean_path(root, std::string_view{clean}.substr(above.size()))};
  }
  return Error{ErrorCode::kInvalidArgument,
               message(folder.string(),
                       ": lies outside the watched tree; give a path below one of its roots")};
}

std::filesystem::path usage_cache_path(const std::filesystem::path& state, std::string_view root) {
  std::string digits(16, '0');
  std::uint64_t hash = xxh3_64(bytes_of(root));
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return state / ("usage-" + digits + ".bloomery");
}

// The cycle begins before the tracker is asked and before the first folder is read: what changes
// after a folder is read is in this cycle or a later one, and the next scan asks from this one on.
Result<ScanSetup> begin_scan(const ScanRequest& request, TrackerClient& tracker) {
  if (auto exists = scan_target(request.folder, {}, {}); !exists) return exists.error();
  const auto roots = tracker.roots();
  if (!roots) return roots.error();
  auto target = scan_target(request.folder, *roots, request.prefix);
  if (!target) return target.error();
  auto path = usage_cache_path(request.client.tracker.folder, target->root);
  auto lock = StateLock::take_scan(std::filesystem::path{path}.replace_extension("lock"));
  if (!lock) return lock.error();
  if (auto fits = fits_limit(path, request.client.tracker.limits); !fits) return fits.error();
  if (auto passed = tracker.barrier(); !passed) return passed.error();
  const auto cycle = tracker.next_cycle();
  if (!cycle) return cycle.error();
  auto source = source_of(tracker, request);
  if (!source) return source.error();
  // After the source: a proof that ends meanwhile is no proof of what the source says.
  auto coverage = tracker.coverage();
  if (!coverage) return coverage.error();
  if (!coverage->proven() && !request.rules.minio_exact)
    *source = std::make_unique<UnprovenSource>(coverage->gap, std::move(*source));
  return ScanSetup{std::move(*target), std::move(path),      std::move(*lock),
                   cycle->current,     std::move(*coverage), std::move(*source)};
}

Result<ScanReport> run_scan(const ScanRequest& request, ScanSetup setup) {
  UsageCache wanted;
  wanted.root = setup.target.root;
  wanted.key = setup.target.key;
  wanted.one_file_system = request.one_file_system;
  wanted.minio_rules = request.rules.minio_exact;
  const std::uint64_t identity = identity_of_root(setup.target.root);
  const KnownCache known = known_cache(request, setup, wanted, identity);
  ScanFrame frame{.cycle = setup.source->stamped(setup.cycle), .root_identity = identity};
  if (known.cache) {
    frame.known = &*known.cache;
    frame.scan = known.cache->scan + 1;
    frame.full_from = known.cache->full_from;
    if (frame.full_from == 0 && request.rules.full) frame.full_from = frame.scan;
  }
  auto reader = open_folder_tree(setup.target.root, {.one_file_system = request.one_file_system});
  if (!reader) return reader.error();
  if (request.starts) request.starts(known.cache ? known.cache->root_record().folders : 0);
  ScanHooks hooks = request.hooks;
  hooks.checkpoint = [&](UsageCache& so_far) {
    (void)save_as(setup.cache, so_far, wanted);  // a full disk is reported at the end
  };
  const auto walk = [&](const ScanFrame& of) {
    return scan_tree(**reader, *setup.source, setup.target.key, request.rules, of, hooks);
  };
  std::string why = why_all_is_read(known, request.rules, frame, *setup.source);
  auto result = walk(frame);
  std::vector<LinkedFile> missing_before;
  if (known.cache) missing_before = known.cache->elsewhere;
  if (result && must_find_names(*result, frame, request.rules)) {
    why = "files have further names, and the folders of all of them must be known";
    const UsageCache so_far = std::move(result->cache);
    missing_before = so_far.elsewhere;
    result = walk({frame.scan + 1, frame.cycle, frame.scan + 1, &so_far, identity});
  }
  if (!result) return result.error();
  if (result->complete)
    result->cache.elsewhere = confirmed(result->cache.elsewhere, missing_before);
  if (auto saved = save_as(setup.cache, result->cache, wanted); !saved) return saved.error();
  return ScanReport{setup.target,   setup.cycle,
                    setup.coverage, std::move(*result),
                    std::move(why), lies_within(request.client.tracker.folder, setup.target.root)};
}

}  // namespace bloomery::tracker
