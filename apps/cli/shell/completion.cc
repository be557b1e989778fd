#include "apps/cli/shell/completion.h"

#include <algorithm>
#include <string_view>

#include "bloomery/formats/format.h"

namespace bloomery::cli {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start) parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool names_a_file(std::string_view what) {
  static constexpr std::string_view kPlaces[] = {"FILE", "FILTER", "DIR", "PATH", "FOLDER",
                                                 "OUT",  "IN",     "A",   "B"};
  return std::ranges::any_of(split(what, ' '), [](std::string_view word) {
    while (word.ends_with('.')) word.remove_suffix(1);
    return std::ranges::find(kPlaces, word) != std::end(kPlaces);
  });
}

// Names that the help does not list as a|b|c. A format to read may be "auto", one to write not.
std::vector<std::string> known_names(const Option& option) {
  std::vector<std::string> names;
  if (option.is_called("--format") || option.is_called("--to")) {
    if (option.help().find("auto") != std::string::npos) names.emplace_back("auto");
    for (const Format& format : formats()) names.emplace_back(format.name);
  }
  if (option.is_called("--funnel"))
    for (std::uint16_t id = 0; funnel_name(FunnelName{id}) != "unknown"; ++id)
      names.emplace_back(funnel_name(FunnelName{id}));
  return names;
}

Offer offer_of(const Option& option) {
  if (!option.takes_value()) return {};
  const std::string& type = option.value_name();
  if (!option.choices().empty()) return {Offer::Kind::kWords, option.choices(), type};
  if (auto names = known_names(option); !names.empty())
    return {Offer::Kind::kWords, std::move(names), type};
  const std::string what = option.is_argument() ? option.name() : type;
  if (names_a_file(what)) return {Offer::Kind::kFiles, {}, what};
  return {Offer::Kind::kOther, {}, what};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

CompletedCommand completed(const CommandLine& line, std::vector<std::string> path) {
  CompletedCommand command;
  path.push_back(line.name());
  command.path = path;
  command.help = first_line(line.summary());
  for (const auto& option : line.options()) {
    if (option->is_argument())
      command.arguments.push_back(offer_of(*option));
    else
      command.options.push_back({option->names(), first_line(option->help()), offer_of(*option)});
  }
  for (const auto& child : line.commands()) command.subcommands.push_back(completed(*child, path));
  return command;
}

}  // namespace

std::string CompletedCommand::full_name() const {
  std::string joined;
  for (const std::string& word : path) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

bool CompletedCommand::takes_files() const {
  return std::ranges::any_of(arguments,
                             [](const Offer& offer) { return offer.kind == Offer::Kind::kFiles; });
}

CompletedCommand completed_command(const CommandLine& app) { return completed(app, {}); }

}  // namespace bloomery::cli
