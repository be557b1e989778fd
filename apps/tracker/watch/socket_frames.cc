#include "apps/tracker/watch/socket_frames.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "apps/tracker/state/state_files.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr int kWaiting = 64;  // connections that were not accepted yet

Error io_error(std::string_view what) {
  return {ErrorCode::kIo, message("the watcher's socket: ", what, ": ", std::strerror(errno))};
}

bool is_ready(const Descriptor& socket, short what, milliseconds patience) {
  pollfd polled{socket.get(), what, 0};
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    const int ready =
        ::poll(&polled, 1, static_cast<int>(std::max<milliseconds>(left, milliseconds{0}).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) errno = ETIMEDOUT;
    return false;
  }
}

// Fills the span. False with errno; 0 for an end.
bool receive(const Descriptor& socket, ByteSpan into, milliseconds first, milliseconds patience) {
  while (!into.empty()) {
    if (!is_ready(socket, POLLIN, std::exchange(first, patience))) return false;
    const ssize_t size = ::recv(socket.get(), into.data(), into.size(), MSG_DONTWAIT);
    if (size == 0) {
      errno = 0;
      return false;
    }
    if (size < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (size > 0) into = into.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

struct Address {
  Descriptor folder;  // while it is used: the name goes through it
  sockaddr_un name{};
};

Result<Address> address_in(const std::filesystem::path& folder) {
  Address address;
  address.folder = Descriptor{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!address.folder.valid()) return io_error(folder.string());
  address.name.sun_family = AF_UNIX;
  const std::string path = name_of(address.folder) + "/" + std::string{kWatchSocket};
  path.copy(address.name.sun_path, sizeof address.name.sun_path - 1);
  return address;
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.name);
}

Descriptor new_socket() { return Descriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)}; }

}  // namespace

Result<Frame> read_frame(const Descriptor& socket, std::uint64_t most, milliseconds idle,
                         milliseconds patience) {
  std::byte head_bytes[kFrameHeadBytes];
  if (!receive(socket, ByteSpan{head_bytes, 1}, idle, patience)) {
    if (errno == 0) return Error{ErrorCode::kTruncated, "the watcher's socket was closed"};
    return io_error("nothing came");
  }
  if (!receive(socket, ByteSpan{head_bytes}.subspan(1), patience, patience))
    return io_error("the head of a frame did not come");
  const auto head = decode_frame_head(head_bytes, most);
  if (!head) return head.error();
  Frame frame{head->call, {}};
  for (std::uint64_t left = head->bytes; left > 0;) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece));
    frame.content.resize(frame.content.size() + piece);
    if (!receive(socket, ByteSpan{frame.content}.last(piece), patience, patience))
      return io_error("a frame was cut off");
    left -= piece;
  }
  return frame;
}

Status write_frame(const Descriptor& socket, WatchCall call, ByteView content,
                   milliseconds patience) {
  const auto head = encode_frame(call, {});
  std::vector<std::byte> first{head};
  store_le(first.data() + 8, static_cast<std::uint64_t>(content.size()));
  for (ByteView rest : {ByteView{first}, content})
    while (!rest.empty()) {
      if (!is_ready(socket, POLLOUT, patience)) return io_error("it is not read");
      const ssize_t size =
          ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size < 0 && errno != EAGAIN && errno != EINTR) return io_error("it was closed");
      if (size > 0) rest = rest.subspan(static_cast<std::size_t>(size));
    }
  return ok();
}

Descriptor connect_in(const std::filesystem::path& folder) {
  const auto address = address_in(folder);
  if (!address) return Descriptor{};
  Descriptor socket = new_socket();
  if (!socket.valid()) return socket;
  const timeval patience{10, 0};  // of a watcher that accepts no connection
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(socket.get(), generic(*address), sizeof address->name) != 0) return Descriptor{};
  return socket;
}

Result<Descriptor> listen_in(const std::filesystem::path& folder) {
  const auto address = address_in(folder);
  if (!address) return address.error();
  Descriptor socket = new_socket();
  if (!socket.valid()) return io_error("there is none");
  // Who holds the state's lock is the only one to listen: what lies there is left over.
  ::unlink(address->name.sun_path);
  const mode_t others = ::umask(0177);
  const bool bound = ::bind(socket.get(), generic(*address), sizeof address->name) == 0;
  const int error = errno;
  ::umask(others);
  errno = error;
  if (!bound || ::listen(socket.get(), kWaiting) != 0)
    return io_error(message((folder / kWatchSocket).string(), " cannot be listened to"));
  return socket;
}

}  // namespace bloomery::tracker
