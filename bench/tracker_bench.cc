// The change tracker: nanoseconds per mark, memory of a cycle, and the share of folders that a scan
// would read needlessly, beside MinIO's fixed filter.
//   tracker_bench [changed objects] [marks per thread]     1000000 2000000 by default
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "apps/tracker/state/change_log.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/tracker.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/minio_tracker.h"

namespace bloomery::bench {
namespace {

using Clock = std::chrono::steady_clock;
using tracker::ChangeLog;
using tracker::CycleFilter;
using tracker::Tracker;

constexpr std::uint64_t kObjectsPerFolder = 100;

// bucket/a/b/c/object: a hundred objects in a folder, folders three deep.
std::string object(std::uint64_t i) {
  const std::uint64_t folder = i / kObjectsPerFolder;
  return message("bucket/", folder % 16, "/", folder / 16 % 1024, "/", folder / 16384, "/object-",
                 i);
}

std::string quiet_folder(std::uint64_t i) { return message("bucket/quiet/", i % 1024, "/", i); }

std::vector<std::string> objects(std::uint64_t first, std::uint64_t count) {
  std::vector<std::string> paths;
  paths.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) paths.push_back(object(first + i));
  return paths;
}

double nanoseconds_each(Clock::time_point start, std::uint64_t count) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
         static_cast<double>(count);
}

// Through the facade: what the threads wait for, and what it takes until all is in the filter.
void marks_in_threads(std::uint64_t threads, std::uint64_t marks) {
  std::string folder = "/tmp/tracker-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) std::exit(1);
  {
    auto opened =
        Tracker::open({.folder = folder, .marks_only = true, .queue_bytes = std::size_t{1} << 30});
    if (!opened || !(*opened)->next_cycle()) std::exit(1);
    std::vector<std::vector<std::string>> paths;
    for (std::uint64_t i = 0; i < threads; ++i) paths.push_back(objects(i * marks, marks));
    const auto start = Clock::now();
    {
      std::vector<std::jthread> running;
      for (const auto& own : paths)
        running.emplace_back([&] {
          for (const std::string& path : own) (*opened)->mark(path);
        });
    }
    const double queued = nanoseconds_each(start, threads * marks);
    (void)(*opened)->barrier();
    const double filtered = nanoseconds_each(start, threads * marks);
    std::cout << threads << " threads: " << queued << " ns per mark until queued, " << filtered
              << " ns until in the filter, " << (*opened)->current_status().lost_marks << " lost\n";
  }
  std::filesystem::remove_all(folder);
}

void marks_alone(std::uint64_t marks) {
  const auto paths = objects(0, marks);
  CycleFilter filter;
  ChangeLog log;
  auto start = Clock::now();
  for (const std::string& path : paths) log.mark(filter, path);
  log.flush(filter);
  std::cout << "no queue: " << nanoseconds_each(start, marks) << " ns per mark\n";
  MinioTracker minio = MinioTracker::starting_at();
  const std::uint64_t fewer = std::min<std::uint64_t>(marks, 200'000);
  start = Clock::now();
  for (std::uint64_t i = 0; i < fewer; ++i) minio.mark_dirty("", paths[i]);
  std::cout << "fixed filter: " << nanoseconds_each(start, fewer) << " ns per mark\n";
}

void beside_the_fixed_filter(std::uint64_t changed) {
  CycleFilter filter;
  ChangeLog log;
  MinioTracker minio = MinioTracker::starting_at();
  for (std::uint64_t i = 0; i < changed; ++i) {
    const std::string path = object(i);
    log.mark(filter, path);
    minio.mark_dirty("", path);
  }
  log.flush(filter);
  constexpr std::uint64_t kQuiet = 200'000;
  std::uint64_t ours = 0;
  std::uint64_t fixed = 0;
  std::uint64_t denied = 0;
  for (std::uint64_t i = 0; i < kQuiet; ++i) {
    const std::string folder = quiet_folder(i);
    ours += filter.may_have_changed(folder) ? 1U : 0U;
    fixed += minio.current.contains_dir(folder) ? 1U : 0U;
  }
  for (std::uint64_t i = 0; i < changed; i += kObjectsPerFolder)
    denied += filter.may_have_changed(tracker::parent_of(object(i))) ? 0U : 1U;
  const auto percent = [](std::uint64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(kQuiet);
  };
  std::cout << changed << " changed objects: adaptive " << filter.size_bytes() << " bytes, "
            << filter.layers().size() << " layers, " << filter.keys() << " keys, " << percent(ours)
            << " % of quiet folders scanned needlessly, " << denied
            << " changed folders denied; fixed filter " << minio.current.filter.filter.size_bytes()
            << " bytes, " << percent(fixed) << " %\n";
}

}  // namespace
}  // namespace bloomery::bench

int main(int count, char** arguments) {
  const std::uint64_t changed =
      count > 1 ? std::strtoull(arguments[1], nullptr, 10) : std::uint64_t{1'000'000};
  const std::uint64_t marks =
      count > 2 ? std::strtoull(arguments[2], nullptr, 10) : std::uint64_t{2'000'000};
  bloomery::bench::marks_alone(marks);
  bloomery::bench::marks_in_threads(1, marks);
  bloomery::bench::marks_in_threads(4, marks / 2);
  for (const std::uint64_t share : {1000U, 100U, 10U, 1U})
    bloomery::bench::beside_the_fixed_filter(changed / share);
  return 0;
}
