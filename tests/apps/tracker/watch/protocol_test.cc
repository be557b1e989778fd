#include "apps/tracker/watch/protocol.h"

#include <gtest/gtest.h>
#include <sys/fanotify.h>

#include "apps/tracker/events/fanotify_events.h"
#include "apps/tracker/watch/metrics.h"

namespace bloomery::tracker {
namespace {

TrackerStatus full_status() {
  TrackerStatus status{.mode = "adaptive", .rate = 0.01, .knows_from = 3};
  status.cycles.push_back({.id = {4, 9},
                           .started_unix = 5,
                           .keys = 6,
                           .layers = 2,
                           .bytes = 7,
                           .health = {0.5, 6, 0.001, Verdict::kOverDesign},
                           .everything = "why",
                           .below = {"a", "b\n"}});
  status.cycles.push_back({.id = {3, 8}});
  status.marks = 10;
  status.lost_marks = 1;
  status.watched = true;
  status.heartbeat_unix = 1000;
  status.roots = {"/data"};
  status.drives = {"/d1", "/d2"};
  status.copies = 2;
  status.problems = {"none"};
  status.watch = WatchStatus{.backend = "inotify",
                             .process = 3,
                             .watches = 12,
                             .overflows = 2,
                             .unseen_count = 5,
                             .unseen = {{"/data/x", "because"}}};
  return status;
}

TEST(WatchProtocol, WhatIsSaidIsHeard) {
  const auto mark = decode_mark_call(encode(MarkCall{true, {"a", "", "\xff\n"}}));
  ASSERT_TRUE(mark);
  EXPECT_TRUE(mark->below);
  EXPECT_EQ(mark->paths, (std::vector<std::string>{"a", "", "\xff\n"}));
  const auto query = decode_query_call(encode(QueryCall{CycleId{4, 5}, {"x"}}));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->since, (CycleId{4, 5}));
  EXPECT_FALSE(decode_query_call(encode(QueryCall{{}, {"x"}}))->since);
  const auto request = decode_cycle_request(encode(CycleRequest{1, 2, "path"}));
  EXPECT_EQ(request->oldest_clean, "path");
  const auto answer = decode_cycle_answer(encode(CycleAnswer{{7, 8}, 1, 2, true, 3}));
  EXPECT_EQ(answer->current, (CycleId{7, 8}));
  EXPECT_TRUE(answer->complete);
  EXPECT_EQ(answer->knows_from, 3U);
  const Error refusal = decode_refusal(encode(Error{ErrorCode::kTooLarge, "why"}));
  EXPECT_EQ(refusal.code, ErrorCode::kTooLarge);
  EXPECT_EQ(refusal.message, "why");
  EXPECT_EQ(decode_refusal({}).code, ErrorCode::kMalformed);
}

TEST(WatchProtocol, AStatusComesThroughWhole) {
  const auto bytes = encode(full_status());
  const auto status = decode_status(bytes);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(encode(*status), bytes);
  EXPECT_EQ(status->cycles[0].below, full_status().cycles[0].below);
  EXPECT_FALSE(status->cycles[1].keys);
  EXPECT_EQ(status->watch->unseen, full_status().watch->unseen);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_status(ByteView{bytes}.first(size))) << size;
}

TEST(WatchProtocol, AFrameOfAnotherVersionOrSizeIsRefused) {
  auto frame = encode_frame(WatchCall::kQuery, {});
  EXPECT_EQ(decode_frame_head(frame, 10)->call, WatchCall::kQuery);
  frame[8] = std::byte{11};
  EXPECT_EQ(decode_frame_head(frame, 10).error().code, ErrorCode::kTooLarge);
  frame[4] = std::byte{kWatchProtocol + 1};
  EXPECT_EQ(decode_frame_head(frame, 10).error().code, ErrorCode::kUnsupported);
  frame[0] = std::byte{0};
  EXPECT_EQ(decode_frame_head(frame, 10).error().code, ErrorCode::kMalformed);
}

TEST(WatchProtocol, CountsBeyondTheBytesAreRefusedWithoutMemory) {
  auto bytes = encode(MarkCall{false, {"a"}});
  bytes[4] = std::byte{0x7f};  // some two billion paths
  EXPECT_EQ(decode_mark_call(bytes).error().code, ErrorCode::kTruncated);
}

TEST(WatchMetrics, NameWhatAStatusSays) {
  const std::string text = metrics_text(full_status(), {.unreadable = 4}, 1010);
  for (const char* line :
       {"bloomery_track_marks_total 10\n", "bloomery_track_lost_marks_total 1\n",
        "bloomery_track_cycle 4\n", "bloomery_track_everything 1\n",
        "bloomery_track_overflows_total 2\n", "bloomery_track_unseen_subtrees 5\n",
        "bloomery_track_heartbeat_age_seconds 10\n", "bloomery_track_webhook_unreadable_total 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

struct CountingSink final : FanotifySink {
  void event(const FanotifyEvent&) override { ++events; }
  void overflow() override { ++overflows; }
  void unreadable() override { ++broken; }
  int events = 0, overflows = 0, broken = 0;
};

// An event of one record: a file's own handle, or a folder's with a name.
std::string fanotify_event(const std::vector<std::pair<std::uint8_t, std::string>>& records) {
  std::string info;
  for (const auto& [type, content] : records) {
    const fanotify_event_info_header head{
        .info_type = type,
        .pad = 0,
        .len = static_cast<std::uint16_t>(sizeof(fanotify_event_info_header) + content.size())};
    info.append(reinterpret_cast<const char*>(&head), sizeof head).append(content);
  }
  fanotify_event_metadata head{};
  head.event_len = static_cast<std::uint32_t>(sizeof head + info.size());
  head.vers = FANOTIFY_METADATA_VERSION;
  head.metadata_len = sizeof head;
  head.mask = FAN_MODIFY;
  return std::string{reinterpret_cast<const char*>(&head), sizeof head} + info;
}

struct LastSink final : FanotifySink {
  void event(const FanotifyEvent& event) override {
    role = event.role;
    folder = event.folder;
    name = event.name;
    file = event.file;
    ++events;
  }
  void overflow() override {}
  void unreadable() override { ++broken; }
  FanotifyEvent::Role role{};
  std::string folder, name, file;
  int events = 0, broken = 0;
};

TEST(FanotifyEvents, AFileIsNamedByItsFolderOrElseByItsHandle) {
  const std::string handle{"FSID-ABC\4\0\0\0\1\0\0\0abcd", 20};
  const std::string folder{"FSID-ABC\4\0\0\0\1\0\0\0wxyz", 20};
  const std::string named = folder + std::string{"name\0", 5};
  LastSink sink;
  decode_fanotify_events(bytes_of(fanotify_event({{FAN_EVENT_INFO_TYPE_FID, handle}})), sink);
  EXPECT_EQ(sink.role, FanotifyEvent::Role::kFile);
  EXPECT_EQ(sink.file, handle);
  EXPECT_EQ(sink.folder, "");
  decode_fanotify_events(bytes_of(fanotify_event({{FAN_EVENT_INFO_TYPE_DFID_NAME, named},
                                                  {FAN_EVENT_INFO_TYPE_FID, handle}})),
                         sink);
  EXPECT_EQ(sink.role, FanotifyEvent::Role::kName);
  EXPECT_EQ(sink.folder, folder);
  EXPECT_EQ(sink.name, "name");
  EXPECT_EQ(sink.file, handle);
  EXPECT_EQ(sink.events, 2);
  EXPECT_EQ(sink.broken, 0);
  // A handle that is longer than its record.
  decode_fanotify_events(
      bytes_of(fanotify_event({{FAN_EVENT_INFO_TYPE_FID, handle.substr(0, 19)}})), sink);
  decode_fanotify_events(bytes_of(fanotify_event({{FAN_EVENT_INFO_TYPE_FID, "short"}})), sink);
  decode_fanotify_events(bytes_of(fanotify_event({})), sink);
  EXPECT_EQ(sink.events, 2);
  EXPECT_EQ(sink.broken, 3);
}

TEST(FanotifyEvents, BytesThatMakeNoSenseAreSaidAndNotRead) {
  CountingSink sink;
  decode_fanotify_events(bytes_of("short"), sink);
  EXPECT_EQ(sink.broken, 1);
  std::vector<std::byte> zeros(64);
  decode_fanotify_events(zeros, sink);
  EXPECT_EQ(sink.broken, 2);
  EXPECT_EQ(sink.events, 0);
}

}  // namespace
}  // namespace bloomery::tracker
