#include "apps/tracker/watch/socket_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/tracker/state/state_files.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::chrono::minutes kIdleConnection{10};
constexpr std::chrono::seconds kPatience{10};

std::vector<std::byte> bytes_of_history(const History& history) {
  return encode_state({.history = history.snapshot()});
}

}  // namespace

Result<std::vector<std::byte>> answer_watch_call(Watcher& watcher, const Frame& frame) {
  using Bytes = std::vector<std::byte>;
  const auto encoded = [](const auto& result) -> Result<Bytes> {
    if (!result) return result.error();
    return encode(*result);
  };
  const auto done = [](const Status& status) -> Result<Bytes> {
    if (!status) return status.error();
    return Bytes{};
  };
  switch (frame.call) {
    case WatchCall::kHello:
      return Bytes{};
    case WatchCall::kMark: {
      const auto call = decode_mark_call(frame.content);
      return call ? done(watcher.mark(call->paths, call->below)) : call.error();
    }
    case WatchCall::kCycle: {
      const auto request = decode_cycle_request(frame.content);
      return request ? encoded(watcher.cycle(*request)) : request.error();
    }
    case WatchCall::kNextCycle:
      return encoded(watcher.next_cycle());
    case WatchCall::kQuery: {
      const auto call = decode_query_call(frame.content);
      if (!call) return call.error();
      std::vector<std::uint8_t> answers;
      if (auto asked = watcher.query(call->paths, call->since, answers); !asked)
        return asked.error();
      const ByteView bytes = std::as_bytes(std::span{answers});
      return Bytes{bytes.begin(), bytes.end()};
    }
    case WatchCall::kBarrier:
      return done(watcher.barrier());
    case WatchCall::kStatus:
      return encoded(watcher.status());
    case WatchCall::kRoots:
      return encoded(watcher.roots());
    case WatchCall::kSnapshot: {
      const auto history = watcher.snapshot();
      if (!history) return history.error();
      return bytes_of_history(*history);
    }
    default:
      return Error{ErrorCode::kUnsupported,
                   message("the watcher knows no call ", static_cast<unsigned>(frame.call))};
  }
}

Result<std::unique_ptr<SocketServer>> SocketServer::start(Watcher& watcher,
                                                          const std::filesystem::path& folder) {
  auto listener = listen_in(folder);
  if (!listener) return listener.error();
  Descriptor wake{::eventfd(0, EFD_CLOEXEC)};
  if (!wake.valid()) return Error{ErrorCode::kIo, "no eventfd for the watcher's socket"};
  return std::unique_ptr<SocketServer>{
      new SocketServer{watcher, folder, std::move(*listener), std::move(wake)}};
}

SocketServer::SocketServer(Watcher& watcher, std::filesystem::path folder, Descriptor listener,
                           Descriptor wake)
    : watcher_{watcher},
      folder_{std::move(folder)},
      listener_{std::move(listener)},
      wake_{std::move(wake)},
      accepter_{[this] { accept_all(); }} {}

SocketServer::~SocketServer() {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  accepter_.join();
  std::error_code ignored;
  std::filesystem::remove(folder_ / kWatchSocket, ignored);
  {
    const std::lock_guard lock{mutex_};
    // No further frame comes in; an answer that is on its way still goes out.
    for (const Connection& connection : connections_) ::shutdown(connection.socket.get(), SHUT_RD);
  }
  for (Connection& connection : connections_) connection.thread.join();
}

void SocketServer::accept_all() {
  for (;;) {
    pollfd polled[] = {{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    (void)::poll(polled, 2, -1);
    if (polled[1].revents != 0) return;
    join_done();
    try {
      if (polled[0].revents != 0) accept_one();
    } catch (const std::exception&) {  // no memory or no thread: this connection is refused
    }
  }
}

void SocketServer::accept_one() {
  Descriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (!socket.valid()) {
    // Without free descriptors, poll would report the same connection again at once.
    pollfd pause{wake_.get(), POLLIN, 0};
    (void)::poll(&pause, 1, 100);
    return;
  }
  const std::lock_guard lock{mutex_};
  if (connections_.size() >= kMostConnections) {
    const Error error{ErrorCode::kIo, "too many commands talk to the watcher; try again"};
    (void)write_frame(socket, WatchCall::kRefusal, encode(error), {});
    return;
  }
  connections_.push_back({.socket = std::move(socket)});
  Connection& connection = connections_.back();
  try {
    connection.thread = std::thread{[this, &connection] { serve(connection); }};
  } catch (...) {
    connections_.pop_back();
    throw;
  }
}

// Where memory runs out one command loses its connection, and the watcher goes on.
void SocketServer::serve(Connection& connection) {
  try {
    answer_calls(connection.socket);
  } catch (const std::exception&) {
  }
  ::shutdown(connection.socket.get(), SHUT_RDWR);
  const std::lock_guard lock{mutex_};
  connection.done = true;
}

void SocketServer::answer_calls(const Descriptor& socket) {
  for (;;) {
    const auto frame = read_frame(socket, kMostCallBytes, kIdleConnection, kPatience);
    if (!frame) {
      if (frame.error().code != ErrorCode::kTruncated)
        (void)write_frame(socket, WatchCall::kRefusal, encode(frame.error()), kPatience);
      break;
    }
    watcher_.count_request();
    const auto answer = answer_watch_call(watcher_, *frame);
    const auto sent =
        answer ? write_frame(socket, WatchCall::kAnswer, *answer, kPatience)
               : write_frame(socket, WatchCall::kRefusal, encode(answer.error()), kPatience);
    if (!sent) break;
  }
}

void SocketServer::join_done() {
  const std::lock_guard lock{mutex_};
  for (auto at = connections_.begin(); at != connections_.end();) {
    if (!at->done) {
      ++at;
      continue;
    }
    at->thread.join();
    at = connections_.erase(at);
  }
}

}  // namespace bloomery::tracker
