#include "apps/cli/shell/completion.h"

#include <CLI/CLI.hpp>
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

bool is_called(const CLI::Option& option, std::string_view name) {
  return std::ranges::find(option.get_lnames(), name) != option.get_lnames().end();
}

// Names that the help does not list as a|b|c. A format to read may be "auto", one to write not.
std::vector<std::string> known_names(const CLI::Option& option) {
  std::vector<std::string> names;
  if (is_called(option, "format") || is_called(option, "to")) {
    if (option.get_description().find("auto") != std::string::npos) names.emplace_back("auto");
    for (const Format& format : formats()) names.emplace_back(format.name);
  }
  if (is_called(option, "funnel"))
    for (std::uint16_t id = 0; funnel_name(FunnelName{id}) != "unknown"; ++id)
      names.emplace_back(funnel_name(FunnelName{id}));
  return names;
}

Offer offer_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const bool is_argument = option.get_positional() && !option.nonpositional();
  const std::string type = option.get_type_name();
  // A choice is written as such in the help: auto|always|never.
  if (type.find('|') != std::string::npos) return {Offer::Kind::kWords, split(type, '|'), type};
  if (auto names = known_names(option); !names.empty())
    return {Offer::Kind::kWords, std::move(names), type};
  const std::string what = is_argument ? option.get_name(true) : type;
  if (names_a_file(what) || names_a_file(type)) return {Offer::Kind::kFiles, {}, what};
  return {Offer::Kind::kOther, {}, what};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

CompletedCommand completed(const CLI::App& app, std::vector<std::string> path) {
  CompletedCommand command;
  path.push_back(app.get_name());
  command.path = path;
  command.help = first_line(app.get_description());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) command.arguments.push_back(offer_of(*option));
    if (!option->nonpositional()) continue;
    CompletedOption known{.names = {}, .help = first_line(option->get_description()), .value = {}};
    for (const std::string& name : option->get_snames()) known.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) known.names.push_back("--" + name);
    known.value = offer_of(*option);
    command.options.push_back(std::move(known));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
    command.subcommands.push_back(completed(*child, path));
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

CompletedCommand completed_command(const CLI::App& app) { return completed(app, {}); }

}  // namespace bloomery::cli
