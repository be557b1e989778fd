#include "apps/cli/records/key_threads.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

struct KeysOutcome {
  std::vector<std::string> keys;
  std::vector<std::uint8_t> has_key;
  std::size_t failed = 0;
  std::string error;
  bool operator==(const KeysOutcome&) const = default;
};

KeysOutcome keys_with(std::uint32_t threads, const RecordOptions& options,
                      const std::vector<std::string>& records) {
  std::vector<ByteView> views;
  for (const std::string& record : records) views.push_back(bytes_of(record));
  KeyReader reader{options, ByteOrder::kLittle};
  KeyThreads keys{reader, threads};
  KeysOutcome outcome;
  for (int round = 0; round < 2; ++round) {  // nothing of the first is left in the second
    const auto done = keys.keys(views);
    outcome = {};
    if (!done) outcome.error = done.error().message;
    if (!done) outcome.failed = keys.failed();
    for (const ByteView key : done ? *done : keys.keys_before())
      outcome.keys.emplace_back(text_of(key));
    const auto flags = keys.has_key().first(std::min(keys.has_key().size(), outcome.keys.size()));
    outcome.has_key.assign(flags.begin(), flags.end());
  }
  return outcome;
}

TEST(KeyThreads, AgreeWithOneThread) {
  RecordOptions options;
  options.json_key = *JsonKeys::parse("/id");
  options.missing = MissingKey::kSkip;
  for (const std::size_t count : {0, 1, 500, 1024, 1025, 5000}) {
    std::vector<std::string> records;
    for (std::size_t i = 0; i < count; ++i)
      records.push_back(i % 700 == 600 ? "{}" : "{\"id\":\"key " + std::to_string(i) + "\"}");
    const KeysOutcome one = keys_with(1, options, records);
    EXPECT_EQ(one.keys.size(), count);
    for (const std::uint32_t threads : {2, 3, 8})
      EXPECT_EQ(keys_with(threads, options, records), one);
  }
}

TEST(KeyThreads, StopAtTheFirstRecordWithoutAKey) {
  RecordOptions options;
  options.json_key = *JsonKeys::parse("/id");
  std::vector<std::string> records;
  for (std::size_t i = 0; i < 4000; ++i) records.push_back("{\"id\":" + std::to_string(i) + "}");
  records[1500] = "{}";
  records[3500] = "not JSON";
  const KeysOutcome one = keys_with(1, options, records);
  EXPECT_EQ(one.failed, 1500U);
  EXPECT_EQ(one.keys.size(), 1500U);
  for (const std::uint32_t threads : {2, 3, 4})
    EXPECT_EQ(keys_with(threads, options, records), one);
}

TEST(KeyThreads, HandRecordsOnAsTheyAre) {
  const std::vector<std::string> records(3000, "a");
  EXPECT_EQ(keys_with(4, {}, records), keys_with(1, {}, records));
}

}  // namespace
}  // namespace bloomery::cli
