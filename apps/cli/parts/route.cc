#include "apps/cli/parts/route.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "apps/cli/dedup/output.h"
#include "apps/cli/filters/plan.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/parts/plan.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/descriptor.h"
#include "bloomery/filter/block/digest_batch.h"
#include "bloomery/formats/set/join.h"

namespace bloomery::cli {
namespace {

// What is kept before it is written: many small writes to many files are slow.
constexpr std::size_t kMostBuffered = std::size_t{256} << 20;

using internal::Descriptor;

// One file for each part, written as NAME.partial and renamed at the end.
class RoutedFiles {
 public:
  RoutedFiles(std::string folder, std::string name, std::uint32_t parts, std::size_t most)
      : folder_{std::move(folder)},
        name_{std::move(name)},
        buffers_(parts),
        records_(parts, 0),
        most_buffered_{most} {}
  RoutedFiles(const RoutedFiles&) = delete;
  RoutedFiles& operator=(const RoutedFiles&) = delete;
  ~RoutedFiles() {
    std::error_code ignored;
    for (std::uint32_t i = 0; is_writing_ && i < count(); ++i)
      std::filesystem::remove(partial(i), ignored);
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(buffers_.size()); }
  std::string path(std::uint32_t part) const {
    std::string file = part_file_name(name_, {part, count()});
    file.resize(file.size() - std::string_view{".bloom"}.size());  // records are no filter
    return (std::filesystem::path{folder_} / file).string();
  }
  std::string partial(std::uint32_t part) const { return path(part) + ".partial"; }
  // Empties the files. The first stays locked: a second run into the same folder would write into
  // the same files.
  Status create() {
    lock_ = Descriptor::open(partial(0), O_WRONLY | O_CREAT, 0666);
    if (!lock_.valid()) return internal::io_error(partial(0), "create the file");
    if (!internal::try_lock(lock_.get()))
      return Error{ErrorCode::kIo, message(partial(0),
                                           ": another process is writing the file; "
                                           "wait for it, or give another folder")};
    is_writing_ = true;
    for (std::uint32_t i = 0; i < count(); ++i) {
      const auto file = Descriptor::open(partial(i), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (!file.valid()) return internal::io_error(partial(i), "create the file");
    }
    return ok();
  }
  Status write_all_files(std::string_view text) {
    for (std::string& buffer : buffers_) buffer += text;
    buffered_ += text.size() * count();
    return ok();
  }
  Status add(std::uint32_t part, ByteView record, std::byte delimiter) {
    buffers_[part] += text_of(record);
    buffers_[part] += static_cast<char>(delimiter);
    ++records_[part];
    buffered_ += record.size() + 1;
    return buffered_ < most_buffered_ ? ok() : flush();
  }
  Status publish() {
    if (auto flushed = flush(); !flushed) return flushed;
    for (std::uint32_t i = 0; i < count(); ++i) {
      const auto file = Descriptor::open(partial(i), O_WRONLY);
      if (!file.valid() || !internal::sync_file(file.get()))
        return internal::io_error(partial(i), "sync the file");
    }
    for (std::uint32_t i = 0; i < count(); ++i)
      if (std::rename(partial(i).c_str(), path(i).c_str()) != 0)
        return internal::io_error(partial(i), "rename the file");
    is_writing_ = false;
    return ok();
  }
  const std::vector<std::uint64_t>& records() const { return records_; }

 private:
  Status flush() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (buffers_[i].empty()) continue;
      const auto file = Descriptor::open(partial(i), O_WRONLY | O_APPEND);
      if (!file.valid()) return internal::io_error(partial(i), "open the file");
      if (auto written = write_all(file.get(), bytes_of(buffers_[i]), partial(i)); !written)
        return written;
      buffers_[i].clear();
    }
    buffered_ = 0;
    return ok();
  }

  std::string folder_;
  std::string name_;
  Descriptor lock_{-1};
  std::vector<std::string> buffers_;
  std::vector<std::uint64_t> records_;
  std::size_t most_buffered_;
  std::size_t buffered_ = 0;
  bool is_writing_ = false;  // has files that are not complete
};

// The parts of a key: one for each of its lines, each once.
class Router {
 public:
  Router(const PartPlan& plan, std::uint32_t parts)
      : hash_{plan.hash}, shape_{plan.whole.shape}, parts_{parts} {}

  template <class Use>
  Status each(const Batch& batch, Use use) {
    digests_.resize(batch.keys.size());
    digest_batch(hash_, batch.keys, digests_);
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      std::uint32_t taken[block::kMostLines];
      std::uint32_t count = 0;
      block::LineWords line{digests_[i].low, digests_[i].high};
      for (std::uint32_t j = 0; j < shape_.lines(); ++j, line = block::next_line(line)) {
        const std::uint64_t block = block::block_of(line.place, shape_.blocks);
        const std::uint32_t part = part_of_block(block, shape_.blocks, parts_);
        if (std::find(taken, taken + count, part) != taken + count) continue;
        taken[count++] = part;
        if (auto used = use(part, batch.records[i]); !used) return used;
      }
      in_several_ += count > 1 ? 1 : 0;
    }
    return ok();
  }
  std::uint64_t in_several() const { return in_several_; }  // records of more than one part

 private:
  KeyHash hash_;
  BlockShape shape_;
  std::uint32_t parts_;
  std::uint64_t in_several_ = 0;
  std::vector<Hash128> digests_;
};

void report(const RouteRequest& request, const RoutedFiles& files, const StreamTotals& totals,
            std::uint64_t in_several, const Globals& globals) {
  const auto [least, most] = std::ranges::minmax(files.records());
  if (globals.json)
    std::cout << Json{{"parts", request.parts},    {"records", totals.records},
                      {"skipped", totals.skipped}, {"fewest_records", least},
                      {"most_records", most},      {"in_several", in_several},
                      {"seconds", totals.seconds}}
                     .dump()
              << '\n';
  if (globals.quiet) return;
  std::cerr << "bloomery: " << counted(totals.records, "record") << " in "
            << counted(request.parts, "part") << ", " << format_count(least) << " to "
            << format_count(most) << " each, in " << format_seconds(totals.seconds) << '\n';
  if (in_several > 0)
    std::cerr
        << "bloomery: " << counted(in_several, "record") << (in_several == 1 ? " is" : " are")
        << " in more than one file, because a key has several lines in a filter of the layout "
           "lines: right for build --part; to deduplicate file by file, split with --layout "
           "block\n";
  if (totals.skipped > 0) std::cerr << "bloomery: " << skipped_sentence(totals.skipped) << '\n';
}

}  // namespace

int route_records(const RouteRequest& request, Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  const Globals& globals = session.globals;
  const FunnelName funnel = request.records.funnel.value_or(FunnelName::kBytes);
  const auto plan = plan_of_parts(request.filter, request.parts, funnel, kDefaultRate, "split");
  if (!plan) return stop(plan.error());
  RoutedFiles files{
      request.folder, request.name, request.parts,
      static_cast<std::size_t>(std::min<std::uint64_t>(kMostBuffered, globals.memory / 2))};
  std::error_code ignored;
  for (std::uint32_t i = 0; i < request.parts; ++i) {
    if (!request.force && std::filesystem::exists(files.path(i), ignored))
      return complain(files.path(i), "the file exists; --force replaces it", kExitUsage);
    for (const std::string& written : {files.path(i), files.partial(i)})
      if (auto other = refuse_as_output(written, request.inputs); !other)
        return stop(other.error());
  }
  if (auto created = files.create(); !created) return stop(created.error());
  RecordOptions records = request.records;
  if (records.csv) records.csv->prints_rows = true;
  Router router{*plan, request.parts};
  KeyReader keys{records, ByteOrder::kLittle};
  const bool is_column = !records.input.column.empty();
  const auto totals = for_each_batch(
      request.inputs, keys, globals,
      {[&](const Batch& batch) -> Result<bool> {
         const auto routed = router.each(batch, [&](std::uint32_t part, ByteView record) -> Status {
           if (is_column && std::ranges::find(record, records.delimiter) != record.end())
             return Error{ErrorCode::kInvalidArgument,
                          message(batch.file,
                                  ": a value of the column contains the delimiter, and "
                                  "would become two records; choose another (-z, or "
                                  "-D)")};
           return files.add(part, record, records.delimiter);
         });
         if (!routed) return routed.error();
         return true;
       },
       [&](const CsvPreamble& preamble) {
         return files.write_all_files(preamble.mark + preamble.header);
       }});
  if (!totals) return stop(totals.error());
  if (auto published = files.publish(); !published) return stop(published.error());
  report(request, files, *totals, router.in_several(), globals);
  return kExitSuccess;
}

}  // namespace bloomery::cli
