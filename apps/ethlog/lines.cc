#include "apps/ethlog/lines.h"

#include <fcntl.h>
#include <lzma.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::array<unsigned char, 6> kXzMagic = {0xfd, '7', 'z', 'X', 'Z', 0x00};

class Lines {
 public:
  Lines(ByteSource bytes, std::size_t most) : bytes_{std::move(bytes)}, most_{most} {}

  Result<std::optional<std::string_view>> next() {
    for (std::size_t searched = 0;;) {
      const std::string_view rest = std::string_view{text_}.substr(start_);
      if (const std::size_t end = rest.find('\n', searched); end != rest.npos) {
        start_ += end + 1;
        return line(rest.substr(0, end));
      }
      if (ended_) {
        start_ = text_.size();
        return rest.empty() ? std::optional<std::string_view>{} : line(rest);
      }
      searched = rest.size();
      if (searched > most_)
        return Error{ErrorCode::kTooLarge,
                     message("A line is longer than ", most_, " bytes, the most that is read.")};
      if (const Status s = fill(); !s) return s.error();
    }
  }

 private:
  static std::optional<std::string_view> line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }
  Status fill() {
    text_.erase(0, start_);
    start_ = 0;
    const std::size_t before = text_.size();
    text_.resize(before + kPiece);
    const auto got = bytes_(std::as_writable_bytes(std::span{text_}.subspan(before)));
    text_.resize(before + (got ? *got : 0));
    if (!got) return got.error();
    ended_ = *got == 0;
    return ok();
  }

  ByteSource bytes_;
  std::size_t most_;
  std::string text_;
  std::size_t start_ = 0;
  bool ended_ = false;
};

class Xz {
 public:
  explicit Xz(ByteSource packed) : packed_{std::move(packed)}, input_(kPiece) {
    constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;  // xz -9 needs 65 MiB
    started_ = lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) == LZMA_OK;
  }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  ~Xz() { lzma_end(&stream_); }

  Result<std::size_t> read(ByteSpan out) {
    if (!started_) return Error{ErrorCode::kIo, "The xz decoder found no memory."};
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (!done_ && stream_.avail_out == out.size()) {
      if (const Status s = refill(); !s) return s.error();
      const lzma_ret code = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
      if (code == LZMA_STREAM_END)
        done_ = true;
      else if (code != LZMA_OK)
        return failure(code);
    }
    return out.size() - stream_.avail_out;
  }

 private:
  Status refill() {
    if (stream_.avail_in > 0 || input_ended_) return ok();
    const auto got = packed_(std::as_writable_bytes(std::span{input_}));
    if (!got) return got.error();
    stream_.next_in = input_.data();
    stream_.avail_in = *got;
    input_ended_ = *got == 0;
    return ok();
  }
  static Error failure(lzma_ret code) {
    if (code == LZMA_BUF_ERROR) return {ErrorCode::kTruncated, "The xz stream ends too early."};
    if (code == LZMA_MEMLIMIT_ERROR)
      return {ErrorCode::kTooLarge, "The xz stream needs more than 256 MiB of memory to unpack."};
    return {ErrorCode::kMalformed,
            message("The xz stream is broken (liblzma says ", static_cast<int>(code), ").")};
  }

  ByteSource packed_;
  std::vector<std::uint8_t> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool started_ = false;
  bool input_ended_ = false;
  bool done_ = false;
};

struct File {
  int descriptor = -1;
  std::filesystem::path path;
  std::vector<std::byte> first;  // read to look at, given out again

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Result<std::size_t> read(ByteSpan out) {
    if (!first.empty()) {
      const std::size_t size = std::min(first.size(), out.size());
      std::memcpy(out.data(), first.data(), size);
      first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size));
      return size;
    }
    for (;;) {
      const ssize_t got = ::read(descriptor, out.data(), out.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR)
        return Error{ErrorCode::kIo,
                     message(path.string(), ": cannot read: ", std::strerror(errno))};
    }
  }
};

}  // namespace

LineSource lines_of(ByteSource bytes, std::size_t most_bytes) {
  return [lines = std::make_shared<Lines>(std::move(bytes), most_bytes)] { return lines->next(); };
}

ByteSource unpack_xz(ByteSource packed) {
  return [xz = std::make_shared<Xz>(std::move(packed))](ByteSpan out) { return xz->read(out); };
}

Result<ByteSource> bytes_of_file(const std::filesystem::path& path) {
  auto file = std::make_shared<File>();
  file->path = path;
  file->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->descriptor < 0)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open: ", std::strerror(errno))};
  std::vector<std::byte> first(kXzMagic.size());
  std::size_t have = 0;
  while (have < first.size()) {
    const auto got = file->read(ByteSpan{first}.subspan(have));
    if (!got) return got.error();
    if (*got == 0) break;
    have += *got;
  }
  first.resize(have);
  const bool packed =
      have == kXzMagic.size() && std::memcmp(first.data(), kXzMagic.data(), have) == 0;
  file->first = std::move(first);
  ByteSource bytes = [file](ByteSpan out) { return file->read(out); };
  return packed ? unpack_xz(std::move(bytes)) : std::move(bytes);
}

}  // namespace bloomery::ethlog
