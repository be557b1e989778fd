#include "apps/input/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <variant>
#include <vector>

#include "apps/input/inflate.h"
#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

constexpr std::size_t kRawBytes = std::size_t{256} << 10;  // of compressed data, at a time
constexpr std::size_t kMagicBytes = 4;

struct Plain {};

}  // namespace

// Whether more bytes could still make a magic: a pipe that brings "7" and waits must not be waited
// for.
static bool could_be_magic(ByteView first_bytes) {
  if (first_bytes.empty()) return true;
  const auto first = std::to_integer<unsigned>(first_bytes[0]);
  return first == 0x1f || first == 0x28 || (first & 0xf0) == 0x50;
}

Compression recognise(ByteView first_bytes) {
  const auto byte = [&](std::size_t i) {
    return i < first_bytes.size() ? std::to_integer<unsigned>(first_bytes[i]) : 0x100U;
  };
  // RFC 1952: the identification, then the only method there is.
  if (byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) return Compression::kGzip;
  // RFC 8878: a frame, or a skippable frame before it.
  if (byte(0) == 0x28 && byte(1) == 0xb5 && byte(2) == 0x2f && byte(3) == 0xfd)
    return Compression::kZstd;
  if ((byte(0) & 0x1f0) == 0x50 && byte(1) == 0x2a && byte(2) == 0x4d && byte(3) == 0x18)
    return Compression::kZstd;
  return Compression::kNone;
}

struct Input::State {
  State(std::string path, int descriptor) : name{std::move(path)}, fd{descriptor} {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (fd > STDIN_FILENO) ::close(fd);
  }

  Error io_error(std::string_view doing) const {
    return {ErrorCode::kIo, message(name, ": cannot ", doing, ": ", std::strerror(errno))};
  }

  // Raw bytes of the file, past those in `raw`.
  Result<std::size_t> read_raw(ByteSpan into) {
    for (;;) {
      const ssize_t got = ::read(fd, into.data(), into.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("read");
      consumed += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  // Reads until the magic can be told, and picks the stream.
  Status start() {
    raw.resize(kRawBytes);
    raw_begin = raw_end = 0;
    consumed = 0;
    while (raw_end < kMagicBytes && could_be_magic(ByteView{raw}.first(raw_end))) {
      const auto got = read_raw(ByteSpan{raw}.subspan(raw_end));
      if (!got) return got.error();
      if (*got == 0) break;
      raw_end += *got;
    }
    compression = recognise(ByteView{raw}.first(raw_end));
    if (compression == Compression::kNone) stream.emplace<Plain>();
    if (compression == Compression::kGzip) stream.emplace<GzipStream>();
    if (compression == Compression::kZstd) stream.emplace<ZstdStream>();
    return ok();
  }

  Result<std::size_t> read_plain(ByteSpan into) {
    if (raw_begin == raw_end) return read_raw(into);
    const std::size_t wanted = std::min(into.size(), raw_end - raw_begin);
    std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(raw_begin), wanted, into.begin());
    raw_begin += wanted;
    return wanted;
  }

  template <class Stream>
  Result<std::size_t> read_through(Stream& inflate, ByteSpan into) {
    for (;;) {
      const auto done = inflate.step(ByteView{raw}.subspan(raw_begin, raw_end - raw_begin), into);
      if (!done) return Error{done.error().code, message(name, ": ", done.error().message)};
      raw_begin += done->consumed;
      if (done->produced != 0) return done->produced;
      if (raw_begin != raw_end) continue;
      const auto got = read_raw(raw);
      if (!got) return got.error();
      raw_begin = 0;
      raw_end = *got;
      if (*got != 0) continue;
      if (inflate.may_end_here()) return std::size_t{0};
      return Error{ErrorCode::kIo, message(name, ": the compressed data end early")};
    }
  }

  std::string name;
  int fd;
  Compression compression = Compression::kNone;
  std::variant<Plain, GzipStream, ZstdStream> stream;
  std::vector<std::byte> raw;
  std::size_t raw_begin = 0;
  std::size_t raw_end = 0;
  std::uint64_t consumed = 0;
  std::optional<std::uint64_t> size;
  off_t start_offset = 0;
};

Input::Input(std::unique_ptr<State> state) : state_{std::move(state)} {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Result<Input> Input::open(const std::string& path) {
  const bool is_stdin = path == "-";
  auto state = std::make_unique<State>(
      is_stdin ? "standard input" : path,
      is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (state->fd < 0) return state->io_error("open");
  struct stat info {};
  if (::fstat(state->fd, &info) != 0) return state->io_error("stat");
  if (S_ISREG(info.st_mode)) {
    state->start_offset = std::max<off_t>(0, ::lseek(state->fd, 0, SEEK_CUR));
    state->size =
        static_cast<std::uint64_t>(std::max<off_t>(0, info.st_size - state->start_offset));
  }
  if (auto started = state->start(); !started) return started.error();
  return Input{std::move(state)};
}

Result<std::size_t> Input::read(ByteSpan into) {
  State& state = *state_;
  if (auto* gzip = std::get_if<GzipStream>(&state.stream)) return state.read_through(*gzip, into);
  if (auto* zstd = std::get_if<ZstdStream>(&state.stream)) return state.read_through(*zstd, into);
  return state.read_plain(into);
}

const std::string& Input::name() const { return state_->name; }
Compression Input::compression() const { return state_->compression; }
std::optional<std::uint64_t> Input::file_bytes() const { return state_->size; }

std::uint64_t Input::consumed_bytes() const {
  return state_->consumed - (state_->raw_end - state_->raw_begin);
}

Status Input::put_back() {
  if (::lseek(state_->fd, state_->start_offset, SEEK_SET) < 0) return state_->io_error("seek");
  return ok();
}

Status Input::skip_to(std::uint64_t byte) {
  if (::lseek(state_->fd, state_->start_offset + static_cast<off_t>(byte), SEEK_SET) < 0)
    return state_->io_error("seek");
  state_->raw_begin = state_->raw_end = 0;
  state_->consumed = byte;
  return ok();
}

}  // namespace bloomery::input
