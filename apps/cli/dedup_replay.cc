#include "apps/cli/dedup_replay.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "apps/cli/dedup_output.h"
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

Result<Replay> Replay::open(const std::vector<InputFile>& inputs, std::byte delimiter) {
  Replay replay;
  bool had_stdin = false;
  for (const InputFile& input : inputs) {
    // Whoever reads stdin a second time finds nothing more.
    if (input.path == "-" && std::exchange(had_stdin, true)) continue;
    if (auto added = replay.add(input, delimiter); !added) return added.error();
  }
  return replay;
}

Status Replay::add(const InputFile& input, std::byte delimiter) {
  const bool is_stdin = input.path == "-";
  const std::string name = is_stdin ? "standard input" : input.path;
  // A pipe by name is opened once only: the writer at its other end would notice.
  if (input.bytes) {
    Descriptor file{is_stdin ? STDIN_FILENO : ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) return io_error(name, "open");
    const auto extent = extent_of(name, file, input.how.decompress);
    if (!extent) return extent.error();
    if (*extent) {
      parts_.push_back({name, std::move(file), (*extent)->start, (*extent)->bytes, bytes_});
      plain_.push_back(input);
      bytes_ += (*extent)->bytes;
      return ok();
    }
  }
  auto source = open_input(input);
  if (!source) return source.error();
  auto file = temporary_file();
  if (!file) return file.error();
  const auto copied = copy(*source, *file, delimiter);
  if (!copied) return copied.error();
  parts_.push_back({name, std::move(*file), 0, *copied, bytes_});
  bytes_ += *copied;
  return ok();
}

Result<std::uint64_t> Replay::copy(Input& input, const Descriptor& to, std::byte delimiter) {
  std::vector<std::byte> buffer(ChunkReader::kChunkBytes);
  const std::uint64_t records_before = copied_records_;
  std::uint64_t bytes = 0;
  std::byte last = delimiter;
  for (;;) {
    const auto got = input.read(buffer);
    if (!got)
      return input::at_place(got.error(), input.name(), "record",
                             copied_records_ - records_before + 1);
    if (*got == 0) break;
    const ByteView read = ByteView{buffer}.first(*got);
    copied_records_ += static_cast<std::uint64_t>(std::ranges::count(read, delimiter));
    last = read.back();
    bytes += *got;
    if (auto written = write_all(to.number(), read); !written)
      return Error{
          ErrorCode::kIo,
          message(input.name(), ": cannot write the temporary copy: ", std::strerror(errno))};
  }
  if (last != delimiter) ++copied_records_;
  return bytes;
}

Result<std::size_t> Replay::read_part(const Part& part, std::uint64_t from, ByteSpan into) {
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), part.bytes - from));
  if (wanted == 0) return std::size_t{0};
  for (;;) {
    const ssize_t got =
        ::pread(part.file.number(), into.data(), wanted, static_cast<off_t>(part.start + from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(part.name, "read");
    if (got == 0)
      return Error{ErrorCode::kIo, message(part.name, ": it became shorter while it was read")};
    return static_cast<std::size_t>(got);
  }
}

std::vector<OpenFile> Replay::files() const {
  std::vector<OpenFile> files;
  for (const Part& part : parts_)
    files.emplace_back([&part]() -> Result<OpenedFile> {
      const auto at = std::make_shared<std::uint64_t>(0);
      const auto read = [&part, at](ByteSpan into) {
        auto got = read_part(part, *at, into);
        if (got) *at += *got;
        return got;
      };
      return OpenedFile{part.name, read, [at] { return *at; }};
    });
  return files;
}

Result<Replay::Found> Replay::read_at(std::uint64_t place, ByteSpan into) const {
  const auto after = std::ranges::upper_bound(parts_, place, {}, &Part::place);
  const Part& part = *std::prev(after);
  Found found;
  while (found.size < into.size()) {
    const auto got = read_part(part, place - part.place + found.size, into.subspan(found.size));
    if (!got) return got.error();
    if (*got == 0) {
      found.whole = true;
      break;
    }
    found.size += *got;
  }
  return found;
}

}  // namespace bloomery::cli
