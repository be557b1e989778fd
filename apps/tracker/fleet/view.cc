// From the fields of a fleet's hash to a FleetView.
#include <algorithm>
#include <charconv>
#include <map>

#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/fleet/redis.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr int kHexadecimal = 16;
constexpr std::size_t kLongestPlace = 8192;
// The scripts count in doubles: beyond, two numbers would be one.
constexpr std::uint64_t kHighestIndex = std::uint64_t{1} << 53;

Error malformed_field(std::string_view field, std::string_view value) {
  return {ErrorCode::kMalformed,
          message("the fleet's field ", redis_client::printable(field), " in Redis cannot be '",
                  redis_client::printable(value), "': something else wrote there")};
}

bool parse_number(std::string_view text, std::uint64_t& number, int base = 10) {
  if (text.empty()) return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

bool parse_cycle(std::string_view text, CycleId& id) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && parse_number(text.substr(0, colon), id.index) &&
         parse_number(text.substr(colon + 1), id.token, kHexadecimal) && id.index > 0 &&
         id.index <= kHighestIndex && id.token != 0;
}

// Numbers that fall from each cycle to the one before: History relies on it.
bool parse_chain(std::string_view text, std::vector<CycleId>& chain) {
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    CycleId id;
    if (!parse_cycle(text.substr(0, end), id)) return false;
    if (!chain.empty() && chain.back().index <= id.index) return false;
    chain.push_back(id);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return chain.size() <= kCyclesKept + 1;
}

bool parse_state(std::string_view text, MemberState& state) {
  for (const auto known :
       {MemberState::kActive, MemberState::kAway, MemberState::kRemembered, MemberState::kLeaving})
    if (name_of(known) == text) {
      state = known;
      return true;
    }
  return false;
}

Status set_member(Member& member, std::string_view field, const std::string& value,
                  std::uint64_t now_ms) {
  bool fine = true;
  if (field == "state") {
    fine = parse_state(value, member.state);
  } else if (field == "instance") {
    fine = parse_number(value, member.instance, kHexadecimal);
  } else if (field == "identity") {
    fine = parse_number(value, member.identity, kHexadecimal);
  } else if (field == "answered") {
    fine = parse_number(value, member.answered);
  } else if (field == "place") {
    fine = value.size() <= kLongestPlace;
    member.place = value;
  } else if (field == "share") {
    auto share = decode_share(value);
    if (!share) return share.error();
    member.share = std::move(*share);
  } else if (field == "beat") {
    std::uint64_t beat = 0;
    fine = parse_number(value, beat);
    member.silent = std::chrono::milliseconds{
        std::min<std::uint64_t>(now_ms > beat ? now_ms - beat : 0, kHighestIndex)};
  }
  if (!fine) return malformed_field(message(member.name, ":", field), value);
  return ok();
}

bool set_number_of_fleet(FleetView& view, std::string_view field, const std::string& value) {
  if (field == "index") return parse_number(value, view.current.index);
  if (field == "token") return parse_number(value, view.current.token, kHexadecimal);
  if (field == "committed") return parse_number(value, view.committed);
  if (field == "scanned") return parse_number(value, view.scanned);
  if (field == "fence") return parse_number(value, view.fence);
  if (field == "changes") return parse_number(value, view.changes);
  return true;
}

Status set_of_fleet(FleetView& view, std::string_view field, const std::string& value) {
  bool fine = true;
  if (field == "chain") {
    fine = parse_chain(value, view.chain);
  } else if (field == "gathering") {
    view.gathering = value == "1";
  } else if (field == "same") {
    view.same_server = value == "1";
  } else if (field == "leader") {
    view.leader = redis_client::printable(value);
  } else {
    fine = set_number_of_fleet(view, field, value);
  }
  if (!fine) return malformed_field(message(":", field), value);
  return ok();
}

}  // namespace

Result<FleetView> parse_fleet(std::span<const std::string> words, std::uint64_t now_ms) {
  FleetView view;
  std::map<std::string, Member, std::less<>> members;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& whole = words[i];
    const std::size_t colon = whole.rfind(':');
    if (colon == std::string::npos) return malformed_field(whole, words[i + 1]);
    const std::string name = whole.substr(0, colon);
    const std::string_view field = std::string_view{whole}.substr(colon + 1);
    if (name.empty()) {
      if (auto set = set_of_fleet(view, field, words[i + 1]); !set) return set.error();
      continue;
    }
    if (!check_name("a node", name)) return malformed_field(whole, words[i + 1]);
    if (field == "left") {
      view.left.push_back(name);
      continue;
    }
    Member& member = members.try_emplace(name, Member{.name = name}).first->second;
    if (auto set = set_member(member, field, words[i + 1], now_ms); !set) return set.error();
  }
  // Without a cycle there is no chain, and with one it begins the chain.
  const bool consistent =
      view.chain.empty() ? view.current == CycleId{} : view.chain.front() == view.current;
  if (!consistent) return malformed_field(":chain", "what it is");
  for (auto& [name, member] : members) view.members.push_back(std::move(member));
  return view;
}

}  // namespace bloomery::tracker
