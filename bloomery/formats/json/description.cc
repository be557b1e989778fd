#include "bloomery/formats/json/description.h"

#include <cmath>

#include "bloomery/formats/json/value.h"

namespace bloomery {
namespace {

Json goal_rate(const std::optional<Goal>& goal) {
  return goal ? Json(goal->false_positive_rate) : Json(nullptr);
}

void add_health(Json& json, const std::optional<Health>& health, const std::optional<Goal>& goal) {
  json["estimated_keys"] = health ? Json(std::llround(health->estimated_keys)) : Json(nullptr);
  json["fill"] = health ? Json(health->fill) : Json(nullptr);
  json["design_fpr"] = goal_rate(goal);
  json["estimated_fpr"] = health ? Json(health->error_rate) : Json(nullptr);
  json["health"] = health ? Json(verdict_name(health->verdict)) : Json(nullptr);
  json["sampled"] = health ? Json(health->sampled) : Json(nullptr);
}

Json layer_json(const LayerDescription& layer) {
  Json json{{"name", layer.name},
            {"bits", layer.bits},
            {"probes", layer.probes},
            {"bytes", layer.bytes},
            {"keys_inserted", or_null(layer.keys_inserted)}};
  add_health(json, layer.health, layer.goal);
  return json;
}

}  // namespace

Json description_json(const Description& description) {
  Json json{{"format", description.format},
            {"layout", description.layout},
            {"dialect", description.dialect},
            {"bits", or_null(description.bits)},
            {"probes", or_null(description.probes)},
            {"bytes", description.bytes},
            {"keys_inserted", or_null(description.keys_inserted)}};
  add_health(json, description.health, description.goal);
  json["checksum"] = description.has_checksum ? "ok" : "none";
  json["layers"] = nullptr;
  if (!description.layers.empty()) {
    json["layers"] = Json::array();
    for (const LayerDescription& layer : description.layers)
      json["layers"].push_back(layer_json(layer));
  }
  for (const ColumnDescription& column : description.columns)
    json["columns"].push_back(
        {{"name", column.name}, {"type", column.type}, {"values", column.values}});
  return json;
}

}  // namespace bloomery
