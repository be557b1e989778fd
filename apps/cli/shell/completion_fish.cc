#include <sstream>

#include "apps/cli/shell/completion.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string words_of(const Offer& offer) {
  std::string words;
  for (const std::string& word : offer.words) words += (words.empty() ? "" : " ") + word;
  return words;
}

// True while this command, and none below it, has been typed.
std::string condition(const CompletedCommand& command) {
  std::string tests;
  for (std::size_t i = 1; i < command.path.size(); ++i)
    tests += (tests.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + command.path[i]);
  if (command.subcommands.empty()) return tests;
  std::string below;
  for (const CompletedCommand& child : command.subcommands) below += " " + child.name();
  return tests + (tests.empty() ? "" : "; and ") + "not __fish_seen_subcommand_from" + below;
}

void write_option(std::ostream& out, const std::string& begin, const CompletedOption& option) {
  out << begin;
  for (const std::string& name : option.names)
    out << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
  switch (option.value.kind) {
    case Offer::Kind::kNothing:
      break;
    case Offer::Kind::kFiles:
      out << " -r -F";
      break;
    case Offer::Kind::kOther:
      out << " -x";
      break;
    case Offer::Kind::kWords:
      out << " -x -a " << in_quotes(words_of(option.value));
      break;
  }
  out << " -d " << in_quotes(option.help) << '\n';
}

void write_fish_command(std::ostream& out, const CompletedCommand& command) {
  const std::string begin = "complete -c bloomery -n " + in_quotes(condition(command));
  if (!command.takes_files()) out << begin << " -f\n";
  for (const CompletedCommand& child : command.subcommands)
    out << begin << " -a " << child.name() << " -d " << in_quotes(child.help) << '\n';
  for (const Offer& argument : command.arguments)
    if (argument.kind == Offer::Kind::kWords)
      out << begin << " -a " << in_quotes(words_of(argument)) << '\n';
  for (const CompletedOption& option : command.options) write_option(out, begin, option);
  for (const CompletedCommand& child : command.subcommands) write_fish_command(out, child);
}

}  // namespace

std::string fish_completion(const CompletedCommand& program) {
  std::ostringstream out;
  throw_on_failure(out);
  out << "# fish completion of bloomery: bloomery completion fish\n";
  write_fish_command(out, program);
  return std::move(out).str();
}

}  // namespace bloomery::cli
