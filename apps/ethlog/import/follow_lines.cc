#include "apps/ethlog/import/follow_lines.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kRemembered = 256;  // bytes by which a rewritten file is recognised

class Tail {
 public:
  Tail(std::filesystem::path path, std::chrono::milliseconds poll, std::stop_token stop,
       TailCalls calls, std::size_t most)
      : path_{std::move(path)},
        poll_{poll},
        stop_{std::move(stop)},
        calls_{std::move(calls)},
        most_{most} {}
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;
  ~Tail() { close(); }

  Result<std::optional<std::string_view>> next() {
    for (std::size_t searched = 0; !stop_.stop_requested();) {
      const std::string_view unread = std::string_view{text_}.substr(start_);
      if (const std::size_t end = unread.find('\n', searched); end != unread.npos) {
        start_ += end + 1;
        if (std::exchange(skipping_, false)) {
          searched = 0;
          continue;
        }
        return std::optional{without_return(unread.substr(0, end))};
      }
      searched = unread.size();
      if (searched > most_) {
        drop_text();
        if (!std::exchange(skipping_, true))
          return Error{ErrorCode::kTooLarge,
                       message("the line is longer than ", most_, " bytes, the most that is read")};
        searched = 0;
      }
      if (descriptor_ < 0)
        if (auto refused = open(); !refused) return refused.error();
      if (!fill()) {
        if (trouble_) return *std::exchange(trouble_, std::nullopt);
        if (begin_again()) {
          searched = 0;
          continue;
        }
        calls_.on_idle();
        rest(stop_, poll_);
      }
    }
    return std::optional<std::string_view>{};
  }

 private:
  static std::string_view without_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // Opens the file where it is there. An error where it cannot be followed, once for each file.
  Status open() {
    struct stat named {};
    if (::stat(path_.c_str(), &named) != 0) {
      if (errno != ENOENT) note_trouble("open");
      return ok();
    }
    if (refused_ && refused_->first == named.st_dev && refused_->second == named.st_ino)
      return ok();
    if (auto followable = check_followable(path_); !followable) {
      refused_.emplace(named.st_dev, named.st_ino);
      return followable;
    }
    refused_.reset();
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 && errno != ENOENT) note_trouble("open");
    return ok();
  }

  // False: nothing is there now, or the file was rewritten. That is asked behind the read: what was
  // read from the old place of a new file is no continuation of what came before.
  bool fill() {
    if (descriptor_ < 0) return false;
    text_.erase(0, start_);
    start_ = 0;
    const std::size_t before = text_.size();
    text_.resize(before + kPiece);
    const ssize_t got = ::read(descriptor_, text_.data() + before, kPiece);
    if (got < 0 && errno != EAGAIN && errno != EINTR) note_trouble("read");
    rewritten_ = was_rewritten();
    text_.resize(before + (got > 0 && !rewritten_ ? static_cast<std::size_t>(got) : 0));
    if (got <= 0 || rewritten_) return false;
    offset_ += got;
    trouble_code_ = 0;
    last_read_.append(text_, before);
    if (last_read_.size() > kRemembered) last_read_.erase(0, last_read_.size() - kRemembered);
    return true;
  }

  // True: the bytes before offset_ are others by now. The size does not show that a file was cut
  // and has grown to its old size or beyond.
  bool was_rewritten() const {
    struct stat facts {};
    if (last_read_.empty() || ::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode))
      return false;
    std::array<char, kRemembered> now{};
    const auto size = static_cast<off_t>(last_read_.size());
    const ssize_t got = ::pread(descriptor_, now.data(), last_read_.size(), offset_ - size);
    if (got < 0) return false;  // the next read reports it
    return got != size || std::string_view{now.data(), last_read_.size()} != last_read_;
  }

  // Once for a row of the same.
  void note_trouble(std::string_view doing) {
    if (std::exchange(trouble_code_, errno) == errno) return;
    trouble_ = Error{ErrorCode::kIo, message(path_.string(), ": cannot ", doing, ": ",
                                             std::strerror(trouble_code_))};
  }

  // True: the path names another file by now, or this one was cut; there may be lines.
  bool begin_again() {
    if (descriptor_ < 0) return false;
    struct stat open_file {};
    struct stat named {};
    if (::fstat(descriptor_, &open_file) != 0 || ::stat(path_.c_str(), &named) != 0) return false;
    const bool same = open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
    if (same && !rewritten_ && (!S_ISREG(open_file.st_mode) || open_file.st_size >= offset_))
      return false;
    // The program that moved the old file away may have written its last lines after the last read.
    if (!same && !rewritten_ && open_file.st_size > offset_ && fill()) return true;
    close();
    drop_text();
    skipping_ = false;
    calls_.on_again();
    return true;
  }

  void drop_text() {
    text_.clear();
    start_ = 0;
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    offset_ = 0;
    last_read_.clear();
    rewritten_ = false;
  }

  std::filesystem::path path_;
  std::chrono::milliseconds poll_;
  std::stop_token stop_;
  TailCalls calls_;
  std::size_t most_;
  int descriptor_ = -1;
  std::optional<std::pair<dev_t, ino_t>> refused_;  // the file that cannot be followed
  off_t offset_ = 0;
  std::string text_;
  std::size_t start_ = 0;
  bool skipping_ = false;  // behind the beginning of a line that is too long
  std::string last_read_;  // the bytes before offset_
  bool rewritten_ = false;
  std::optional<Error> trouble_;  // not reported yet
  int trouble_code_ = 0;          // the last that was reported
};

Error system_error(std::string_view what) {
  return {ErrorCode::kIo, message(what, ": ", std::strerror(errno))};
}

}  // namespace

bool rest(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock{mutex};
  return !wake.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

Status check_followable(const std::filesystem::path& path) {
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0) return ok();
  if (!S_ISREG(named.st_mode))
    return Error{ErrorCode::kInvalidArgument,
                 message(path.string(), ": only a plain file of JSON lines can be followed, not a ",
                         S_ISDIR(named.st_mode) ? "folder" : "pipe or a device",
                         "; bloomery eth import reads pipes")};
  auto opened = input::Input::open(path.string(), {.consumer = "bloomery eth import --db DIR -"});
  if (!opened && opened.error().code == ErrorCode::kInvalidArgument) return opened.error();
  if (opened && opened->compression() != input::Compression::kNone)
    return Error{
        ErrorCode::kInvalidArgument,
        message(path.string(), ": only a plain file of JSON lines can be followed, and it is ",
                input::compression_name(opened->compression()),
                "-compressed; put it into a folder that is followed, or import it")};
  return ok();
}

LineSource tail_lines(const std::filesystem::path& path, std::chrono::milliseconds poll,
                      const std::stop_token& stop, TailCalls calls, std::size_t most_bytes) {
  auto tail = std::make_shared<Tail>(path, poll, stop, std::move(calls), most_bytes);
  return [tail] { return tail->next(); };
}

Result<FolderWatch> FolderWatch::open(const std::filesystem::path& folder) {
  FolderWatch watch{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK), folder};
  if (watch.descriptor_ < 0) return system_error(folder.string() + ": cannot be watched");
  if (::inotify_add_watch(
          watch.descriptor_, folder.c_str(),
          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) < 0)
    return system_error(folder.string() + ": cannot be watched");
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0)
    return system_error(folder.string() + ": cannot be watched");
  watch.device_ = facts.st_dev;
  watch.inode_ = facts.st_ino;
  return watch;
}

// A folder above it may have been moved away, of which its own watch gets no event.
bool FolderWatch::is_at_its_path() const {
  struct stat facts {};
  return ::stat(folder_.c_str(), &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_;
}

FolderWatch::~FolderWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FolderWatch::News> FolderWatch::wait(std::chrono::milliseconds most) {
  News news;
  pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const bool any = ::poll(&ready, 1, static_cast<int>(most.count())) > 0;
  news.gone = !is_at_its_path();
  if (!any) return news;
  alignas(inotify_event) std::array<char, 16 << 10> buffer;
  for (;;) {
    const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return system_error(folder_.string() + ": its watch failed");
    if (got <= 0) return news;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if ((event.mask & IN_Q_OVERFLOW) != 0) news.everything = true;
      // Another folder may have got the number of the one that was removed.
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0)
        news.gone = true;
      // The name is padded with zeros.
      if (event.len > 0) news.names.emplace_back(buffer.data() + at + sizeof event);
      at += sizeof event + event.len;
    }
  }
}

}  // namespace bloomery::ethlog
