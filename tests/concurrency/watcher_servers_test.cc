// The watcher's socket and webhook with many clients at once, until they are closed in the middle.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "apps/tracker/watch/client.h"
#include "apps/tracker/watch/socket_server.h"
#include "apps/tracker/watch/webhook.h"
#include "bloomery/base/message.h"
#include "tests/apps/http/client.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

constexpr int kClients = 4;
constexpr int kRounds = 15;

class ConcurrencyWatcher : public ::testing::Test {
 protected:
  void SetUp() override {
    auto watcher = Watcher::start({.tracker = {.folder = folder_.path()}});
    ASSERT_TRUE(watcher) << watcher.error().message;
    watcher_ = std::move(*watcher);
    ASSERT_TRUE(watcher_->next_cycle());
  }
  template <class Action>
  static void in_clients(Action action) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kClients; ++i) threads.emplace_back([&action, i] { action(i); });
  }
  std::unique_ptr<TrackerClient> command() {
    auto opened = open_watcher({.tracker = {.folder = folder_.path()}, .must_exist = true});
    return opened ? std::move(*opened) : nullptr;
  }
  bool is_changed(TrackerClient& access, const std::string& path, CycleId since) {
    std::vector<std::uint8_t> answers;
    return access.query(std::span{&path, 1}, since, answers) && answers.at(0) == 1;
  }

  ScratchFolder folder_;
  std::unique_ptr<Watcher> watcher_;
};

TEST_F(ConcurrencyWatcher, ASocketWithManyClientsDeniesNoMark) {
  auto server = SocketServer::start(*watcher_, folder_.path());
  ASSERT_TRUE(server) << server.error().message;
  std::atomic<int> denied = 0;
  in_clients([&](int client) {
    const auto access = command();
    ASSERT_TRUE(access);
    for (int i = 0; i < kRounds; ++i) {
      const CycleId since = access->cycle({})->current;
      const std::string path = message("client", client, "/", i);
      EXPECT_TRUE(access->mark(std::span{&path, 1}, false));
      if (client == 0) {
        EXPECT_TRUE(access->next_cycle());
      }
      if (!is_changed(*access, path, since)) ++denied;
      EXPECT_TRUE(access->status());
      if (client == 1) {
        EXPECT_TRUE(access->snapshot());
      }
    }
  });
  EXPECT_EQ(denied, 0);
}

TEST_F(ConcurrencyWatcher, ASocketMayCloseWhileClientsCall) {
  auto server = SocketServer::start(*watcher_, folder_.path());
  ASSERT_TRUE(server) << server.error().message;
  std::atomic<int> calling = 0;
  std::jthread closer{[&] {
    while (calling < kClients) std::this_thread::yield();
    server->reset();
  }};
  in_clients([&](int client) {
    const auto access = command();
    ++calling;
    if (access == nullptr) return;
    const std::string path = message("client", client);
    while (access->mark(std::span{&path, 1}, false)) {
    }
  });
}

std::string event(int client, int number) {
  return message(R"({"EventName":"s3:ObjectCreated:Put","Key":"bucket/)", client, "/", number,
                 R"(","Records":[]})");
}

TEST_F(ConcurrencyWatcher, AWebhookWithManyClientsDeniesNoEvent) {
  auto webhook = Webhook::start(*watcher_, {.listen = "127.0.0.1:0", .token = {}});
  ASSERT_TRUE(webhook) << webhook.error().message;
  const auto address = *http::parse_address((*webhook)->address());
  std::atomic<int> denied = 0;
  in_clients([&](int client) {
    http::Client connection{address};
    for (int i = 0; i < kRounds; ++i) {
      const CycleId since = watcher_->cycle({})->current;
      if (client == 0) {
        EXPECT_TRUE(watcher_->next_cycle());
      }
      EXPECT_EQ(connection.ask(http::post(event(client, i), "/")).status, 200U);
      if (!is_changed(*watcher_, message("bucket/", client, "/", i), since)) ++denied;
      EXPECT_EQ(connection.ask(http::get("/metrics")).status, 200U);
    }
  });
  EXPECT_EQ(denied, 0);
}

TEST_F(ConcurrencyWatcher, AWebhookMayCloseWhileEventsCome) {
  auto webhook = Webhook::start(*watcher_, {.listen = "127.0.0.1:0", .token = {}});
  ASSERT_TRUE(webhook) << webhook.error().message;
  const auto address = *http::parse_address((*webhook)->address());
  std::atomic<int> asking = 0;
  std::jthread closer{[&] {
    while (asking < kClients) std::this_thread::yield();
    webhook->reset();
  }};
  in_clients([&](int client) {
    http::Client connection{address};
    connection.ask(http::post(event(client, 0), "/"));
    ++asking;
    while (connection.ask(http::post(event(client, 1), "/")).status == 200) {
    }
  });
}

}  // namespace
}  // namespace bloomery::tracker
