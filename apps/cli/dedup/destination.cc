#include "apps/cli/dedup/destination.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "apps/cli/dedup/output.h"
#include "apps/cli/shell/partial_file.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr int kZstdLevel = 3;
constexpr int kGzipLevel = 6;
constexpr std::size_t kCompressedStep = std::size_t{128} << 10;

Error destination_error(const std::string& name, std::string_view doing) {
  return {ErrorCode::kIo, message(name, ": cannot ", doing, ": ", std::strerror(errno))};
}

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(ZSTD_CCtx* context) : context_{context} {}
  ~ZstdCompressor() override { ZSTD_freeCCtx(context_); }
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  Status compress(ByteView bytes, bool last, std::vector<std::byte>& to) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      const std::size_t begin = to.size();
      to.resize(begin + kCompressedStep);
      ZSTD_outBuffer out{to.data() + begin, kCompressedStep, 0};
      const std::size_t left =
          ZSTD_compressStream2(context_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      to.resize(begin + out.pos);
      if (ZSTD_isError(left) != 0)
        return Error{ErrorCode::kIo,
                     message("cannot compress with zstd: ", ZSTD_getErrorName(left))};
      if (last ? left == 0 : in.pos == in.size) return ok();
    }
  }

 private:
  ZSTD_CCtx* context_;
};

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor() = default;
  ~GzipCompressor() override {
    if (ready_) deflateEnd(&stream_);
  }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  bool prepare() {
    constexpr int kGzipWindow = 15 + 16;
    ready_ =
        deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return ready_;
  }

  Status compress(ByteView bytes, bool last, std::vector<std::byte>& to) override {
    // zlib counts in 32 bits; chunks are shorter unless a record is very long.
    constexpr std::size_t kMost = std::size_t{1} << 30;
    do {
      const ByteView piece = bytes.first(std::min(bytes.size(), kMost));
      bytes = bytes.subspan(piece.size());
      const bool ends = last && bytes.empty();
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      int state = Z_OK;
      do {
        const std::size_t begin = to.size();
        to.resize(begin + kCompressedStep);
        stream_.next_out = reinterpret_cast<Bytef*>(to.data() + begin);
        stream_.avail_out = static_cast<uInt>(kCompressedStep);
        state = deflate(&stream_, ends ? Z_FINISH : Z_NO_FLUSH);
        to.resize(begin + kCompressedStep - stream_.avail_out);
        if (state == Z_STREAM_ERROR) return Error{ErrorCode::kIo, "cannot compress with zlib"};
      } while (ends ? state != Z_STREAM_END : stream_.avail_in != 0);
      if (ends) deflateReset(&stream_);
    } while (!bytes.empty());
    return ok();
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

bool same_file(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

OutputCompression DestinationOptions::chosen() const {
  if (compression) return *compression;
  if (path.ends_with(".zst")) return OutputCompression::kZstd;
  return path.ends_with(".gz") ? OutputCompression::kGzip : OutputCompression::kNone;
}

Result<std::unique_ptr<Compressor>> Compressor::make(OutputCompression how) {
  const Error no_memory{ErrorCode::kTooLarge, "no memory to compress the output"};
  if (how == OutputCompression::kZstd) {
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    if (context == nullptr) return no_memory;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    return std::unique_ptr<Compressor>{std::make_unique<ZstdCompressor>(context)};
  }
  if (how == OutputCompression::kGzip) {
    auto gzip = std::make_unique<GzipCompressor>();
    if (!gzip->prepare()) return no_memory;
    return std::unique_ptr<Compressor>{std::move(gzip)};
  }
  return std::unique_ptr<Compressor>{};
}

Status refuse_destination(const std::string& path, const std::vector<InputFile>& read) {
  for (const std::string& written : {path, partial_of(path)})
    if (auto other = refuse_as_output(written, read); !other) return other;
  return ok();
}

int Destination::descriptor() const { return is_stdout_ ? STDOUT_FILENO : file_.number(); }

Result<Destination> Destination::prepare(const DestinationOptions& options) {
  Destination made{options.path.empty() ? "standard output" : options.path};
  for (const std::string_view end : {".xz", ".bz2", ".lz4"})
    if (!options.compression && options.path.ends_with(end))
      return Error{ErrorCode::kInvalidArgument,
                   message(options.path, ": ", end.substr(1),
                           " is read, but not written; name it .zst or .gz, or give --compress")};
  auto compressor = Compressor::make(options.chosen());
  if (!compressor) return compressor.error();
  made.compressor_ = std::move(*compressor);
  made.is_stdout_ = options.path.empty();
  if (made.is_stdout_) return made;
  made.path_ = behind_links(options.path);
  made.partial_ = partial_of(options.path);
  return made;
}

// One writer at a time: another run of the same command would mix its records with ours.
Status Destination::open_partial(bool create) {
  for (;;) {
    constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW;
    file_ = Descriptor{create ? ::open(partial_.c_str(), kFlags | O_CREAT | O_EXCL, 0666) : -1};
    const bool created = file_.number() >= 0;
    const bool exists = !created && (!create || errno == EEXIST);
    if (exists) file_ = Descriptor{::open(partial_.c_str(), kFlags)};
    // It was renamed by its writer between the two calls.
    if (exists && create && file_.number() < 0 && errno == ENOENT) continue;
    if (file_.number() < 0) return destination_error(partial_, "write");
    int locked = 0;
    do locked = ::flock(file_.number(), LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    if (locked != 0 && errno == EWOULDBLOCK)
      return Error{ErrorCode::kIo,
                   message(partial_, ": another process is writing it; wait until it is done")};
    if (locked != 0) {
      const Error error = destination_error(partial_, "lock");
      if (created) ::unlink(partial_.c_str());
      return error;
    }
    // The other writer may have renamed it between the two calls.
    if (same_file(file_.number(), partial_)) return ok();
  }
}

Result<Destination> Destination::open(const DestinationOptions& options) {
  auto made = prepare(options);
  if (!made || made->is_stdout_) return made;
  struct stat old {};
  const bool exists = ::stat(made->path_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    made->file_ = Descriptor{::open(made->path_.c_str(), O_WRONLY | O_CLOEXEC)};
    if (made->file_.number() < 0) return destination_error(made->name_, "write");
    made->path_.clear();
    made->partial_.clear();
    return made;
  }
  if (exists && !options.force)
    return Error{ErrorCode::kInvalidArgument,
                 message(made->name_, ": the file exists; --force replaces it")};
  if (exists && ::access(made->path_.c_str(), W_OK) != 0)
    return destination_error(made->name_, "write");
  if (auto opened = made->open_partial(true); !opened) return opened.error();
  if (::ftruncate(made->file_.number(), 0) != 0) {
    const Error error = destination_error(made->partial_, "truncate");
    made->abandon();
    return error;
  }
  // A file that is replaced keeps its permissions, as far as the system lets it.
  if (exists) static_cast<void>(::fchmod(made->file_.number(), old.st_mode & 0777));
  return made;
}

Result<Destination> Destination::resume(const DestinationOptions& options, std::uint64_t size,
                                        bool finished) {
  auto made = prepare(options);
  if (!made) return made;
  made->size_ = size;
  struct stat info {};
  const auto is_whole = [&](const std::string& path) {
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           static_cast<std::uint64_t>(info.st_size) >= size;
  };
  if (!is_whole(made->partial_)) {
    made->published_ = finished && ::access(made->partial_.c_str(), F_OK) != 0 &&
                       is_whole(made->path_) && static_cast<std::uint64_t>(info.st_size) == size;
    if (made->published_) return made;
    return Error{ErrorCode::kIo, message(made->partial_, ": it is missing or shorter than the ",
                                         "checkpoint says")};
  }
  if (auto opened = made->open_partial(false); !opened) return opened.error();
  if (::ftruncate(made->file_.number(), static_cast<off_t>(size)) != 0)
    return destination_error(made->partial_, "truncate");
  if (::lseek(made->file_.number(), 0, SEEK_END) < 0)
    return destination_error(made->partial_, "seek");
  return made;
}

Status Destination::write_plainly(ByteView bytes) {
  if (bytes.empty()) return ok();
  size_ += bytes.size();
  return write_all(descriptor(), bytes, name_);
}

Status Destination::write(ByteView bytes) {
  if (!compressor_) return write_plainly(bytes);
  if (bytes.empty()) return ok();
  compressed_.clear();
  in_frame_ = true;
  if (auto done = compressor_->compress(bytes, false, compressed_); !done)
    return Error{done.error().code, message(name_, ": ", done.error().message)};
  return write_plainly(compressed_);
}

Status Destination::settle(bool sync) {
  // Without a record there is one empty frame, which decompressors take for an empty file.
  if (compressor_ && (in_frame_ || size_ == 0) && !published_) {
    compressed_.clear();
    if (auto done = compressor_->compress({}, true, compressed_); !done)
      return Error{done.error().code, message(name_, ": ", done.error().message)};
    in_frame_ = false;
    if (auto written = write_plainly(compressed_); !written) return written;
  }
  return sync && !published_ ? sync_output(descriptor(), name_) : ok();
}

Status Destination::publish() {
  if (is_stdout_ || published_) return ok();
  // Errors of a network file system may come as late as this.
  if (::close(file_.release()) != 0 && errno != EINTR) return destination_error(name_, "write");
  if (!partial_.empty() && ::rename(partial_.c_str(), path_.c_str()) != 0)
    return destination_error(name_, message("rename ", partial_, " to it"));
  published_ = true;
  partial_.clear();
  if (!path_.empty()) sync_folder_of(path_);
  return ok();
}

void Destination::abandon() {
  if (!partial_.empty() && !published_) ::unlink(partial_.c_str());
}

}  // namespace bloomery::cli
