#include "apps/redis_client/shard_plan.h"

#include <algorithm>
#include <iomanip>
#include <random>

#include "apps/redis_client/numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/layered/plan.h"

namespace bloomery::redis_client {
namespace {

constexpr std::string_view kFormat = "bloomery-shards";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kTagRule = "middle";
constexpr std::string_view kStates[] = {"creating", "loading", "ready"};
constexpr std::uint64_t kBytesInShard = std::uint64_t{64} << 20;
constexpr std::size_t kShardsOnPrimary = 4;

// The fields of a metadata key, with the first error.
class FieldReader {
 public:
  explicit FieldReader(const ShardFields& fields) : fields_{fields} {}

  std::string_view text(std::string_view name) {
    const auto found = fields_.find(name);
    if (found != fields_.end()) return found->second;
    refuse(ErrorCode::kMalformed, message("has no field '", name, "'"));
    return {};
  }
  template <class Number>
  Number number(std::string_view name) {
    const std::string_view text = this->text(name);
    Number number{};
    if (!parse_number(text, number))
      refuse(ErrorCode::kMalformed, message("has a field '", name, "' that is no number"));
    return number;
  }
  void expect(std::string_view name, std::string_view known) {
    const std::string_view found = text(name);
    if (found != known)
      refuse(ErrorCode::kUnsupported, message("has the ", name, " '", found.substr(0, 40),
                                              "', and only ", known, " is known here"));
  }
  void refuse(ErrorCode code, const std::string& why) {
    if (!error_) error_ = Error{code, message("the metadata of the filter ", why)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const ShardFields& fields_;
  std::optional<Error> error_;
};

Status check(const ShardPlan& plan) {
  if (auto goal = checked(plan.goal); !goal) return goal.error();
  if (auto shape = checked_one_line(plan.shape); !shape) return shape.error();
  if (plan.shards < 1 || plan.shards > ShardPlan::kMostShards)
    return Error{ErrorCode::kInvalidArgument, message("there are 1 to ", ShardPlan::kMostShards,
                                                      " shards, and not ", plan.shards)};
  if (plan.shards > plan.shape.blocks)
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter of ", plan.shape.blocks, " blocks has at most as many shards, ",
                         "and not ", plan.shards)};
  return ok();
}

}  // namespace

std::uint32_t automatic_shards(std::uint64_t bytes, std::size_t primaries) {
  const std::uint64_t nodes = std::max<std::size_t>(primaries, 1);
  const std::uint64_t wanted = std::max<std::uint64_t>(
      bytes / kBytesInShard + (bytes % kBytesInShard != 0 ? 1 : 0), kShardsOnPrimary * nodes);
  const std::uint64_t blocks = std::max<std::uint64_t>(bytes / block::kBlockBytes, 1);
  const std::uint64_t most = std::min<std::uint64_t>(ShardPlan::kMostShards, blocks);
  return static_cast<std::uint32_t>(std::min((wanted + nodes - 1) / nodes * nodes, most));
}

Result<ShardPlan> ShardPlan::make(Goal goal, std::uint32_t shards, std::size_t primaries) {
  constexpr double kHighestRate = 0.25;  // a server would lower a higher one
  if (goal.false_positive_rate > kHighestRate)
    return Error{ErrorCode::kInvalidArgument, message("a server takes rates up to ", kHighestRate)};
  const auto whole = LayeredPart::of_goal(goal, {});
  if (!whole) return whole.error();
  ShardPlan plan{.goal = goal,
                 .shape = whole->shape,
                 .shards = shards,
                 .hasher = Hasher{whole->profile, whole->seed},
                 .id = new_shard_id()};
  if (shards == 0) plan.shards = automatic_shards(plan.shape.bytes(), primaries);
  if (auto valid = check(plan); !valid) return valid.error();
  return plan;
}

Result<ShardPlan> ShardPlan::parse(const ShardFields& fields) {
  FieldReader in{fields};
  in.expect("format", kFormat);
  in.expect("version", kVersion);
  in.expect("tags", kTagRule);
  ShardPlan plan{.goal = {in.number<std::uint64_t>("keys"), in.number<double>("rate")},
                 .shape = {in.number<std::uint64_t>("blocks"), in.number<std::uint32_t>("probes")},
                 .shards = in.number<std::uint32_t>("shards"),
                 .id = std::string{in.text("id")}};
  const std::string_view hash = in.text("hash");
  const auto profile = find_profile(hash);
  if (!profile || *profile == Profile::kMix || *profile == Profile::kSiphash)
    in.refuse(ErrorCode::kUnsupported,
              message("has the hash '", hash.substr(0, 40), "', which is not known here"));
  plan.hasher = Hasher{profile.value_or(Profile::kXxh3), in.number<std::uint64_t>("seed")};
  const auto* state = std::ranges::find(kStates, in.text("state"));
  if (state == std::end(kStates))
    in.refuse(ErrorCode::kUnsupported, "has a state that is not known here");
  else
    plan.state = static_cast<ShardState>(state - std::begin(kStates));
  if (in.error()) return *in.error();
  if (auto valid = check(plan); !valid)
    return Error{ErrorCode::kMalformed,
                 message("the metadata of the filter is invalid: ", valid.error().message)};
  return plan;
}

ShardFields ShardPlan::fields() const {
  return {{"format", std::string{kFormat}},
          {"version", std::string{kVersion}},
          {"id", id},
          {"state", std::string{kStates[static_cast<std::size_t>(state)]}},
          {"keys", std::to_string(goal.keys)},
          {"rate", double_text(goal.false_positive_rate)},
          {"blocks", std::to_string(shape.blocks)},
          {"probes", std::to_string(shape.probes)},
          {"shards", std::to_string(shards)},
          {"tags", std::string{kTagRule}},
          {"hash", std::string{profile_name(hasher.profile())}},
          {"seed", std::to_string(hasher.seed())}};
}

bool ShardPlan::same_filter(const ShardPlan& other) const {
  return goal == other.goal && shape == other.shape && shards == other.shards &&
         hasher == other.hasher;
}

std::string metadata_key(std::string_view name) { return message(name, ":{", name, "}:meta"); }

std::vector<std::string> shard_keys(std::string_view name, std::uint32_t shards) {
  std::vector<std::string> keys = shard_tags(shards);
  for (std::string& key : keys) key = message(name, ":{", key, "}");
  return keys;
}

std::string new_shard_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 4; ++i) id += message(std::hex, std::setw(8), std::setfill('0'), device());
  return id;
}

}  // namespace bloomery::redis_client
