#include "apps/input/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "apps/input/inflate.h"
#include "apps/input/read_ahead.h"
#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

constexpr std::size_t kRawBytes = std::size_t{256} << 10;  // of compressed data, at a time
constexpr std::size_t kHeadBytes = 4096;  // of decompressed data, looked at before they are read

}  // namespace

struct PlainStream {};

struct Input::State {
  State(std::string path, int descriptor, InputOptions how)
      : name{std::move(path)}, fd{descriptor}, options{std::move(how)} {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    ahead.reset();
    if (stop_fd >= 0) ::close(stop_fd);
    if (fd > STDIN_FILENO) ::close(fd);
  }

  Error io_error(std::string_view doing) const {
    return {ErrorCode::kIo, message(name, ": cannot ", doing, ": ", std::strerror(errno))};
  }

  // Waits for bytes, or until the reading ahead is stopped: false.
  bool wait_unless_stopped() const {
    if (stop_fd < 0 || size) return true;
    for (;;) {
      pollfd both[] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
      if (::poll(both, 2, -1) < 0 && errno == EINTR) continue;
      return both[1].revents == 0;
    }
  }

  // Raw bytes of the file, past those in `raw`.
  Result<std::size_t> read_raw(ByteSpan into) {
    if (!wait_unless_stopped()) return Error{ErrorCode::kIo, message(name, ": reading stopped")};
    for (;;) {
      const ssize_t got = ::read(fd, into.data(), into.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("read");
      consumed += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  Error refusal(std::string_view sentence) const {
    return {ErrorCode::kInvalidArgument, message(name, ": ", sentence)};
  }
  Advice advice() const {
    return {name, options.consumer, options.way_around, options.nul_ends_records,
            options.reads_columns};
  }

  // Reads until the kind is recognised, and picks the stream.
  Status start() {
    raw.resize(kRawBytes);
    bool ended = false;
    while (!ended && !options.decompress && raw_end < raw.size() &&
           could_be_known(ByteView{raw}.first(raw_end))) {
      const auto got = read_raw(ByteSpan{raw}.subspan(raw_end));
      if (!got) return got.error();
      ended = *got == 0;
      raw_end += *got;
    }
    const ByteView first = ByteView{raw}.first(raw_end);
    if (const auto cut = ended ? cut_compression(first) : std::nullopt)
      return refusal(cut_sentence(*cut, advice()));
    compression = options.decompress.value_or(recognise(first));
    if (!is_built(compression)) return refusal(not_built_sentence(compression, advice()));
    if (compression == Compression::kNone) return look_at(first);
    if (compression == Compression::kGzip) stream.emplace<GzipStream>();
    if (compression == Compression::kZstd) stream.emplace<ZstdStream>();
    if (compression == Compression::kXz) stream.emplace<XzStream>(options.threads);
    if (compression == Compression::kBzip2) stream.emplace<Bzip2Stream>();
    if (compression == Compression::kLz4) stream.emplace<Lz4Stream>();
    return ok();
  }

  Status look_at(ByteView first) const {
    if (options.decompress || !options.column.empty()) return ok();
    const auto sentence = refusal_of(first, advice(), ending_after(first));
    return sentence ? Status{refusal(*sentence)} : ok();
  }

  // The last bytes of a plain regular file, where they decide what it is; else none.
  std::vector<std::byte> ending_after(ByteView first) const {
    if (!size || *size < kLastBytes || compression != Compression::kNone || !ending_decides(first))
      return {};
    std::vector<std::byte> last(kLastBytes);
    const auto place = start_offset + static_cast<off_t>(*size - kLastBytes);
    if (::pread(fd, last.data(), last.size(), place) != static_cast<ssize_t>(last.size()))
      return {};
    return last;
  }

  // The same of what was compressed.
  Status look_inside(ByteView first) const {
    const Compression inner = recognise(first);
    if (!options.decompress && compression != Compression::kNone && inner != Compression::kNone)
      return refusal(compressed_twice_sentence(compression, inner, advice()));
    return look_at(first);
  }

  // What is read ahead of the reader: enough to tell what it is, and what peek() asks for.
  Status fill_head(std::size_t bytes) {
    if (!looked_inside) head.resize(std::max(bytes, kHeadBytes));
    while (!head_ended && (head_end < bytes || !looked_inside)) {
      if (head.size() < bytes) head.resize(bytes);
      const auto got = decode(ByteSpan{head}.subspan(head_end));
      if (!got) return got.error();
      head_end += *got;
      head_ended = *got == 0;
      const ByteView first = ByteView{head}.first(head_end);
      if (looked_inside || (!head_ended && head_end < head.size() && could_be_known(first)))
        continue;
      looked_inside = true;
      if (auto looked = look_inside(first); !looked) return looked;
    }
    return ok();
  }

  Result<std::size_t> read(ByteSpan into) {
    if (!looked_inside && compression != Compression::kNone)
      if (auto filled = fill_head(0); !filled) return filled.error();
    if (head_begin == head_end) return head_ended ? std::size_t{0} : decode(into);
    const std::size_t given = std::min(into.size(), head_end - head_begin);
    std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(head_begin), given, into.begin());
    head_begin += given;
    return given;
  }

  // A file that was cut short while it was read ends as one that was read to its end.
  Status check_length() const {
    struct stat now {};
    if (!size || ::fstat(fd, &now) != 0) return ok();
    if (static_cast<std::uint64_t>(std::max<off_t>(0, now.st_size - start_offset)) >= *size)
      return ok();
    return Error{ErrorCode::kIo, message(name, ": the file became shorter while it was read")};
  }

  Result<std::size_t> read_plain(ByteSpan into) {
    if (raw_begin == raw_end) {
      auto got = read_raw(into);
      if (got && *got == 0 && !into.empty())
        if (auto whole = check_length(); !whole) return whole.error();
      return got;
    }
    const std::size_t wanted = std::min(into.size(), raw_end - raw_begin);
    std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(raw_begin), wanted, into.begin());
    raw_begin += wanted;
    return wanted;
  }

  // Of what was decompressed: the fault lies behind it, within the next bytes that go through.
  std::string compressed_place() const {
    return message(" (after byte ", consumed - (raw_end - raw_begin), " of the compressed data)");
  }

  template <class Stream>
  Result<std::size_t> read_through(Stream& inflate, ByteSpan into) {
    for (;;) {
      const auto done = inflate.step(ByteView{raw}.subspan(raw_begin, raw_end - raw_begin), into);
      if (!done && done.error().code == ErrorCode::kInvalidArgument)
        return refusal(message(done.error().message, options.way_around.empty() ? "" : "; ",
                               options.way_around));
      if (!done)
        return Error{done.error().code,
                     message(name, ": ", done.error().message, compressed_place())};
      raw_begin += done->consumed;
      if (done->produced != 0) return done->produced;
      if (raw_begin != raw_end) {
        if (done->consumed != 0) continue;
        return Error{ErrorCode::kIo,
                     message(name, ": ", compression_name(compression),
                             " data cannot be decompressed any further", compressed_place())};
      }
      const auto got = read_raw(raw);
      if (!got) return got.error();
      raw_begin = 0;
      raw_end = *got;
      if (*got != 0) continue;
      if constexpr (requires { inflate.finish(into); }) {
        const auto rest = inflate.finish(into);
        if (!rest)
          return Error{rest.error().code,
                       message(name, ": ", rest.error().message, compressed_place())};
        if (*rest != 0) return *rest;
      }
      // Named as compressed, it has at least a header.
      if (inflate.may_end_here() && !(options.decompress && consumed == 0)) return std::size_t{0};
      return Error{ErrorCode::kIo,
                   message(name, ": the ", compression_name(compression),
                           " data end early; the file is incomplete", compressed_place())};
    }
  }

  // After read_through: Clang 14 does not find it otherwise.
  Result<std::size_t> decode(ByteSpan into) {
    return std::visit(
        [&](auto& one) -> Result<std::size_t> {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, PlainStream>)
            return read_plain(into);
          else
            return read_through(one, into);
        },
        stream);
  }

  std::string name;
  int fd;
  InputOptions options;
  Compression compression = Compression::kNone;
  std::variant<PlainStream, GzipStream, ZstdStream, XzStream, Bzip2Stream, Lz4Stream> stream;
  std::vector<std::byte> raw;
  std::size_t raw_begin = 0;
  std::size_t raw_end = 0;
  std::vector<std::byte> head;
  std::size_t head_begin = 0;
  std::size_t head_end = 0;
  bool head_ended = false;     // the input ends behind the head
  bool looked_inside = false;  // the first bytes were checked
  std::uint64_t consumed = 0;
  std::optional<std::uint64_t> size;
  off_t start_offset = 0;
  int stop_fd = -1;
  std::optional<ReadAhead> ahead;
};

Input::Input(std::unique_ptr<State> state) : state_{std::move(state)} {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Result<Input> Input::open(const std::string& path, InputOptions options) {
  const bool is_stdin = path == "-";
  auto state = std::make_unique<State>(
      is_stdin ? "standard input" : path,
      is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY),
      std::move(options));
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
  return state_->ahead ? state_->ahead->read(into) : state_->read(into);
}

void Input::read_ahead(std::size_t most_bytes) {
  State* const state = state_.get();
  state->stop_fd = ::eventfd(0, EFD_CLOEXEC);
  if (state->stop_fd < 0) return;
  const auto stop = [state] {
    constexpr std::uint64_t kOne = 1;
    (void)!::write(state->stop_fd, &kOne, sizeof kOne);
  };
  try {
    state->ahead.emplace(
        ReadAhead::Source{[state](ByteSpan into) { return state->read(into); },
                          [state] { return state->consumed - (state->raw_end - state->raw_begin); },
                          stop},
        most_bytes);
  } catch (const std::system_error&) {  // no more threads: the consumer reads itself
  }
}

Result<ByteView> Input::peek(std::size_t bytes) {
  if (auto filled = state_->fill_head(bytes); !filled) return filled.error();
  return ByteView{state_->head}.first(state_->head_end);
}

const std::string& Input::name() const { return state_->name; }
Compression Input::compression() const { return state_->compression; }
std::optional<std::uint64_t> Input::file_bytes() const { return state_->size; }

std::uint64_t Input::consumed_bytes() const {
  if (state_->ahead) return state_->ahead->consumed();
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
  state_->head_begin = state_->head_end = 0;
  state_->head_ended = false;
  state_->consumed = byte;
  return ok();
}

Error without_name(const Error& error, std::string_view input_name) {
  const std::string prefix = message(input_name, ": ");
  if (!error.message.starts_with(prefix)) return error;
  return {error.code, error.message.substr(prefix.size())};
}

Error at_place(const Error& error, std::string_view input_name, std::string_view unit,
               std::uint64_t number) {
  return {error.code, message(input_name, ": ", unit, " ", number, ": ",
                              without_name(error, input_name).message)};
}

}  // namespace bloomery::input
