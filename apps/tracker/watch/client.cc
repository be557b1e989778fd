#include "apps/tracker/watch/client.h"

#include <poll.h>

#include <cerrno>

#include "apps/tracker/state/state.h"
#include "apps/tracker/state/state_files.h"
#include "apps/tracker/watch/socket_frames.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{4} << 20;  // bytes of paths in a frame
constexpr std::chrono::minutes kAnswerPatience{10};        // a barrier may have to wait
constexpr std::chrono::seconds kTransferPatience{30};

class WatcherClient final : public TrackerClient {
 public:
  WatcherClient(ClientOptions options, Descriptor socket)
      : options_{std::move(options)}, socket_{std::move(socket)} {}

  Result<std::vector<std::byte>> ask(WatchCall call, ByteView content = {}) {
    if (content.size() > kMostCallBytes)
      return Error{ErrorCode::kTooLarge,
                   message("a path of ", content.size(), " bytes is too long for the watcher")};
    if (auto refused = unasked_answer()) return *refused;
    if (!socket_.valid()) return gone();
    const auto sent = write_frame(socket_, call, content, kTransferPatience);
    auto frame =
        read_frame(socket_, options_.tracker.limits.max_bytes,
                   sent ? kAnswerPatience : std::chrono::milliseconds{}, kTransferPatience);
    if (!frame) {
      const bool closed = !sent || frame.error().code == ErrorCode::kTruncated;
      return closed ? gone() : frame.error();
    }
    if (frame->call == WatchCall::kAnswer) return std::move(frame->content);
    return decode_refusal(frame->content);
  }

  Status mark(std::span<const std::string> paths, bool below) override {
    return in_pieces(paths, [&](std::vector<std::string> piece) {
      return done(ask(WatchCall::kMark, encode(MarkCall{below, std::move(piece)})));
    });
  }
  Result<CycleAnswer> cycle(const CycleRequest& request) override {
    const auto bytes = ask(WatchCall::kCycle, encode(request));
    return bytes ? decode_cycle_answer(*bytes) : bytes.error();
  }
  Result<CycleAnswer> next_cycle() override {
    const auto bytes = ask(WatchCall::kNextCycle);
    return bytes ? decode_cycle_answer(*bytes) : bytes.error();
  }
  Status query(std::span<const std::string> paths, std::optional<CycleId> since,
               std::vector<std::uint8_t>& answers) override {
    answers.clear();
    return in_pieces(paths, [&](std::vector<std::string> piece) -> Status {
      const std::size_t count = piece.size();
      const auto bytes = ask(WatchCall::kQuery, encode(QueryCall{since, std::move(piece)}));
      if (!bytes) return bytes.error();
      if (bytes->size() != count)
        return Error{ErrorCode::kMalformed, "the watcher answered about other paths"};
      for (const std::byte answer : *bytes) answers.push_back(answer == std::byte{0} ? 0 : 1);
      return ok();
    });
  }
  Status barrier() override { return done(ask(WatchCall::kBarrier)); }
  Result<History> snapshot() override {
    const auto bytes = ask(WatchCall::kSnapshot);
    if (!bytes) return bytes.error();
    auto state = decode_state(*bytes, options_.tracker.limits);
    if (!state) return state.error();
    return std::move(state->history);
  }
  Result<TrackerStatus> status() override {
    const auto bytes = ask(WatchCall::kStatus);
    return bytes ? decode_status(*bytes) : bytes.error();
  }
  Result<std::vector<std::string>> roots() override {
    const auto bytes = ask(WatchCall::kRoots);
    return bytes ? decode_paths(*bytes) : bytes.error();
  }
  // The watcher keeps it: should it end without saving, everything counts as changed.
  Status close() override { return ok(); }

 private:
  static Status done(const Result<std::vector<std::byte>>& answer) {
    return answer ? ok() : Status{answer.error()};
  }
  Error gone() const {
    return {ErrorCode::kIo, message(options_.tracker.folder.string(),
                                    ": the watcher ended before it answered; try again")};
  }
  // What came before anything was asked: a refusal, or the end of a connection that was idle for
  // too long, which is made anew.
  std::optional<Error> unasked_answer() {
    pollfd polled{socket_.get(), POLLIN | POLLRDHUP, 0};
    if (socket_.valid() && ::poll(&polled, 1, 0) == 0) return std::nullopt;
    if (socket_.valid())
      if (const auto frame = read_frame(socket_, kMostCallBytes, {}, kTransferPatience);
          frame && frame->call == WatchCall::kRefusal)
        return decode_refusal(frame->content);
    socket_ = connect_in(options_.tracker.folder);
    return std::nullopt;
  }
  template <class Use>
  static Status in_pieces(std::span<const std::string> paths, Use use) {
    std::vector<std::string> piece;
    std::size_t bytes = 0;
    for (const std::string& path : paths) {
      if (!piece.empty() && bytes + path.size() > kMostAtOnce) {
        if (auto used = use(std::exchange(piece, {})); !used) return used;
        bytes = 0;
      }
      bytes += path.size() + sizeof(std::uint32_t);
      piece.push_back(path);
    }
    return piece.empty() ? ok() : use(std::move(piece));
  }

  const ClientOptions options_;
  Descriptor socket_;
};

}  // namespace

Result<std::unique_ptr<TrackerClient>> open_watcher(const ClientOptions& options) {
  Descriptor socket = connect_in(options.tracker.folder);
  if (!socket.valid()) {
    if (errno == EACCES)
      return Error{ErrorCode::kIo,
                   message((options.tracker.folder / kWatchSocket).string(),
                           ": belongs to another user's watcher; run the command as that user")};
    return std::unique_ptr<TrackerClient>{};
  }
  if (options.tracker.mode && *options.tracker.mode != Mode::kAdaptive)
    return Error{ErrorCode::kInvalidArgument,
                 message(options.tracker.folder.string(),
                         ": holds an adaptive tracker with a watcher, not MinIO's")};
  if (options.tracker.rate)
    return Error{ErrorCode::kInvalidArgument,
                 "a watcher owns this tracker: its rate is set when the watcher starts"};
  if (options.tracker.marks_only)
    return Error{
        ErrorCode::kInvalidArgument,
        "a watcher owns this tracker and sees its changes: --marks-only is for one without"};
  auto client = std::make_unique<WatcherClient>(options, std::move(socket));
  if (auto hello = client->ask(WatchCall::kHello); !hello) {
    // It ended between two steps: then the files are all there is.
    if (hello.error().code == ErrorCode::kIo && !connect_in(options.tracker.folder).valid())
      return std::unique_ptr<TrackerClient>{};
    return hello.error();
  }
  return std::unique_ptr<TrackerClient>{std::move(client)};
}

}  // namespace bloomery::tracker
