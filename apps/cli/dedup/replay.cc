#include "apps/cli/dedup/replay.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "apps/cli/dedup/output.h"
#include "apps/cli/shell/bus_error.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error io_error(std::string_view name, std::string_view doing) {
  return {ErrorCode::kIo, message(name, ": cannot ", doing, ": ", std::strerror(errno))};
}

Result<Descriptor> temporary_file() {
  const char* wanted = std::getenv("TMPDIR");
  const std::string folder = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  std::string name = folder + "/bloomery.XXXXXX";
  Descriptor file{::mkostemp(name.data(), O_CLOEXEC)};
  if (file.number() < 0) return io_error(folder, "make a temporary file");
  ::unlink(name.c_str());
  return file;
}

// Where this plain regular file starts and how long it is; nothing for anything else.
struct Extent {
  std::uint64_t start;
  std::uint64_t bytes;
};
Result<std::optional<Extent>> extent_of(const std::string& name, const Descriptor& file,
                                        std::optional<Compression> decompress) {
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return io_error(name, "stat");
  // The files of /proc are regular, have no length, and hold something all the same.
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return std::optional<Extent>{};
  const off_t start = std::clamp<off_t>(::lseek(file.number(), 0, SEEK_CUR), 0, info.st_size);
  std::byte first[16];
  const ssize_t got = ::pread(file.number(), first, sizeof first, start);
  if (got < 0) return io_error(name, "read");
  const auto seen = input::recognise(ByteView{first}.first(static_cast<std::size_t>(got)));
  if (decompress.value_or(seen) != Compression::kNone) return std::optional<Extent>{};
  return std::optional{
      Extent{static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(info.st_size - start)}};
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ > STDIN_FILENO) ::close(number_);
}

Result<Replay> Replay::open(const std::vector<InputFile>& inputs, const RecordEnds& ends,
                            std::string_view option) {
  Replay replay;
  replay.option_ = option;
  // Every plain file stays open until it was read for the last time.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));
  }
  bool had_stdin = false;
  for (const InputFile& input : inputs) {
    // A second read of stdin finds nothing more.
    if (input.path == "-" && std::exchange(had_stdin, true)) continue;
    if (auto added = replay.add(input, ends); !added) return added.error();
  }
  return replay;
}

Status Replay::add(const InputFile& input, const RecordEnds& ends) {
  const bool is_stdin = input.path == "-";
  const std::string name = is_stdin ? "standard input" : input.path;
  // A pipe by name is opened once only: the writer at its other end would notice.
  if (input.bytes && input.how.column.empty()) {
    Descriptor file{is_stdin ? STDIN_FILENO : ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) return io_error(name, "open");
    const auto extent = extent_of(name, file, input.how.decompress);
    if (!extent) return extent.error();
    if (*extent) {
      parts_.push_back(
          {name, std::move(file), (*extent)->start, (*extent)->bytes, bytes_, option_});
      plain_.push_back(input);
      bytes_ += (*extent)->bytes;
      return ok();
    }
  }
  auto file = temporary_file();
  if (!file) return file.error();
  const auto copy_all = [&](auto source, auto copy_it) -> Result<std::uint64_t> {
    if (!source) return source.error();
    return (this->*copy_it)(*source, *file, ends);
  };
  const auto copied = input.how.column.empty() ? copy_all(open_input(input), &Replay::copy)
                                               : copy_all(open_column(input), &Replay::copy_column);
  if (!copied) return copied.error();
  parts_.push_back({name, std::move(*file), 0, *copied, bytes_, option_});
  bytes_ += *copied;
  return ok();
}

// The copy is split into records again, so no value may hold the delimiter.
Result<std::uint64_t> Replay::copy_column(ColumnRecords& column, const Descriptor& to,
                                          const RecordEnds& ends) {
  const std::byte delimiter = ends.delimiter;
  name_mapping(column.mapping(), column.name());
  std::uint64_t bytes = 0;
  Chunk chunk;
  ColumnChunkReader reader{std::shared_ptr<ColumnRecords>{&column, [](ColumnRecords*) {}},
                           delimiter};
  for (;;) {
    const auto there = reader.next(chunk);
    if (!there) return there.error();
    if (!*there) return bytes;
    const bool is_held = std::ranges::any_of(chunk.records, [&](ByteView record) {
      return std::ranges::find(record, delimiter) != record.end();
    });
    if (is_held)
      return Error{
          ErrorCode::kInvalidArgument,
          message(column.name(), ": a value of the column contains the delimiter, by which a copy ",
                  "is split that is read again; choose another (-z, or -D)")};
    const auto size = static_cast<std::size_t>(reader.bytes_handed_out() - bytes);
    if (auto written = write_all(to.number(), {chunk.buffer.data(), size}); !written)
      return Error{
          ErrorCode::kIo,
          message(column.name(), ": cannot write the temporary copy: ", std::strerror(errno))};
    copied_records_ += chunk.records.size();
    bytes = reader.bytes_handed_out();
  }
}

Result<std::uint64_t> Replay::copy(Input& input, const Descriptor& to, const RecordEnds& ends) {
  std::vector<std::byte> buffer(ChunkReader::kChunkBytes);
  input::RecordCounter counter{ends};
  std::uint64_t bytes = 0;
  for (;;) {
    const auto got = input.read(buffer);
    if (!got)
      return input::at_place(got.error(), input.name(), ends.csv ? "row" : "record",
                             counter.ended() + 1);
    if (*got == 0) break;
    const ByteView read = ByteView{buffer}.first(*got);
    counter.add(read);
    bytes += *got;
    if (auto written = write_all(to.number(), read); !written)
      return Error{
          ErrorCode::kIo,
          message(input.name(), ": cannot write the temporary copy: ", std::strerror(errno))};
  }
  copied_records_ += counter.records();
  return bytes;
}

// Whole blocks, as many as there is room for; 0 at the end. They are what they were before.
Result<std::size_t> Replay::read_blocks(const Part& part, std::uint64_t from, ByteSpan into) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(
      into.size() - into.size() % BlockSums::kBlockBytes, part.bytes - from));
  std::size_t size = 0;
  while (size < wanted) {
    const ssize_t got = ::pread(part.file.number(), into.data() + size, wanted - size,
                                static_cast<off_t>(part.start + from + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(part.name, "read");
    if (got == 0)
      return Error{ErrorCode::kIo, message(part.name, ": it became shorter while it was read")};
    size += static_cast<std::size_t>(got);
  }
  if (part.sums.agree(from, into.first(size))) return size;
  return Error{ErrorCode::kIo,
               message(part.name, ": the file changed while it was read, and ", part.option,
                       " reads it more than once; run it again on a copy that no program changes")};
}

// One reading of a part from its start.
class Replay::Reading {
 public:
  explicit Reading(const Part& part) : part_{&part} {}

  std::uint64_t consumed() const { return at_ - (block_.size() - block_begin_); }

  Result<std::size_t> read(ByteSpan into) {
    if (block_begin_ == block_.size()) {
      if (into.size() >= BlockSums::kBlockBytes) return advance(into);
      block_.resize(BlockSums::kBlockBytes);
      const auto got = advance(block_);
      if (!got) return got.error();
      block_.resize(*got);
      block_begin_ = 0;
    }
    const std::size_t given = std::min(into.size(), block_.size() - block_begin_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(block_begin_), given, into.begin());
    block_begin_ += given;
    return given;
  }

 private:
  Result<std::size_t> advance(ByteSpan into) {
    auto got = read_blocks(*part_, at_, into);
    if (got) at_ += *got;
    return got;
  }

  const Part* part_;
  std::uint64_t at_ = 0;          // behind what was read of the part
  std::vector<std::byte> block_;  // for callers without room for a whole block
  std::size_t block_begin_ = 0;   // of what was not yet handed out
};

std::vector<OpenFile> Replay::files() const {
  std::vector<OpenFile> files;
  for (const Part& part : parts_)
    files.emplace_back([&part]() -> Result<OpenedFile> {
      const auto reading = std::make_shared<Reading>(part);
      return OpenedFile{part.name, [reading](ByteSpan into) { return reading->read(into); },
                        [reading] { return reading->consumed(); }};
    });
  return files;
}

Result<Replay::Found> Replay::read_around(std::uint64_t place, ByteSpan into) const {
  const auto after = std::ranges::upper_bound(parts_, place, {}, &Part::place);
  const Part& part = *std::prev(after);
  const std::uint64_t inside = place - part.place;
  const std::uint64_t from = inside - inside % BlockSums::kBlockBytes;
  const auto got = read_blocks(part, from, into);
  if (!got) return got.error();
  return Found{part.place + from, *got, from + *got == part.bytes};
}

}  // namespace bloomery::cli
