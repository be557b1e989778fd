// A watcher of objects with a webhook, and what senders do to it.
#pragma once
#include <gtest/gtest.h>

#include "apps/tracker/watch/webhook.h"
#include "tests/apps/http/client.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {

class WebhookTest : public ::testing::Test {
 protected:
  void start(const std::string& token = "") {
    auto watcher = Watcher::start({.tracker = {.folder = folder_.path()}});
    ASSERT_TRUE(watcher) << watcher.error().message;
    watcher_ = std::move(*watcher);
    since_ = watcher_->next_cycle()->current;
    auto webhook = Webhook::start(
        *watcher_,
        {.listen = "127.0.0.1:0", .token = token, .say = [this](const std::string& text) {
           const std::lock_guard lock{mutex_};
           said_.push_back(text);
         }});
    ASSERT_TRUE(webhook) << webhook.error().message;
    webhook_ = std::move(*webhook);
  }
  http::Received ask(const std::string& request) {
    return http::Client{*http::parse_address(webhook_->address())}.ask(request);
  }
  bool changed(const std::string& path) {
    std::vector<std::uint8_t> answers;
    EXPECT_TRUE(watcher_->query(std::span{&path, 1}, since_, answers));
    return answers[0] != 0;
  }

  ScratchFolder folder_;
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<Webhook> webhook_;
  CycleId since_;
};

}  // namespace bloomery::tracker
