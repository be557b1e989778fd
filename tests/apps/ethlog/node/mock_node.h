// A node for the tests: HTTP on a socket of its own, so that it can answer in ways that no server
// would, and JSON-RPC over a chain in memory, which a test may alter between two answers.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "apps/ethlog/node/node_sync.h"
#include "bloomery/base/message.h"
#include "tests/apps/ethlog/serve/rpc_chain.h"

namespace bloomery::ethlog {

struct MockRequest {
  std::string head;
  std::string body;
  std::uint64_t number = 0;  // of all requests, from 0
};

struct MockReply {
  std::string bytes;  // everything that is sent
  bool closes = false;
  bool resets = false;                     // an RST behind the bytes
  std::chrono::milliseconds each_byte{0};  // slow drip
  std::chrono::milliseconds before{0};
};

inline std::string http_bytes(const std::string& body, const std::string& status = "200 OK",
                              const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// One thread per connection.
class MockSocket {
 public:
  using Answer = std::function<MockReply(const MockRequest&)>;
  explicit MockSocket(Answer answer) : answer_{std::move(answer)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 64), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread{[this] { accept(); }};
  }
  ~MockSocket() {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
      ::shutdown(listener_, SHUT_RDWR);
      for (const int one : open_) ::shutdown(one, SHUT_RDWR);
    }
    accepting_ = {};
    served_.clear();
    ::close(listener_);
  }
  std::uint16_t port() const { return port_; }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t connections() const { return connections_; }

 private:
  void accept() {
    for (;;) {
      const int one = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (one < 0) return;
      const std::lock_guard lock{mutex_};
      if (ending_) {
        ::close(one);
        return;
      }
      connections_ += 1;
      open_.push_back(one);
      served_.emplace_back([this, one] { serve(one); });
    }
  }
  void serve(int one) {
    std::string read;
    char bytes[65536];
    for (;;) {
      std::size_t end = read.find("\r\n\r\n");
      std::size_t whole = std::string::npos;
      if (end != std::string::npos) {
        const std::size_t at = read.find("Content-Length: ");
        whole = end + 4 + (at < end ? std::stoul(read.substr(at + 16)) : 0);
      }
      if (read.size() >= whole) {
        const MockRequest request{read.substr(0, end + 4), read.substr(end + 4, whole - end - 4),
                                  requests_++};
        read.erase(0, whole);
        if (!send(one, answer_(request))) break;
        continue;
      }
      const ssize_t got = ::recv(one, bytes, sizeof bytes, 0);
      if (got <= 0) break;
      read.append(bytes, static_cast<std::size_t>(got));
    }
    const std::lock_guard lock{mutex_};
    std::erase(open_, one);
    ::close(one);
  }
  static bool send(int one, const MockReply& reply) {
    std::this_thread::sleep_for(reply.before);
    const std::size_t step = reply.each_byte.count() > 0 ? 1 : reply.bytes.size();
    for (std::size_t at = 0; at < reply.bytes.size();) {
      const ssize_t sent = ::send(one, reply.bytes.data() + at,
                                  std::min(step, reply.bytes.size() - at), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += static_cast<std::size_t>(sent);
      std::this_thread::sleep_for(reply.each_byte);
    }
    if (reply.resets) {
      const linger now{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(one, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    return !reply.closes && !reply.resets;
  }

  Answer answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> connections_ = 0;
  std::mutex mutex_;
  bool ending_ = false;
  std::vector<int> open_;
  std::vector<std::jthread> served_;
  std::jthread accepting_;
};

// The node of a chain in memory. `misbehave` may answer a request in its stead, or alter what it
// answered.
class MockNode {
 public:
  using Misbehave = std::function<std::optional<MockReply>(const MockRequest&, MockNode&)>;
  explicit MockNode(const std::vector<ImportedBlock>& blocks, Misbehave misbehave = {},
                    std::uint64_t chain_id = 1)
      : chain_{store_in_memory(), {}, chain_id}, misbehave_{std::move(misbehave)} {
    add_all(chain_.store, blocks, Gaps::kAllowed);
  }
  ServedChain& chain() { return chain_; }
  std::string answer(const std::string& body) { return chain_.ask(body); }
  std::uint16_t port() const { return socket_.port(); }
  const MockSocket& socket() const { return socket_; }
  NodeOptions options() const {
    NodeOptions options;
    options.address.host = "127.0.0.1";
    options.address.port = socket_.port();
    options.first_wait = std::chrono::milliseconds{1};
    options.longest_wait = std::chrono::milliseconds{5};
    options.jobs = 4;
    return options;
  }

 private:
  ServedChain chain_;
  Misbehave misbehave_;
  MockSocket socket_{[this](const MockRequest& request) {
    if (misbehave_)
      if (auto reply = misbehave_(request, *this)) return *reply;
    return MockReply{.bytes = http_bytes(answer(request.body))};
  }};
};

// A store that a sync fills, and the sync.
struct MockTarget {
  ChainStore store = store_in_memory();
  std::vector<std::uint64_t> added;

  SyncTarget target() {
    return {
        .reader = store.reader(),
        .gaps = [this] { return store.counts().gaps; },
        .add =
            [this](ImportedBlock block, Gaps gaps) {
              added.push_back(block.header.number);
              const auto change = store.add(std::move(block), gaps);
              return change ? ok() : Status{change.error()};
            },
        .set_finality = [this](const Finality& finality) { return store.set_finality(finality); }};
  }
  // Empty: it went well.
  std::string sync(const NodeOptions& options, const SyncRange& range = {},
                   SyncReport* report = nullptr) {
    auto client = NodeClient::make(options);
    if (!client) return client.error().message;
    BlockFetcher fetcher{**client};
    auto outcome = NodeSync{fetcher}.run(target(), range, {});
    receipts = fetcher.receipts();
    counts = (*client)->counts();
    batch = (*client)->batch();
    if (!outcome) return (*client)->named(outcome.failure().why);
    if (report != nullptr) *report = *outcome;
    return {};
  }
  Hash hash_of(std::uint64_t number) const {
    return store.reader().canonical_hash(number)->value_or(Hash{});
  }
  // Every number has the block, and there is none above.
  void expect_chain(const std::vector<ImportedBlock>& blocks) const {
    ASSERT_EQ(store.reader().head()->value_or(0), blocks.back().header.number);
    for (const ImportedBlock& block : blocks) {
      ASSERT_EQ(hash_of(block.header.number), block.header.hash) << block.header.number;
      const auto stored = store.reader().block(block.header.number, block.header.hash);
      ASSERT_TRUE(stored && *stored != nullptr);
      ASSERT_EQ((*stored)->receipts.size(), block.receipts.size());
      for (std::size_t i = 0; i < block.receipts.size(); ++i)
        ASSERT_EQ((*stored)->receipts[i].logs, block.receipts[i].logs) << block.header.number;
    }
  }

  ReceiptSource receipts = ReceiptSource::kBlock;
  NodeCounts counts;
  std::size_t batch = 0;
};

// The blocks of one chain up to `last`, and those of another above it.
inline std::vector<ImportedBlock> joined(std::vector<ImportedBlock> below, std::uint64_t last,
                                         const std::vector<ImportedBlock>& above) {
  std::erase_if(below, [&](const ImportedBlock& block) { return block.header.number > last; });
  below.insert(below.end(), above.begin(), above.end());
  return below;
}

}  // namespace bloomery::ethlog
