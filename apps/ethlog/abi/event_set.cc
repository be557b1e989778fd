#include "apps/ethlog/abi/event_set.h"

#include <algorithm>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// Where an indexed argument stands among the topics; nothing for others.
std::optional<std::size_t> position_of(const AbiEvent& event, std::size_t parameter) {
  if (!event.parameters[parameter].indexed) return std::nullopt;
  std::size_t position = event.anonymous ? 0 : 1;
  for (std::size_t i = 0; i < parameter; ++i)
    if (event.parameters[i].indexed) ++position;
  return position;
}

std::string indexed_names(const AbiEvent& event) {
  const auto names = written_names(event.parameters);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (event.parameters[i].indexed) list += (list.empty() ? "" : ", ") + names[i];
  return list.empty() ? "none is" : "these are: " + list;
}

Result<std::size_t> find_indexed(const AbiEvent& event, const std::string& name) {
  const auto names = written_names(event.parameters);
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::size_t>(found - names.begin());
  if (found == names.end())
    return invalid_argument(message("the event ", declaration_of(event), " has no argument '", name,
                                    "'; indexed ones can be searched for, and ",
                                    indexed_names(event)));
  if (!event.parameters[index].indexed)
    return invalid_argument(message("the argument '", name, "' of ", declaration_of(event),
                                    " is not indexed, and only indexed ones can be searched for; ",
                                    indexed_names(event)));
  return index;
}

bool same_places(const AbiEvent& a, const AbiEvent& b) {
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    if (a.parameters[i].indexed != b.parameters[i].indexed) return false;
  return true;
}

// Two declarations of the same event may differ in the names of arguments: the first is taken.
bool is_repeated(const AbiEvent& a, const AbiEvent& b) {
  return a.signature == b.signature && a.anonymous == b.anonymous && same_places(a, b);
}

bool is_ambiguous(const AbiEvent& a, const AbiEvent& b) {
  return a.signature == b.signature && a.anonymous == b.anonymous && a.indexed == b.indexed;
}

// What both lists allow; an empty list allows all. Nothing where they have no topic in common.
std::optional<std::vector<Topic>> common_topics(std::vector<Topic> a, std::vector<Topic> b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<Topic> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  if (both.empty()) return std::nullopt;
  return both;
}

}  // namespace

Result<EventSet> EventSet::make(std::vector<AbiEvent> events,
                                const std::vector<ArgumentFilter>& filters) {
  EventSet set;
  for (AbiEvent& event : events) {
    bool repeated = false;
    for (const AbiEvent& other : set.events_) {
      repeated = repeated || is_repeated(event, other);
      if (!is_repeated(event, other) && is_ambiguous(event, other))
        return invalid_argument(message("no log can tell ", declaration_of(event), " from ",
                                        declaration_of(other), "; give one of them"));
    }
    if (!repeated) set.events_.push_back(std::move(event));
  }
  for (const AbiEvent& event : set.events_) {
    std::vector<Wanted> wanted;
    for (const ArgumentFilter& filter : filters) {
      const auto index = find_indexed(event, filter.name);
      if (!index) return index.error();
      Wanted one{*position_of(event, *index), {}};
      for (const std::string& value : filter.values) {
        const auto topic = topic_of(event.parameters[*index].type, value);
        if (!topic) return invalid_argument(message(filter.name, ": ", topic.error().message));
        one.choices.push_back(*topic);
      }
      std::sort(one.choices.begin(), one.choices.end());
      wanted.push_back(std::move(one));
    }
    set.wanted_.push_back(std::move(wanted));
  }
  return set;
}

Status EventSet::narrow(LogQuery& query) {
  // Events that the first topic of the query excludes are not searched for.
  if (!query.topics.empty() && !query.topics[0].empty()) {
    const auto& first = query.topics[0];
    for (std::size_t i = events_.size(); i-- > 0;) {
      if (events_[i].anonymous ||
          std::find(first.begin(), first.end(), events_[i].topic) != first.end())
        continue;
      if (events_.size() == 1)
        return invalid_argument(message("topic 0 of ", events_[i].signature, " is ",
                                        events_[i].topic.hex(),
                                        ", which --topic excludes; give '*' for the first --topic, "
                                        "or leave it out"));
      events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(i));
      wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t position = 0; position < TopicList::kMost; ++position) {
    std::vector<Topic> choices;
    bool restricts = true;  // every event does at this position
    for (std::size_t i = 0; i < events_.size() && restricts; ++i) {
      const std::size_t before = choices.size();
      if (position == 0 && !events_[i].anonymous) choices.push_back(events_[i].topic);
      for (const Wanted& one : wanted_[i])
        if (one.position == position)
          choices.insert(choices.end(), one.choices.begin(), one.choices.end());
      restricts = choices.size() > before;
    }
    if (!restricts || choices.empty()) continue;
    if (query.topics.size() <= position) query.topics.resize(position + 1);
    auto common = common_topics(choices, query.topics[position]);
    if (!common)
      return invalid_argument(
          message("no log can have both the value of --arg and that of --topic "
                  "number ",
                  position + 1));
    query.topics[position] = std::move(*common);
  }
  return ok();
}

bool EventSet::satisfies(std::size_t event, const Log& log) const {
  return std::all_of(wanted_[event].begin(), wanted_[event].end(), [&](const Wanted& one) {
    return one.position >= log.topics.size() ||
           std::binary_search(one.choices.begin(), one.choices.end(), log.topics[one.position]);
  });
}

// By topic 0 first: an anonymous event is what a log may be that is none of the others.
std::vector<std::size_t> EventSet::candidates(const Log& log) const {
  std::vector<std::size_t> named;
  std::vector<std::size_t> anonymous;
  bool exact = false;  // one of the named has as many topics
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const AbiEvent& event = events_[i];
    const bool as_many = event.topics() == log.topics.size();
    if (!event.anonymous && !log.topics.empty() && log.topics[0] == event.topic) {
      named.push_back(i);
      exact = exact || as_many;
    } else if (event.anonymous && as_many) {
      anonymous.push_back(i);
    }
  }
  std::vector<std::size_t>& possible = named.empty() ? anonymous : named;
  std::erase_if(possible, [&](std::size_t i) {
    return !satisfies(i, log) || (exact && events_[i].topics() != log.topics.size());
  });
  return possible;
}

bool EventSet::wants(const Log& log) const { return !candidates(log).empty(); }

Result<DecodedLog> EventSet::decode(const Log& log) const {
  std::optional<Error> first;
  for (const std::size_t i : candidates(log)) {
    auto values = decode_log(events_[i], log);
    if (values) return DecodedLog{i, std::move(*values)};
    if (!first) first = values.error();
  }
  if (first) return *first;
  return Error{ErrorCode::kMalformed, "it is none of the events"};
}

}  // namespace bloomery::ethlog
