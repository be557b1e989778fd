#include <gtest/gtest.h>

#include "apps/tracker/webhook.h"
#include "apps/tracker/webhook_events.h"
#include "tests/apps/http/client.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

// As AWS documents it, shortened.
constexpr std::string_view kRecords =
    R"({"Records":[{"eventVersion":"2.1","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"photos"},)"
    R"("object":{"key":"2024/red+flower%2Bone%2fb.jpg","size":1}}},)"
    R"({"eventName":"s3:ObjectAccessed:Get","s3":{"bucket":{"name":"photos"},"object":{"key":"read"}}},)"
    R"({"eventName":"s3:ObjectRemoved:Delete","s3":{"bucket":{"name":"photos"},"object":{"key":"%FF"}}},)"
    R"({"eventName":"s3:BucketRemoved:*","s3":{"bucket":{"name":"old"}}}]})";

TEST(ObjectEvents, RecordsNameTheirObjects) {
  const auto changes = decode_object_events(kRecords);
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ(*changes,
            (std::vector<ObjectChange>{
                {"photos", "2024/red flower+one/b.jpg"}, {"photos", "\xff"}, {"old", ""}}));
}

TEST(ObjectEvents, MinioNamesOneAroundThem) {
  const auto changes = decode_object_events(
      R"({"EventName":"s3:ObjectCreated:Put","Key":"b/a+b/c%20","Records":[]})");
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ(*changes, (std::vector<ObjectChange>{{"b", "a+b/c%20"}}));
}

TEST(ObjectEvents, ATestIsNoChange) {
  EXPECT_TRUE(decode_object_events(R"({"Service":"Amazon S3","Event":"s3:TestEvent"})")->empty());
}

TEST(ObjectEvents, WhatCannotBeUnderstoodIsAnError) {
  for (const char* text :
       {"", "[]", "{", "{}", R"({"Records":5})", R"({"Records":[5]})",
        R"({"Records":[{"eventName":"ObjectCreated:Put"}]})",
        R"({"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":""}}}]})",
        R"({"Records":[{"eventName":"x","s3":{"bucket":{"name":"b"},"object":{"key":"%4"}}}]})",
        R"({"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"k"}}}]})",
        R"({"EventName":"s3:ObjectCreated:Put","Key":"/x"})"}) {
    const auto changes = decode_object_events(text);
    ASSERT_FALSE(changes) << text;
    EXPECT_EQ(changes.error().code, ErrorCode::kMalformed);
  }
}

class WebhookTest : public testing::Test {
 protected:
  void start(const std::string& token = "") {
    auto watcher = Watcher::start({.tracker = {.folder = folder_.path()}});
    ASSERT_TRUE(watcher) << watcher.error().message;
    watcher_ = std::move(*watcher);
    since_ = watcher_->next_cycle()->current;
    auto webhook = Webhook::start(*watcher_, {.listen = "127.0.0.1:0", .token = token});
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
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<Webhook> webhook_;
  CycleId since_;
};

TEST_F(WebhookTest, EventsAreMarksWhenTheyAreAnswered) {
  start();
  EXPECT_EQ(ask(http::post(kRecords, "/")).status, 200U);
  EXPECT_TRUE(changed("photos/2024"));
  EXPECT_TRUE(changed("photos/2024/red flower+one/b.jpg"));
  EXPECT_TRUE(changed("old/anything"));
  EXPECT_FALSE(changed("photos/read"));
  EXPECT_EQ(ask(http::post("", "/")).status, 200U);
  EXPECT_EQ(ask(http::get("/")).status, 200U);
  EXPECT_EQ(ask(http::get("/health")).status, 200U);
  const auto metrics = ask(http::get("/metrics"));
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_NE(metrics.body.find("webhook_changes_total 3\n"), std::string::npos) << metrics.body;
}

TEST_F(WebhookTest, WhatCannotBeReadIsRefusedAndEverything) {
  start();
  EXPECT_EQ(ask(http::post("{", "/")).status, 400U);
  EXPECT_TRUE(changed("anything"));
}

TEST_F(WebhookTest, WithoutTheTokenNothingIsTaken) {
  start("secret");
  EXPECT_EQ(ask(http::post(kRecords, "/")).status, 401U);
  const auto with = [](std::string_view token) {
    std::string request = http::post(kRecords, "/");
    return request.insert(request.find("\r\n") + 2,
                          "Authorization: Bearer " + std::string{token} + "\r\n");
  };
  EXPECT_EQ(ask(with("secres")).status, 401U);
  EXPECT_EQ(ask(with("secretsecret")).status, 401U);
  EXPECT_EQ(ask(with("")).status, 401U);
  EXPECT_FALSE(changed("photos"));
  EXPECT_EQ(ask(with("secret")).status, 200U);
  EXPECT_TRUE(changed("photos"));
}

TEST_F(WebhookTest, OnlyThisMachineIsHeardWithoutAToken) {
  start();
  EXPECT_EQ(Webhook::start(*watcher_, {.listen = "0.0.0.0:0"}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Webhook::start(*watcher_, {.listen = "nonsense"}));
}

}  // namespace
}  // namespace bloomery::tracker
