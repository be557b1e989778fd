#include "apps/cli/shell/help.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace bloomery::cli {
namespace {

constexpr std::size_t kColumn = 32;  // where texts begin
constexpr std::size_t kLineWidth = 100;

// UTF-8: bytes that continue a character take no column.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Words in lines of the second column; line breaks of the source mean nothing.
std::string wrapped(std::string_view text) {
  std::string out;
  std::size_t column = kColumn;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column > kColumn && column + 1 + columns(word) > kLineWidth) {
      out += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    }
    if (column > kColumn) out += ' ', ++column;
    out += word;
    column += columns(word);
  }
  return out + "\n";
}

std::string entry(const std::string& left, std::string_view text) {
  const std::string start = "  " + left;
  const std::size_t width = columns(start);
  const std::string gap =
      width + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - width, ' ');
  return start + gap + wrapped(text);
}

std::string names_and_value(const Option& option) {
  if (option.is_argument()) return option.name() + (option.is_repeatable() ? "..." : "");
  std::string left;
  for (const std::string& name : option.names()) left += (left.empty() ? "" : ", ") + name;
  return option.takes_value() ? left + " " + option.value_name() : left;
}

std::string names_of(const std::vector<const Option*>& options) {
  std::string names;
  for (const Option* option : options) names += (names.empty() ? "" : ", ") + option->name();
  return names;
}

std::string full_text(const Option& option) {
  std::string text = option.help();
  if (!option.default_text().empty()) text += " (default: " + option.default_text() + ")";
  if (!option.needed().empty()) text += " (needs " + names_of(option.needed()) + ")";
  if (!option.excluded().empty()) text += " (not with " + names_of(option.excluded()) + ")";
  if (option.is_required() && !option.is_argument()) text += " (required)";
  return text;
}

std::string usage_line(const CommandLine& command) {
  std::string line = "Usage: " + command.full_name();
  for (const auto& option : command.options())
    if (option->is_required() && !option->is_argument())
      line += " " + option->name() + " " + option->value_name();
  line += " [OPTIONS]";
  if (!command.commands().empty()) line += " COMMAND";
  for (const auto& option : command.options()) {
    if (!option->is_argument() || option->is_hidden()) continue;
    const std::string name = option->name() + (option->is_repeatable() ? "..." : "");
    line += option->is_required() ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

using Group = std::pair<std::string, std::string>;  // title and entries

// Arguments, the command's own options, its groups in the order they came, and what all share.
std::vector<Group> groups_of(const CommandLine& command) {
  std::vector<Group> groups{{"Arguments", ""}, {"Options", ""}};
  Group global{kGlobalGroup, ""};
  for (const auto& option : command.options()) {
    if (option->is_hidden()) continue;
    const std::string title = option->is_argument()     ? "Arguments"
                              : option->group().empty() ? "Options"
                                                        : option->group();
    Group* group = &global;
    if (title != kGlobalGroup) {
      auto found = std::ranges::find(groups, title, &Group::first);
      if (found == groups.end()) found = groups.insert(groups.end(), {title, ""});
      group = &*found;
    }
    group->second += entry(names_and_value(*option), full_text(*option));
  }
  groups.push_back(std::move(global));
  return groups;
}

}  // namespace

std::string help_text(const CommandLine& command) {
  std::string text = command.examples();
  if (!text.empty()) text += "\n";
  text += command.summary() + "\n\n" + usage_line(command);
  if (!command.commands().empty()) {
    text += "\nCommands:\n";
    for (const auto& child : command.commands()) text += entry(child->name(), child->summary());
  }
  for (const auto& [title, entries] : groups_of(command))
    if (!entries.empty()) text += "\n" + title + ":\n" + entries;
  return text;
}

std::string short_help(const CommandLine& command) {
  return command.examples() + "\n" + usage_line(command) + "Try '" + command.full_name() +
         " --help'.\n";
}

}  // namespace bloomery::cli
