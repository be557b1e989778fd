#include <sstream>

#include "apps/cli/shell/completion.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// Text inside single quotes, inside the brackets and colons of _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string action(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::kNothing:
      return "";
    case Offer::Kind::kFiles:
      return ":" + zsh_escaped(offer.what) + ":_files";
    case Offer::Kind::kOther:
      return ":" + zsh_escaped(offer.what) + ":";
    case Offer::Kind::kWords:
      break;
  }
  std::string words;
  for (const std::string& word : offer.words)
    words += (words.empty() ? "" : " ") + zsh_escaped(word);
  return ":" + zsh_escaped(offer.what) + ":(" + words + ")";
}

void write_option(std::ostream& out, const CompletedOption& option) {
  const std::string rest = "[" + zsh_escaped(option.help) + "]" + action(option.value);
  std::string all;
  for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
  for (const std::string& name : option.names) {
    const bool takes_value = option.value.kind != Offer::Kind::kNothing;
    const std::string ending = !takes_value ? "" : name.starts_with("--") ? "=" : "+";
    out << " \\\n    '(" << all << ")" << name << ending << rest << "'";
  }
}

std::string function_name(const CompletedCommand& command) {
  std::string name;
  for (const std::string& word : command.path) name += "_" + word;
  return name;
}

void write_function(std::ostream& out, const CompletedCommand& command) {
  out << function_name(command) << "() {\n";
  if (!command.subcommands.empty()) out << "  local line state\n";
  out << "  _arguments -s" << (command.subcommands.empty() ? "" : " -C");
  for (const CompletedOption& option : command.options) write_option(out, option);
  if (command.subcommands.empty()) {
    // The last argument may be repeated, as FILE... is.
    for (std::size_t i = 0; i < command.arguments.size(); ++i)
      out << " \\\n    '" << (i + 1 == command.arguments.size() ? "*" : std::to_string(i + 1))
          << action(command.arguments[i]) << "'";
    out << "\n}\n\n";
    return;
  }
  out << " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n"
      << "  case $state in\n  command)\n    local -a commands=(\n";
  for (const CompletedCommand& child : command.subcommands)
    out << "      '" << child.name() << ":" << zsh_escaped(child.help) << "'\n";
  out << "    )\n    _describe command commands ;;\n  argument)\n    case $line[1] in\n";
  for (const CompletedCommand& child : command.subcommands)
    out << "    " << child.name() << ") " << function_name(child) << " ;;\n";
  out << "    esac ;;\n  esac\n}\n\n";
  for (const CompletedCommand& child : command.subcommands) write_function(out, child);
}

}  // namespace

std::string zsh_completion(const CompletedCommand& program) {
  std::ostringstream out;
  throw_on_failure(out);
  out << "#compdef bloomery\n# zsh completion of bloomery: bloomery completion zsh\n\n";
  write_function(out, program);
  // Works as a file of $fpath, and when sourced.
  out << "if [ \"$funcstack[1]\" = \"_bloomery\" ]; then\n  _bloomery \"$@\"\nelse\n"
      << "  compdef _bloomery bloomery\nfi\n";
  return std::move(out).str();
}

}  // namespace bloomery::cli
