// Serves commands that connect to the watcher's socket, several at a time.
#pragma once
#include <list>
#include <mutex>
#include <thread>

#include "apps/tracker/watch/socket_frames.h"
#include "apps/tracker/watch/watcher.h"

namespace bloomery::tracker {

class SocketServer {
 public:
  static constexpr std::size_t kMostConnections = 32;  // further ones get a refusal

  // The watcher outlives it.
  static Result<std::unique_ptr<SocketServer>> start(Watcher& watcher,
                                                     const std::filesystem::path& folder);
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;
  ~SocketServer();  // answers what was asked, then closes every connection

 private:
  struct Connection {
    Descriptor socket;
    bool done = false;  // under mutex_
    std::thread thread = {};
  };
  SocketServer(Watcher& watcher, std::filesystem::path folder, Descriptor listener,
               Descriptor wake);
  void accept_all();
  void accept_one();
  void serve(Connection& connection);
  void answer_calls(const Descriptor& socket);
  void join_done();

  Watcher& watcher_;
  const std::filesystem::path folder_;
  const Descriptor listener_;
  const Descriptor wake_;
  std::mutex mutex_;
  std::list<Connection> connections_;
  std::thread accepter_;
};

// The content of the answer to one frame.
Result<std::vector<std::byte>> answer_watch_call(Watcher& watcher, const Frame& frame);

}  // namespace bloomery::tracker
