#include "apps/ethlog/output/log_writer.h"

#include <gtest/gtest.h>

#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/output/log_printer.h"

namespace bloomery::ethlog {
namespace {

EventSet events_named(std::vector<std::string_view> texts) {
  std::vector<AbiEvent> events;
  for (const std::string_view text : texts) events.push_back(*parse_event(text));
  auto set = EventSet::make(std::move(events), {});
  EXPECT_TRUE(set);
  return std::move(*set);
}

LogRecord record_with(const AbiEvent& event, std::vector<std::string> topics,
                      const std::string& data) {
  LogRecord record;
  record.block_number = 7;
  record.timestamp = 1000;
  record.log_index = 3;
  record.log.topics.push_back(event.topic);
  for (const std::string& topic : topics) record.log.topics.push_back(*Topic::from_hex(topic));
  record.log.data = *bytes_from_hex(data);
  return record;
}

const std::string kZeros(64, '0');
const std::string kPlace = "7,0x" + kZeros + ",1000,,0,3,0x" + std::string(40, '0');

std::string csv_of(const EventSet& events, const LogRecord& record, bool keep) {
  std::string out;
  auto writer = make_log_writer(LogFormat::kCsv, &events, {.keeps_undecoded = keep},
                                [&](std::string_view text) {
                                  out += text;
                                  return ok();
                                });
  if (!writer) return writer.error().message;
  LogPrinter printer{&events, keep ? OnUndecoded::kKeep : OnUndecoded::kStop, std::move(*writer)};
  EXPECT_TRUE(printer.writer().begin());
  const Status printed = printer.print(record);
  return printed ? out : printed.error().message;
}

constexpr std::string_view kHead =
    "block_number,block_hash,block_timestamp,transaction_hash,transaction_index,log_index,address,";

TEST(LogWriter, WritesCsvByRfc4180) {
  const EventSet events = events_named({"E(string a, int8 b, uint8[] c, string indexed d)"});
  std::string data = "0x";
  for (const char* word : {"60", "ff", "a0", "03"}) data += kZeros.substr(2) + word;
  data.replace(2 + 64, 64, std::string(64, 'f'));
  data += "612c22" + kZeros.substr(6) + kZeros.substr(2) + "01" + kZeros.substr(2) + "05";
  const LogRecord record = record_with(events.events()[0], {"0x" + kZeros}, data);
  EXPECT_EQ(csv_of(events, record, false), std::string{kHead} + "event,a,b,c,d_hash\r\n" + kPlace +
                                               ",E,\"a,\"\"\",-1,[5],0x" + kZeros + "\r\n");
}

TEST(LogWriter, KeepsWhatCannotBeDecoded) {
  const EventSet events = events_named({"E(uint8 a)"});
  const LogRecord record = record_with(events.events()[0], {}, "0x01");
  const std::string why = "it is no E(uint8): a: the data end at byte 1, before the word at byte 0";
  EXPECT_EQ(csv_of(events, record, true),
            std::string{kHead} + "event,a,error,raw_topics,raw_data\r\n" + kPlace + ",,,\"" + why +
                "\"," + events.events()[0].topic.hex() + ",0x01\r\n");
  EXPECT_EQ(csv_of(events, record, false),
            "block 7, log 3 of 0x" + std::string(40, '0') + ": " + why +
                "; --on-error skip leaves such logs out, keep prints them as they are");
}

TEST(LogWriter, AnEmptyTextIsNoNull) {
  std::string out;
  append_csv_field(out, "");
  EXPECT_EQ(out, "\"\"");
}

TEST(LogTable, JoinsColumnsOfEventsAndRefusesTwoTypesInOne) {
  const EventSet same = events_named({"A(address x, uint8 y)", "B(address x, bytes z)"});
  const auto table = LogTable::make(&same, {});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns().size(), 8U + 3U);
  EXPECT_TRUE(table->columns().back().may_be_null);
  const EventSet other = events_named({"A(address x)", "B(uint256 x)"});
  EXPECT_EQ(LogTable::make(&other, {}).error().message,
            "the column 'x' would hold address and, of B(uint256), uint256; write a file for each "
            "event (--event)");
}

TEST(LogTable, ArgumentsDoNotTakeTheNamesOfOtherColumns) {
  const EventSet events =
      events_named({"A(address address_, uint8 log_index, bytes data, uint8 error)"});
  const auto table = LogTable::make(&events, {.keeps_undecoded = true});
  ASSERT_TRUE(table);
  std::string names;
  for (std::size_t i = 7; i < table->columns().size(); ++i) names += table->columns()[i].name + ' ';
  EXPECT_EQ(names, "event address_ arg_log_index data arg_error error raw_topics raw_data ");
}

TEST(LogJson, IsReadAsItWasWritten) {
  LogRecord record = record_with(events_named({"E(uint8 a)"}).events()[0], {"0x" + kZeros}, "0xab");
  record.removed = true;
  record.transaction_hash = record.block_hash;
  std::string text;
  append_log_json(text, record);
  const auto again = log_record_from(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, record);
  const auto without = log_record_from(R"({"address":"0x00"})");
  EXPECT_EQ(without.error().message, "the member address of a log is malformed");
  EXPECT_EQ(log_record_from("{}").error().message, "a log has no member address");
}

}  // namespace
}  // namespace bloomery::ethlog
