#include "apps/ethlog/json/criteria.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/ethlog/model/log_match.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;

json bound_json(const std::optional<BlockBound>& bound) {
  if (!bound) return nullptr;
  switch (bound->tag) {
    case BlockTag::kNumber:
      return bound->number;
    case BlockTag::kPending:
      return -1;
    case BlockTag::kLatest:
      return -2;
    case BlockTag::kFinalized:
      return -3;
    case BlockTag::kSafe:
      return -4;
    case BlockTag::kEarliest:
      return -5;
  }
  return nullptr;
}

// As the golden file writes it.
json criteria_json(const LogQuery& query) {
  json out = {{"blockHash", nullptr},
              {"fromBlock", bound_json(query.from)},
              {"toBlock", bound_json(query.to)},
              {"addresses", json::array()},
              {"topics", nullptr}};
  if (query.block_hash) out["blockHash"] = query.block_hash->hex();
  for (const Address& address : query.addresses) out["addresses"].push_back(address.hex());
  for (const auto& choices : query.topics) {
    json position;
    for (const Topic& topic : choices) position.push_back(topic.hex());
    out["topics"].push_back(position);
  }
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(Criteria, AreReadAsGethReadsThem) {
  std::ifstream file{golden_path("criteria_parse.json")};
  const json golden = json::parse(file);
  ASSERT_EQ(golden["cases"].size(), 43U);
  for (json wanted : golden["cases"]) {
    std::string input = wanted["input"];
    if (input.starts_with("<")) {
      const json choices(1001, Topic{}.hex());
      input = json{{"topics", json::array({choices})}}.dump();
    }
    const auto query = parse_criteria(input);
    if (wanted.contains("error")) {
      // The program that made the golden file had the parser in a package of its own.
      EXPECT_EQ(query ? "no error" : query.error().message,
                replaced(wanted["error"], "crit.input", "filters.input"))
          << input;
      continue;
    }
    ASSERT_TRUE(query) << input << query.error().message;
    wanted.erase("input");
    EXPECT_EQ(criteria_json(*query), wanted) << input;
  }
}

std::string error_of(const std::string& input) {
  const auto query = parse_criteria(input);
  return query ? "no error" : query.error().message;
}

TEST(Criteria, TakeMemberNamesInAnyCaseAndTheLastOfEqualMembers) {
  const auto query = parse_criteria(
      R"({"FROMBLOCK":"0x1","fromBlock":"0x2","FromBlock":"0x3","toblock":"latest","topics":["0x"],)"
      R"("TOPICS":[null]})");
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->from, (BlockBound{BlockTag::kNumber, 3}));
  EXPECT_EQ(query->topics.size(), 1U);
  EXPECT_FALSE(parse_criteria(R"({"fromBlock":"0x1","FromBlock":null})")->from);
}

TEST(Criteria, TellTheErrorThatGethTells) {
  // A member that cannot be read at all comes before one of the wrong type, wherever it stands.
  EXPECT_EQ(error_of(R"({"topics":1,"fromBlock":"1"})"), "hex string without 0x prefix");
  EXPECT_EQ(error_of(R"({"address":5,"fromBlock":"0x1ffffffffffffffffg"})"),
            "hex number > 64 bits");
  EXPECT_EQ(error_of(R"({"address":5,"topics":[1]})"), "invalid addresses in query");
  EXPECT_EQ(error_of(R"({"address":["0x0g"]})"), "invalid address at index 0: invalid hex string");
  EXPECT_EQ(error_of(R"({"address":"0x0"})"), "invalid address: hex string of odd length");
  EXPECT_EQ(error_of(R"({"topics":[[null,"garbage"],["garbage"]]})"),
            "hex string without 0x prefix");
  EXPECT_EQ(error_of(R"({"topics":[[null,"garbage"]]})"), "no error");
  EXPECT_EQ(error_of(R"({"blockHash":5})"),
            "json: cannot unmarshal non-string into Go struct field input.blockHash of type "
            "common.Hash");
  EXPECT_EQ(error_of(R"({"fromBlock":"Latest"})"), "hex string without 0x prefix");
  EXPECT_NE(error_of("{"), "no error");
  EXPECT_NE(error_of(std::string(100'000, '[')), "no error");
}

TEST(Match, CountsTrailingWildcardsAndPositions) {
  Log log;
  log.address.bytes.fill(std::byte{1});
  log.topics = {filled_hash(1), filled_hash(2)};
  const Topic one = filled_hash(1);
  const Topic two = filled_hash(2);
  const auto asked = [&](std::vector<Address> addresses, std::vector<std::vector<Topic>> topics) {
    const SortedQuery query{{.addresses = std::move(addresses), .topics = std::move(topics)}};
    return matches(query, log);
  };
  EXPECT_TRUE(asked({}, {}));
  EXPECT_TRUE(asked({log.address}, {{}, {}}));
  EXPECT_FALSE(asked({}, {{}, {}, {}}));
  EXPECT_FALSE(asked({Address{}}, {}));
  EXPECT_TRUE(asked({Address{}, log.address}, {{two, one}}));
  EXPECT_FALSE(asked({}, {{two}}));
  EXPECT_TRUE(asked({}, {{}, {two}}));
  EXPECT_FALSE(asked({}, {{one}, {one}}));
}

}  // namespace
}  // namespace bloomery::ethlog
