#include "apps/redis_client/topology.h"

#include <algorithm>

#include "apps/redis_client/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

std::string_view next_word(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return word;
}

bool has_flag(std::string_view flags, std::string_view wanted) {
  while (!flags.empty())
    if (next_word(flags, ',') == wanted) return true;
  return false;
}

Error bad_line(std::string_view line) {
  return {ErrorCode::kMalformed, message("CLUSTER NODES has a line that is no node: '",
                                         std::string{line.substr(0, 80)}, "'")};
}

}  // namespace

// "id host:port@bus[,name] flags primary ping pong epoch link slot-slot slot [slot->-id]"
struct Topology::Line {
  std::string_view id, primary, slots;
  Endpoint at;
  std::string name;
  bool is_primary = false;
  bool is_usable = false;

  static Result<Line> parse(std::string_view text, const Endpoint& asked) {
    std::string_view rest = text;
    Line line;
    line.id = next_word(rest, ' ');
    std::string_view address = next_word(rest, ' ');
    const std::string_view flags = next_word(rest, ' ');
    line.primary = next_word(rest, ' ');
    for (int i = 0; i < 3; ++i) (void)next_word(rest, ' ');
    const std::string_view link = next_word(rest, ' ');
    line.slots = rest;
    line.is_primary = has_flag(flags, "master");
    line.is_usable =
        !has_flag(flags, "noaddr") && !has_flag(flags, "handshake") && !has_flag(flags, "fail");
    if (line.id.empty() || link.empty()) return bad_line(text);
    std::string_view names = address;
    address = next_word(names, ',');
    line.name = next_word(names, ',');
    address = address.substr(0, address.find('@'));
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return bad_line(text);
    line.at.host = address.substr(0, colon);
    if (line.at.host.empty()) line.at.host = asked.host;
    if (!parse_number(address.substr(colon + 1), line.at.port)) return bad_line(text);
    if (line.at.port == 0) line.is_usable = false;
    return line;
  }
};

Topology::Topology(Endpoint only) : primaries_{{only, {}}}, nodes_{std::move(only)} {
  std::ranges::fill(owners_, 0U);
}

void Topology::take_slots(std::string_view ranges, std::uint32_t primary) {
  while (!ranges.empty()) {
    const std::string_view range = next_word(ranges, ' ');
    if (range.empty() || range.front() == '[') continue;  // a slot that is moving is still here
    const std::size_t dash = range.find('-');
    std::uint32_t first = kSlots;
    if (!parse_number(range.substr(0, dash), first)) continue;
    std::uint32_t last = first;
    if (dash != std::string_view::npos && !parse_number(range.substr(dash + 1), last)) continue;
    for (std::uint32_t slot = first; slot <= last && slot < kSlots; ++slot) owners_[slot] = primary;
  }
}

Result<Topology> Topology::parse(std::string_view nodes, const Endpoint& asked, bool by_name) {
  Topology topology;
  std::vector<std::string_view> ids;  // of primaries_
  std::vector<Line> replicas;
  while (!nodes.empty()) {
    std::string_view text = next_word(nodes, '\n');
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    auto line = Line::parse(text, asked);
    if (!line) return line.error();
    if (!line->is_usable) continue;
    const Endpoint by_host = line->at;
    if (!line->name.empty()) {
      const Endpoint named{line->name, line->at.port};
      if (by_name) line->at = named;
      topology.names_.emplace_back(by_name ? by_host : named, line->at);
    }
    topology.nodes_.push_back(line->at);
    if (!line->is_primary) {
      replicas.push_back(std::move(*line));
    } else if (!line->slots.empty()) {
      topology.take_slots(line->slots, static_cast<std::uint32_t>(ids.size()));
      ids.push_back(line->id);
      topology.primaries_.push_back({line->at, {}});
    }
  }
  for (const Line& replica : replicas) {
    const auto found = std::ranges::find(ids, replica.primary);
    if (found == ids.end()) continue;
    topology.primaries_[static_cast<std::size_t>(found - ids.begin())].replicas.push_back(
        replica.at);
  }
  return topology;
}

std::optional<Endpoint> Topology::find(const Endpoint& named) const {
  if (std::ranges::find(nodes_, named) != nodes_.end()) return named;
  const auto other = std::ranges::find(names_, named, &std::pair<Endpoint, Endpoint>::first);
  return other == names_.end() ? std::nullopt : std::optional{other->second};
}

}  // namespace bloomery::redis_client
