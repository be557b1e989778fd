// The bytes between this process and a server: a socket, encrypted or not. No call waits longer
// than its caller's patience.
#pragma once
#include <chrono>
#include <memory>
#include <span>
#include <string_view>

#include "apps/redis_client/address.h"

namespace bloomery::redis_client {

using Clock = std::chrono::steady_clock;
// Asked when a signal interrupts a wait: true ends it.
using Interrupted = bool (*)();

struct Patience {
  Clock::time_point until;
  Interrupted interrupted = nullptr;
};

// Every error is a reason without a subject: the caller knows what it was about.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;
  // Some of the bytes, at least one.
  virtual Result<std::size_t> send(std::string_view bytes, const Patience& patience) = 0;
  // At least one byte; 0 when the server hung up.
  virtual Result<std::size_t> receive(std::span<char> buffer, const Patience& patience) = 0;
};

// A connected socket that never blocks by itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_{descriptor} {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  static Result<Socket> connect(const RedisAddress& address, const Patience& patience);
  int descriptor() const { return descriptor_; }
  // For POLLIN or POLLOUT. An error when time is up, or a signal ended the wait.
  Status wait(short events, const Patience& patience) const;

 private:
  int descriptor_ = -1;
};

// The reason of a wait that was too long.
Error time_is_up();
bool is_time_up(const Error& error);

std::unique_ptr<Channel> plain_channel(Socket socket);
// After the handshake, with the server's certificate verified for the address's host.
// kUnsupported where this program was built without OpenSSL.
Result<std::unique_ptr<Channel>> encrypted_channel(Socket socket, const RedisAddress& address,
                                                   const Patience& patience);

}  // namespace bloomery::redis_client
