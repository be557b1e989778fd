#include <gtest/gtest.h>
#include <sys/stat.h>

#include "apps/tracker/watch/webhook_events.h"
#include "apps/tracker/watch/webhook_token.h"
#include "tests/apps/tracker/watch/webhook_world.h"

namespace bloomery::tracker {
namespace {

// As AWS documents it, shortened.
constexpr std::string_view kRecords =
    R"({"Records":[{"eventVersion":"2.1","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"photos"},)"
    R"("object":{"key":"2024/red+flower%2Bone%2fb.jpg","size":1}}},)"
    R"({"eventName":"s3:ObjectAccessed:Get","s3":{"bucket":{"name":"photos"},"object":{"key":"read"}}},)"
    R"({"eventName":"s3:ObjectRemoved:Delete","s3":{"bucket":{"name":"photos"},"object":{"key":"%FF"}}},)"
    R"({"eventName":"s3:BucketRemoved:*","s3":{"bucket":{"name":"old"}}}]})";

using Changes = std::vector<ObjectChange>;

TEST(ObjectEvents, RecordsNameTheirObjectsEncodedOrNot) {
  const auto read = decode_object_events(kRecords);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->changes, (Changes{{"photos", "2024/red+flower%2Bone%2fb.jpg"},
                                    {"photos", "2024/red flower+one/b.jpg"},
                                    {"photos", "%FF"},
                                    {"photos", "\xff"},
                                    {"old", ""}}));
  EXPECT_TRUE(read->notice.empty());
}

// As Ceph's object gateway sends them: the key is as it is.
TEST(ObjectEvents, CephDoesNotEncodeKeys) {
  const auto read = decode_object_events(
      R"({"Records":[{"eventVersion":"2.2","eventSource":"ceph:s3","eventName":"ObjectCreated:Put",)"
      R"("s3":{"s3SchemaVersion":"1.0","bucket":{"name":"src","id":"x.1"},"object":{"key":"c++/main.cc"}}},)"
      R"({"eventSource":"ceph:s3","eventName":"s3:ObjectRemoved:Delete","s3":{"bucket":{"name":"src"},)"
      R"("object":{"key":"100%/x%zz"}}},{"eventName":"ObjectSynced:Create","s3":{"bucket":{"name":"src"},)"
      R"("object":{"key":"plain"}}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(
      read->changes,
      (Changes{
          {"src", "c++/main.cc"}, {"src", "c  /main.cc"}, {"src", "100%/x%zz"}, {"src", "plain"}}));
}

TEST(ObjectEvents, MinioNamesOneAroundThem) {
  const auto read = decode_object_events(
      R"({"EventName":"s3:ObjectCreated:Put","Key":"b/a+b/c%20","Records":[]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->changes, (Changes{{"b", "a+b/c%20"}}));
}

TEST(ObjectEvents, SnsPutsThemIntoAnEnvelope) {
  const auto read = decode_object_events(
      R"({"Type":"Notification","MessageId":"1","TopicArn":"arn:aws:sns:eu:1:t","Subject":"Amazon S3 Notification",)"
      R"("Message":"{\"Records\":[{\"eventSource\":\"aws:s3\",\"eventName\":\"ObjectCreated:Put\",)"
      R"(\"s3\":{\"bucket\":{\"name\":\"b\"},\"object\":{\"key\":\"k+1\"}}}]}"})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->changes, (Changes{{"b", "k+1"}, {"b", "k 1"}}));
  EXPECT_TRUE(
      decode_object_events(R"({"Type":"Notification","Message":"{\"Event\":\"s3:TestEvent\"}"})")
          ->changes.empty());
}

TEST(ObjectEvents, SubscriptionsOfSnsAreForThePersonWhoRunsIt) {
  const auto begins = decode_object_events(
      R"({"Type":"SubscriptionConfirmation","TopicArn":"arn:t","Token":"x","Message":"You have chosen",)"
      R"("SubscribeURL":"https://sns.example/?a\n\u001b[31m"})");
  ASSERT_TRUE(begins) << begins.error().message;
  EXPECT_TRUE(begins->changes.empty());
  EXPECT_NE(begins->notice.find("arn:t"), std::string::npos);
  EXPECT_NE(begins->notice.find("https://sns.example/?a??[31m"), std::string::npos)
      << begins->notice;
  const auto ends =
      decode_object_events(R"({"Type":"UnsubscribeConfirmation","TopicArn":"arn:t"})");
  ASSERT_TRUE(ends);
  EXPECT_NE(ends->notice.find("ended"), std::string::npos);
}

TEST(ObjectEvents, EventBridgeHasItsOwnWords) {
  constexpr std::string_view kEvent =
      R"({"version":"0","id":"1","detail-type":"Object Created","source":"aws.s3","account":"1",)"
      R"("detail":{"version":"0","bucket":{"name":"b"},"object":{"key":"c++/a%20b","size":5},"reason":"PutObject"}})";
  const auto one = decode_object_events(kEvent);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->changes, (Changes{{"b", "c++/a%20b"}})) << "not encoded";
  const auto two =
      decode_object_events("[" + std::string{kEvent} + "," + std::string{kEvent} + "]");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->changes.size(), 2U);
}

TEST(ObjectEvents, ATestIsNoChange) {
  EXPECT_TRUE(
      decode_object_events(R"({"Service":"Amazon S3","Event":"s3:TestEvent"})")->changes.empty());
}

TEST(ObjectEvents, WhatCannotBeUnderstoodIsAnError) {
  for (const char* text :
       {"", "[]", "[5]", "{", "{}", R"({"Records":5})", R"({"Records":[5]})",
        R"({"Records":[{"eventName":"ObjectCreated:Put"}]})",
        R"({"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":""}}}]})",
        R"({"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"k"}}}]})",
        R"({"Type":"Notification"})", R"({"Type":"Notification","Message":"text"})",
        R"({"Type":"Notification","Message":"{}"})", R"({"detail-type":"Object Created"})",
        R"({"detail-type":"x","detail":{"bucket":{"name":7}}})",
        R"({"EventName":"s3:ObjectCreated:Put","Key":"/x"})"}) {
    const auto read = decode_object_events(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  }
}

TEST(WebhookToken, IsMadeOnceForItsOwnerOnly) {
  const ScratchFolder folder;
  const auto made = webhook_token_of(folder.path());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->is_new);
  EXPECT_EQ(made->text.size(), 64U);
  struct stat found {};
  ASSERT_EQ(::stat(made->file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  const auto again = webhook_token_of(folder.path());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->text, made->text);
  std::filesystem::resize_file(made->file, 0);
  EXPECT_FALSE(webhook_token_of(folder.path())) << "an empty one would let everybody in";
  const ScratchFolder other;
  EXPECT_NE(webhook_token_of(other.path())->text, made->text);
}

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
  EXPECT_NE(metrics.body.find("webhook_changes_total 5\n"), std::string::npos) << metrics.body;
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
  EXPECT_EQ(ask(http::post(kRecords, "/?token=secres")).status, 401U);
  EXPECT_EQ(ask(http::post(kRecords, "/?token=")).status, 401U);
  EXPECT_FALSE(changed("photos"));
  ASSERT_EQ(said_.size(), 1U) << "the first one only";
  EXPECT_EQ(said_[0].find("secret"), std::string::npos);
  EXPECT_EQ(ask(with("secret")).status, 200U);
  EXPECT_TRUE(changed("photos"));
}

TEST_F(WebhookTest, TheTokenComesAsEachSenderCanSendIt) {
  start("secret");
  std::string request = http::post(kRecords, "/");
  const std::size_t at = request.find("\r\n") + 2;
  for (const char* header : {"Authorization: Bearer secret\r\n", "Authorization: bearer secret\r\n",
                             "Authorization: secret\r\n"})
    EXPECT_EQ(ask(std::string{request}.insert(at, header)).status, 200U) << header;
  EXPECT_EQ(ask(http::post(kRecords, "/events?a=b&token=secret")).status, 200U);
  EXPECT_TRUE(said_.empty());
}

TEST_F(WebhookTest, SendersMayKnowTheMachineByAnyName) {
  const auto named = [](std::string_view path) {
    std::string request = http::post(kRecords, path);
    return request.replace(request.find("127.0.0.1"), 9, "tracker.example");
  };
  start("secret");
  EXPECT_EQ(ask(named("/")).status, 401U);
  EXPECT_EQ(ask(named("/?token=secret")).status, 200U);
  EXPECT_TRUE(changed("photos"));
}

TEST_F(WebhookTest, ASubscriptionIsAnsweredAndToldAndNothingIsFlagged) {
  start();
  const auto answer = ask(http::post(
      R"({"Type":"SubscriptionConfirmation","TopicArn":"arn:t","SubscribeURL":"http://127.0.0.1:1/"})",
      "/"));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_FALSE(changed("anything"));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("http://127.0.0.1:1/"), std::string::npos);
}

TEST_F(WebhookTest, OnlyThisMachineIsHeardWithoutAToken) {
  start();
  EXPECT_EQ(Webhook::start(*watcher_, {.listen = "0.0.0.0:0"}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Webhook::start(*watcher_, {.listen = "nonsense"}));
}

}  // namespace
}  // namespace bloomery::tracker
