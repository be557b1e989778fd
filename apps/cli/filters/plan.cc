#include "apps/cli/filters/plan.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using input::RecordCounter;

constexpr std::uint64_t kPipeKeys = 1'000'000;
constexpr std::uint64_t kCountedBytes = std::uint64_t{16} << 20;  // up to here a file is counted
constexpr std::uint64_t kPlaces = 32;
constexpr std::uint64_t kPlaceBytes = std::uint64_t{128} << 10;
constexpr double kPlainMargin = 1.05;
constexpr double kCompressedMargin = 1.10;  // only the first part of such a file is sampled

struct Counted {
  std::uint64_t records = 0;  // with the one that may lack its delimiter
  std::uint64_t ended = 0;
  std::uint64_t bytes = 0;
};

// Stops after max_bytes, or at the end.
Result<Counted> count_in(Input& input, const RecordEnds& ends, std::uint64_t max_bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(max_bytes, kPlaceBytes)));
  RecordCounter counter{ends};
  std::uint64_t bytes = 0;
  while (bytes < max_bytes) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), max_bytes - bytes);
    const auto got = input.read(ByteSpan{buffer}.first(static_cast<std::size_t>(wanted)));
    // Damage is reported by the later read, which knows the record and does what comes before it.
    if (!got || *got == 0) break;
    counter.add(ByteView{buffer}.first(*got));
    bytes += *got;
  }
  return Counted{counter.records(), counter.ended(), bytes};
}

Result<RecordEstimate> count_one(Input& input, const RecordEnds& ends) {
  const auto all = count_in(input, ends, std::numeric_limits<std::uint64_t>::max());
  if (!all) return all.error();
  return RecordEstimate{all->records, true};
}

RecordEstimate scaled(double sampled_records, double sampled_bytes, double all_bytes,
                      double margin) {
  const double records = std::max(1.0, sampled_records) / std::max(1.0, sampled_bytes) * all_bytes;
  return {static_cast<std::uint64_t>(std::ceil(records * margin)), false};
}

Result<RecordEstimate> sample_plain(Input& input, const RecordEnds& ends) {
  const std::uint64_t size = *input.file_bytes();
  Counted sum;
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    if (auto skipped = input.skip_to((size - kPlaceBytes) / (kPlaces - 1) * i); !skipped)
      return skipped.error();
    // In the middle of CSV, quotes are unknown: rows are taken for lines, never too few.
    const auto counted = count_in(input, ends.delimiter, kPlaceBytes);
    if (!counted) return counted.error();
    sum.ended += counted->ended;
    sum.bytes += counted->bytes;
  }
  return scaled(static_cast<double>(sum.ended), static_cast<double>(sum.bytes),
                static_cast<double>(size), kPlainMargin);
}

Result<RecordEstimate> sample_compressed(Input& input, const RecordEnds& ends) {
  const auto counted = count_in(input, ends, kCountedBytes);
  if (!counted) return counted.error();
  if (counted->bytes < kCountedBytes) return RecordEstimate{counted->records, true};
  return scaled(static_cast<double>(counted->ended), static_cast<double>(input.consumed_bytes()),
                static_cast<double>(*input.file_bytes()), kCompressedMargin);
}

Result<RecordEstimate> estimate_one(Input& input, const RecordEnds& ends) {
  if (input.compression() != Compression::kNone) return sample_compressed(input, ends);
  if (*input.file_bytes() <= kCountedBytes) return count_one(input, ends);
  return sample_plain(input, ends);
}

template <class Judge>
Result<RecordEstimate> judge_file(const InputFile& file, const Judge& judge) {
  if (!file.how.column.empty()) {  // the file counts its values itself
    const auto column = open_column(file);
    if (!column) return column.error();
    return RecordEstimate{column->values(), true};
  }
  auto input = open_to_sample(file);
  if (!input) return input.error();
  auto one = judge(*input);
  if (!one) return one;
  // What was read of a redirected stdin is read again.
  if (auto back = input->put_back(); !back) return back.error();
  return one;
}

// Files are looked at by several threads: of compressed ones, all of many is decompressed.
template <class Judge>
Result<RecordEstimate> sum_over(const std::vector<InputFile>& inputs, const Judge& judge) {
  std::vector<std::optional<Result<RecordEstimate>>> found(inputs.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // of `thrown`, and of the one position of stdin
  std::exception_ptr thrown;
  const auto work = [&]() noexcept {
    for (std::size_t i = next++; i < inputs.size(); i = next++) try {
        std::unique_lock lock{mutex, std::defer_lock};
        if (inputs[i].path == "-") lock.lock();
        found[i] = judge_file(inputs[i], judge);
      } catch (...) {  // memory ran out
        const std::scoped_lock lock{mutex};
        thrown = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t most = inputs.empty() ? 1 : inputs.front().how.threads;
    try {
      while (others.size() + 1 < std::min(most, inputs.size())) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: those that run do all of it
    }
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
  RecordEstimate sum;
  for (const auto& one : found) {
    if (!*one) return one->error();
    sum.records += (*one)->records;
    sum.exact = sum.exact && (*one)->exact;
  }
  return sum;
}

// Puts stdin's bytes, decompressed, into a nameless file and lets that be stdin: now it can be read
// twice.
Status spool_stdin(const InputFile& file) {
  const auto fail = [](std::string_view doing) {
    return Error{ErrorCode::kIo, message("standard input: cannot ", doing,
                                         " a temporary copy: ", std::strerror(errno))};
  };
  auto input = open_input(file);
  if (!input) return input.error();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> copy{std::tmpfile(), std::fclose};
  if (!copy) return fail("create");
  std::vector<std::byte> buffer(static_cast<std::size_t>(kPlaceBytes));
  for (;;) {
    const auto got = input->read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    if (std::fwrite(buffer.data(), 1, *got, copy.get()) != *got) return fail("write");
  }
  if (std::fseek(copy.get(), 0, SEEK_SET) != 0) return fail("write");
  if (::dup2(::fileno(copy.get()), STDIN_FILENO) < 0) return fail("open");
  return ok();
}

Status make_countable(std::vector<InputFile>& inputs) {
  if (inputs.size() == 1 && inputs[0].path == "-" && !inputs[0].bytes) {
    if (auto spooled = spool_stdin(inputs[0]); !spooled) return spooled;
    auto how = inputs[0].how;
    how.decompress = Compression::kNone;  // the copy is
    auto found = find_inputs({"-"}, how);
    if (!found) return found.error();
    inputs = std::move(*found);
  }
  return ok();
}

std::string counted_sentence(const RecordEstimate& estimate) {
  return estimate.exact ? "counted" : "estimated from a sample";
}

Result<std::string> judge_keys(NewFilterOptions& options, const std::vector<InputFile>& inputs,
                               const RecordEnds& ends, bool exactly) {
  const auto estimate = exactly ? count_records(inputs, ends) : estimate_records(inputs, ends);
  if (!estimate) return estimate.error();
  options.create.sizing.keys = std::max<std::uint64_t>(1, estimate->records);
  return counted_sentence(*estimate);
}

// The number of keys cannot be known: only a filter that grows will do.
Result<std::string> plan_growth(NewFilterOptions& options, const std::string& pipe) {
  const std::string_view family = family_of(options.format);
  const bool native = family == "bloomery";
  const Layout layout = options.create.layout;
  const bool seeded = options.create.seeded;
  const bool layered = (layout == Layout::kAuto || layout == Layout::kScalable) && !seeded;
  const bool grows =
      native ? layered && !options.create.sizing.bits_per_key
             : (family == "redisbloom" || family == "rediscuckoo") && options.create.expansion > 0;
  if (!grows)
    return usage_error(message(pipe == "-" ? "standard input" : pipe,
                               ": the number of keys in a pipe is unknown, and ",
                               !native  ? message("a filter of format ", options.format)
                               : seeded ? "a seeded filter"
                                        : "this layout",
                               " cannot grow; give --keys"));
  if (native) options.create.layout = Layout::kScalable;
  options.create.sizing.keys = kPipeKeys;
  return std::string{"a first layer, for a pipe"};
}

}  // namespace

Result<RecordEstimate> estimate_records(const std::vector<InputFile>& inputs,
                                        const RecordEnds& ends) {
  return sum_over(inputs, [&](Input& input) { return estimate_one(input, ends); });
}

Result<RecordEstimate> count_records(const std::vector<InputFile>& inputs, const RecordEnds& ends) {
  return sum_over(inputs, [&](Input& input) { return count_one(input, ends); });
}

Result<std::string> complete_sizing(NewFilterOptions& options, std::vector<InputFile>& inputs,
                                    const RecordEnds& ends, double default_rate) {
  SizingRequest& sizing = options.create.sizing;
  const std::string_view family = family_of(options.format);
  if (family == "ethereum" || family == "eventhorizon") return std::string{"as given"};
  if (sizing.bits || sizing.blocks) return std::string{"as given"};
  // LevelDB sizes a filter by bits per key and by exactly as many keys as it will hold.
  const bool exactly = family == "leveldb";
  // The rate of a cuckoo filter follows from its fingerprints and cannot be chosen.
  const bool has_rate = !exactly && family != "rediscuckoo";
  if (!sizing.rate && has_rate && !sizing.bits_per_key) sizing.rate = default_rate;
  if (sizing.keys) return std::string{"as given"};
  if (exactly)
    if (auto countable = make_countable(inputs); !countable) return countable.error();
  const auto pipe = std::ranges::find_if(inputs, [](const InputFile& file) { return !file.bytes; });
  if (pipe != inputs.end()) return plan_growth(options, pipe->path);
  return judge_keys(options, inputs, ends, exactly);
}

}  // namespace bloomery::cli
