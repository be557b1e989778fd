#include "apps/cli/filters/description_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace bloomery::cli {
namespace {

using ::testing::ElementsAre;

nlohmann::ordered_json printed(const Description& description) {
  return nlohmann::ordered_json::parse(description_json(description).dump());
}

std::vector<std::string> members(const nlohmann::ordered_json& json) {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  return names;
}

Description described() {
  Description description;
  description.format = "bloomery";
  description.layout = "classic";
  description.dialect = "bloomery-classic";
  description.bits = 9600;
  description.probes = 7;
  description.bytes = 1200;
  description.keys_inserted = 1000;
  description.goal = Goal{1000, 0.01};
  description.health = Health{0.5, 999.6, 0.02, Verdict::kOverDesign};
  description.has_checksum = true;
  return description;
}

// Scripts rely on these names and their order of meaning.
TEST(DescriptionJson, HasExactlyTheMembersOfTheContract) {
  EXPECT_THAT(members(printed(described())),
              ElementsAre("format", "layout", "dialect", "bits", "probes", "bytes", "keys_inserted",
                          "estimated_keys", "fill", "design_fpr", "estimated_fpr", "health",
                          "sampled", "checksum", "layers"));
  EXPECT_EQ(members(printed({})), members(printed(described())));
}

TEST(DescriptionJson, SaysWhatTheDescriptionSays) {
  const auto json = printed(described());
  EXPECT_EQ(json["bits"], 9600);
  EXPECT_EQ(json["estimated_keys"], 1000);
  EXPECT_EQ(json["design_fpr"], 0.01);
  EXPECT_EQ(json["estimated_fpr"], 0.02);
  EXPECT_EQ(json["health"], "over-design");
  EXPECT_EQ(json["sampled"], false);
  EXPECT_EQ(json["checksum"], "ok");
  EXPECT_TRUE(json["layers"].is_null());
}

TEST(DescriptionJson, WhatIsUnknownIsNull) {
  const auto json = printed({});
  for (const char* name : {"bits", "probes", "keys_inserted", "estimated_keys", "fill",
                           "design_fpr", "estimated_fpr", "health", "sampled", "layers"})
    EXPECT_TRUE(json[name].is_null()) << name;
  EXPECT_EQ(json["checksum"], "none");
}

TEST(DescriptionJson, LayersAreAnArray) {
  Description description = described();
  LayerDescription layer;
  layer.name = "0";
  layer.bits = 64;
  description.layers = {layer, layer};
  const auto json = printed(description);
  ASSERT_EQ(json["layers"].size(), 2U);
  EXPECT_EQ(json["layers"][0]["bits"], 64);
}

}  // namespace
}  // namespace bloomery::cli
