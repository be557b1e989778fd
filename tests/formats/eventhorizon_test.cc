#include "bloomery/formats/eventhorizon.h"

#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::from_hex;
using testing::to_hex;

SizingRequest sizing_of(const nlohmann::json& params) {
  SizingRequest sizing;
  sizing.bits = std::stoull(params.at("buckets").get<std::string>());
  sizing.probes =
      static_cast<std::uint32_t>(std::stoul(params.at("hashFunctions").get<std::string>()));
  return sizing;
}

// A key longer than the peer's buffer is refused by its sink and has no answer.
nlohmann::json answered(const nlohmann::json& one) {
  const auto expected_size =
      std::stoul(one.at("params").at("expectedInputSize").get<std::string>());
  nlohmann::json kept = nlohmann::json::array();
  for (const auto& answer : one.at("answers")) {
    if (answer.at(1).is_number()) {
      kept.push_back(answer);
      continue;
    }
    EXPECT_EQ(answer.at(1), "!ArgumentOutOfRangeException");
    EventHorizonSink sink{static_cast<std::uint32_t>(expected_size)};
    const auto put = sink.put_bytes(from_hex(answer.at(0).get<std::string>()));
    EXPECT_TRUE(!put && put.error().code == ErrorCode::kInvalidArgument);
  }
  return kept;
}

template <class D>
void check_filters(const char* variant) {
  const auto golden = testing::golden_json("formats/csharp.json");
  ASSERT_EQ(golden.at("filters").size(), 11U);
  std::size_t always_true = 0;
  for (auto one : golden.at("filters")) {
    one.update(nlohmann::json(one.at(variant)));
    one["answers"] = answered(one);
    const SizingRequest sizing = sizing_of(one.at("params"));
    CreateOptions create;
    create.sizing = sizing;
    auto empty = create_eventhorizon<D>(create);
    if (*sizing.probes == 0) {
      EXPECT_FALSE(empty);
      empty = ClassicFilter<D>{Shape{*sizing.bits, 0}};
      ++always_true;
    }
    ASSERT_TRUE(empty) << empty.error().message;
    testing::check_golden(
        one, std::move(*empty),
        [&](ByteView bytes) { return decode_eventhorizon<D>(bytes, {.sizing = sizing}); },
        encode_eventhorizon<D>);
  }
  EXPECT_EQ(always_true, 1U);
}

TEST(EventHorizon, GoldenFiltersOfTheX86HashAgreeWithThePeer) {
  check_filters<EventHorizonX86>("x86_128");
}
TEST(EventHorizon, GoldenFiltersOfTheX64HashAgreeWithThePeer) {
  check_filters<EventHorizonX64>("x64_128");
}

TEST(EventHorizon, DecodeRefusesWhatDoesNotAgree) {
  const std::vector<std::byte> bytes(126);  // 1000 bits: 125 bytes and the spare one
  DecodeOptions options;
  EXPECT_EQ(decode_eventhorizon<EventHorizonX86>(bytes, options).error().code,
            ErrorCode::kInvalidArgument);
  options.sizing.bits = 1000;
  options.sizing.probes = 2;
  ASSERT_TRUE(decode_eventhorizon<EventHorizonX86>(bytes, options));
  EXPECT_FALSE(
      decode_eventhorizon<EventHorizonX86>(bytes, options)->may_contain(bytes_of("a key")));
  EXPECT_EQ(decode_eventhorizon<EventHorizonX86>(ByteView{bytes}.first(125), options).error().code,
            ErrorCode::kMalformed);
  auto spare_set = bytes;
  spare_set.back() = std::byte{1};
  EXPECT_EQ(decode_eventhorizon<EventHorizonX86>(spare_set, options).error().code,
            ErrorCode::kMalformed);
  options.limits.max_bytes = 127;
  EXPECT_EQ(decode_eventhorizon<EventHorizonX86>(bytes, options).error().code,
            ErrorCode::kTooLarge);
}

TEST(EventHorizon, CreateRefusesWhatCannotBe) {
  CreateOptions options;
  options.sizing.keys = 100;
  options.sizing.rate = 0.01;
  EXPECT_FALSE(create_eventhorizon<EventHorizonX86>(options));  // the peer has no sizing rule
  EXPECT_FALSE(ClassicFilter<EventHorizonX64>::for_goal({100, 0.01}));
  options.sizing.bits = 0;
  options.sizing.probes = 2;
  EXPECT_FALSE(create_eventhorizon<EventHorizonX86>(options));
  options.sizing.bits = std::uint64_t{1} << 31;
  EXPECT_FALSE(create_eventhorizon<EventHorizonX86>(options));
  options.sizing.bits = 1 << 20;
  options.limits.max_bytes = 1 << 16;
  EXPECT_EQ(create_eventhorizon<EventHorizonX86>(options).error().code, ErrorCode::kTooLarge);
  options.limits.max_bytes = 1 << 17;
  const auto filter = create_eventhorizon<EventHorizonX86>(options);
  ASSERT_TRUE(filter);
  EXPECT_EQ(describe(*filter).format, "eventhorizon");
  EXPECT_EQ(describe(*filter).goal, (Goal{100, 0.01}));
}

TEST(EventHorizon, SurvivesHostileBytes) {
  DecodeOptions options;
  options.sizing.bits = 1000;
  options.sizing.probes = 3;
  testing::survive_hostile_bytes(testing::Bytes(126), [&](ByteView bytes) {
    return decode_eventhorizon<EventHorizonX64>(bytes, options);
  });
}

// --- the sink ---

std::string repeated_or_plain(const std::string& argument) {
  if (argument == "empty") return "";
  if (argument.starts_with("x*")) return std::string(std::stoul(argument.substr(2)), 'x');
  return argument;
}

Status call(EventHorizonSink& sink, const std::string& name, std::string argument) {
  if (name == "PutByte") return sink.put_byte(static_cast<std::uint8_t>(std::stoi(argument)));
  if (name == "PutBool") return sink.put_bool(argument == "true");
  if (name == "PutInt") return sink.put_int(std::stoi(argument));
  if (name == "PutShort") return sink.put_short(static_cast<std::int16_t>(std::stoi(argument)));
  if (name == "PutObject")
    return sink.put_object(
        [](bool value, EventHorizonSink& inner) { return inner.put_bool(value); },
        argument == "bool true");
  if (name == "PutBytes" && !argument.starts_with("x*")) return sink.put_bytes(from_hex(argument));
  if (argument.ends_with(",utf16le")) return sink.put_bytes(from_hex("61006200"));
  if (argument.ends_with(",utf8")) argument.resize(argument.size() - 5);
  return sink.put_bytes(bytes_of(repeated_or_plain(argument)));
}

// Calls as the golden file writes them: "PutShort(258).PutByte(7)", with a remark behind or not.
std::string bytes_or_exception(EventHorizonSink& sink, std::string_view calls) {
  for (std::size_t open = 0; (open = calls.find('(')) != calls.npos;) {
    const std::size_t close = calls.find(')', open);
    const std::string argument{calls.substr(open + 1, close - open - 1)};
    const auto status = call(sink, std::string{calls.substr(0, open)}, argument);
    if (!status)
      return status.error().code == ErrorCode::kTooLarge ? "!OverflowException"
                                                         : "!ArgumentOutOfRangeException";
    calls.remove_prefix(std::min(calls.size(), close + 2));
  }
  return sink.bytes().empty() ? "-" : to_hex(sink.bytes());
}

TEST(EventHorizonSink, EveryGoldenCallGivesThePeersBytesOrException) {
  const auto golden = testing::golden_json("formats/csharp.json");
  ASSERT_EQ(golden.at("sink_bytes").size(), 24U);
  for (const auto& one : golden.at("sink_bytes")) {
    const std::string calls = one.at("calls");
    SCOPED_TRACE(calls);
    EventHorizonSink sink{
        static_cast<std::uint32_t>(std::stoul(one.at("expectedInputSize").get<std::string>()))};
    EXPECT_EQ(bytes_or_exception(sink, calls), one.at("bytes_hex_or_exception"));
  }
}

TEST(EventHorizonSink, TheFixedModeKeepsTheValueOfAShort) {
  EventHorizonSink sink{128, EventHorizonShort::kFixed};
  EXPECT_EQ(bytes_or_exception(sink, "PutShort(258).PutByte(7)"), "010207");
  sink.reset();
  EXPECT_EQ(bytes_or_exception(sink, "PutShort(-2)"), "fffe");
  EventHorizonSink narrow{16, EventHorizonShort::kFixed};
  EXPECT_EQ(bytes_or_exception(narrow, "PutBytes(x*14).PutShort(1)"),
            "78787878787878787878787878780001");
}

TEST(EventHorizonSink, AFailedPutChangesNothing) {
  EventHorizonSink sink{4};
  ASSERT_TRUE(sink.put_byte(1));
  EXPECT_FALSE(sink.put_bytes(std::vector<std::byte>(16)));
  EXPECT_EQ(to_hex(sink.bytes()), "01");
}

}  // namespace
}  // namespace bloomery
