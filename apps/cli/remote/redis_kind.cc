#include "apps/cli/remote/redis_kind.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bloomery/base/message.h"
#include "bloomery/layout/sizing.h"

namespace bloomery::cli {
namespace {

Error malformed_dump(std::string sentence) { return {ErrorCode::kMalformed, std::move(sentence)}; }

Result<std::uint64_t> bytes_behind_bloom(ByteView bytes) {
  const auto header = read_redisbloom_header(bytes);
  if (!header) return header.error();
  std::uint64_t total = 0;
  for (const RedisBloomLayerHeader& layer : header->layers) total += layer.bytes;
  return total;
}

Result<std::uint64_t> bytes_behind_cuckoo(ByteView bytes) {
  const auto header = read_rediscuckoo_header(bytes);
  if (!header) return header.error();
  return RedisCuckooFilter::checked(*header, {.max_bytes = UINT64_MAX});
}

LayerDescription foretold_layer(const RedisBloomLayerHeader& layer, std::size_t number) {
  const Shape shape{layer.n2 > 0 ? std::uint64_t{1} << layer.n2 : layer.bits, layer.probes};
  const auto keys = static_cast<double>(layer.keys_inserted);
  const Goal goal{layer.goal_keys, layer.rate};
  const double rate = expected_rate(shape, keys);
  const double fill = -std::expm1(-(shape.probes * keys) / static_cast<double>(shape.bits));
  return {message("layer ", number),
          layer.bits,
          layer.probes,
          layer.bytes,
          layer.keys_inserted,
          goal,
          Health{fill, keys, rate, judge(fill, rate, goal)}};
}

Description foretold(const RedisBloomHeader& header) {
  Description description;
  description.format = "redisbloom";
  description.layout = "scalable";
  description.dialect = RedisBloom::kName;
  description.keys_inserted = header.keys_inserted;
  std::uint64_t bits = 0;
  Health whole{0, static_cast<double>(header.keys_inserted), 0, Verdict::kOk};
  Goal goal{0, header.layers.front().rate};
  if ((header.options & kRedisBloomNonScaling) == 0)
    goal.false_positive_rate = std::min(1.0, goal.false_positive_rate * 2);
  for (const RedisBloomLayerHeader& layer : header.layers) {
    description.layers.push_back(foretold_layer(layer, description.layers.size()));
    const Health& health = description.layers.back().health;
    whole.error_rate += (1 - whole.error_rate) * health.error_rate;
    whole.fill += health.fill * static_cast<double>(layer.bits);
    bits += layer.bits;
    description.bytes += layer.bytes;
    goal.keys += std::min(layer.goal_keys, UINT64_MAX - goal.keys);
  }
  whole.fill /= static_cast<double>(bits);
  whole.verdict = judge(whole.fill, whole.error_rate, goal);
  description.bits = bits;
  if (header.layers.size() == 1) description.probes = header.layers.front().probes;
  description.goal = goal;
  description.health = whole;
  return description;
}

Result<Description> foretell_bloom(RedisConnection& connection, const RedisAddress& address) {
  const std::string command =
      redis_command(address, *redis_kind_of_format("redisbloom"), "SCANDUMP");
  const auto reply = connection.call({command, address.key, "0"});
  if (!reply) return reply.error();
  if (reply->elements.size() != 2) return malformed_dump("the server's dump has no header");
  const auto header = read_redisbloom_header(bytes_of(reply->elements[1].text));
  if (!header) return header.error();
  return foretold(*header);
}

// What CF.INFO names, where each name is followed by a number.
std::map<std::string, std::uint64_t, std::less<>> named_numbers(const RedisReply& reply) {
  std::map<std::string, std::uint64_t, std::less<>> numbers;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    if (reply.elements[i + 1].is_integer() && reply.elements[i + 1].integer >= 0)
      numbers[reply.elements[i].text] = static_cast<std::uint64_t>(reply.elements[i + 1].integer);
  return numbers;
}

// From CF.INFO and not from a dump: a cuckoo filter with no key in it has none.
Result<Description> foretell_cuckoo(RedisConnection& connection, const RedisAddress& address) {
  const std::string command = redis_command(address, *redis_kind_of_format("rediscuckoo"), "INFO");
  const auto reply = connection.call({command, address.key});
  if (!reply) return reply.error();
  auto numbers = named_numbers(*reply);
  const double slots_in_bucket = static_cast<double>(numbers["Bucket size"]);
  const auto layers = static_cast<double>(numbers["Number of filters"]);
  const auto keys = static_cast<double>(numbers["Number of items inserted"]);
  constexpr std::uint64_t kNativeBytes = 40;  // what CF.INFO adds to the tables: 40, and 16 a layer
  const std::uint64_t own = kNativeBytes + 16 * numbers["Number of filters"];
  if (slots_in_bucket < 1 || numbers["Size"] <= own)
    return malformed_dump("the server's CF.INFO does not describe a cuckoo filter");
  Description description;
  description.format = "rediscuckoo";
  description.layout = "cuckoo";
  description.dialect = "rediscuckoo";
  description.bytes = numbers["Size"] - own;
  description.bits = description.bytes * 8;
  description.keys_inserted = numbers["Number of items inserted"];
  const double fill = std::min(1.0, keys / static_cast<double>(description.bytes));
  constexpr double kFingerprints = 255;
  const double looked_at = 2 * slots_in_bucket * fill * layers;
  const double rate = -std::expm1(looked_at * std::log1p(-1 / kFingerprints));
  const bool grows = numbers["Expansion rate"] > 0;
  description.health = Health{fill, keys, rate, judge(grows ? 0 : fill, rate, std::nullopt)};
  return description;
}

// Layers of several kinds and ages: their bits would have to be counted, and the server
// answers no client meanwhile.
Result<Description> foretell_own(RedisConnection& connection, const RedisAddress& address) {
  const std::string command = redis_command(address, *redis_kind_of_format("bloomery"), "INFO");
  const auto reply = connection.call({command, address.key});
  if (!reply) return reply.error();
  auto numbers = named_numbers(*reply);
  Description description;
  description.format = "bloomery";
  description.layout = "our own";
  description.bytes = numbers["Size"];
  description.keys_inserted = numbers["Number of items inserted"];
  return description;
}

constexpr RedisKind kKinds[] = {
    {.type = "MBbloom--",
     .prefixed_type = "BLMbloom-",
     .format = "redisbloom",
     .family = "BF",
     .must_be_still = false,
     .tells_new = true,
     .can_be_stored = true,
     .bytes_behind = bytes_behind_bloom,
     .foretell = foretell_bloom},
    {.type = "MBbloomCF",
     .prefixed_type = "BLMcuckoo",
     .format = "rediscuckoo",
     .family = "CF",
     .must_be_still = true,
     .tells_new = false,
     .can_be_stored = true,
     .bytes_behind = bytes_behind_cuckoo,
     .foretell = foretell_cuckoo},
    {.type = "BLOOMERY1",
     .prefixed_type = "BLMown---",
     .format = "bloomery",
     .family = "BF",
     .must_be_still = true,
     .tells_new = true,
     .can_be_stored = false,
     .bytes_behind = nullptr,
     .foretell = foretell_own},
};

}  // namespace

std::span<const RedisKind> redis_kinds() { return kKinds; }

const RedisKind* redis_kind_of_type(std::string_view type) {
  const auto* found = std::ranges::find_if(kKinds, [&](const RedisKind& kind) {
    return kind.type == type || kind.prefixed_type == type;
  });
  return found == std::end(kKinds) ? nullptr : found;
}

const RedisKind* redis_kind_of_format(std::string_view format) {
  const auto* found = std::ranges::find(kKinds, format.substr(0, format.find(':')),
                                        [](const RedisKind& kind) { return kind.format; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string redis_command(const RedisAddress& address, const RedisKind& kind,
                          std::string_view verb) {
  return message(address.prefix, address.prefix.empty() ? "" : ".", kind.family, ".", verb);
}

Result<const RedisKind*> find_redis_kind(RedisConnection& connection, const RedisAddress& address) {
  const auto type = connection.call({"TYPE", address.key});
  if (!type) return type.error();
  if (type->is_status("none")) return Error{ErrorCode::kIo, "the server has no such key"};
  if (const RedisKind* kind = redis_kind_of_type(type->text)) {
    if (type->text == kind->prefixed_type && address.prefix.empty())
      return Error{
          ErrorCode::kInvalidArgument,
          "the module of that key was loaded with PREFIX; add ?prefix=NAME to the address"};
    return kind;
  }
  if (type->text == "bloomfltr")
    return malformed_dump("the key holds a filter of valkey-bloom, whose format is not supported");
  return malformed_dump(
      message("the key is not a filter but a value of type '", printable(type->text), "'"));
}

}  // namespace bloomery::cli
