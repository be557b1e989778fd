#include <sstream>

#include "apps/cli/shell/completion.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kHead = R"(# bash completion of bloomery: bloomery completion bash
_bloomery() {
  local current=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) prefix='' command=bloomery
  local i words='' options='' files=''
  # bash breaks words at ':' and '=': format names have the one, --option=value the other.
  if [[ $current == : ]]; then
    prefix=${COMP_WORDS[at]}: current='' at=$((at - 1))
  elif [[ ${COMP_WORDS[at]} == : ]]; then
    prefix=${COMP_WORDS[at - 1]}: at=$((at - 2))
  fi
  if [[ $current == = ]]; then
    current=''
  elif [[ ${COMP_WORDS[at]} == = ]]; then
    at=$((at - 1))
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
)";

constexpr std::string_view kTail = R"(  esac
  COMPREPLY=()
  if [[ $current == -* ]]; then words=$options files=''; fi
  local reply
  while IFS='' read -r reply; do COMPREPLY+=("$reply"); done < <(
    compgen -W "$words" -- "$prefix$current"
    [[ $files ]] && compgen -f -- "$prefix$current"
  )
  COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}
complete -o filenames -F _bloomery bloomery
)";

std::string space_joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

template <class Visit>
void for_each_command(const CompletedCommand& command, Visit visit) {
  visit(command);
  for (const CompletedCommand& child : command.subcommands) for_each_command(child, visit);
}

// After an option that takes a value, only values make sense.
void write_values(std::ostream& out, const CompletedCommand& command) {
  for (const CompletedOption& option : command.options) {
    if (option.value.kind == Offer::Kind::kNothing) continue;
    out << "    ";
    for (std::size_t i = 0; i < option.names.size(); ++i)
      out << (i == 0 ? "'" : " | '") << command.full_name() << ' ' << option.names[i] << "'";
    out << ")\n      words='" << space_joined(option.value.words) << "' files='"
        << (option.value.kind == Offer::Kind::kFiles ? "yes" : "") << "' ;;\n";
  }
}

void write_command(std::ostream& out, const CompletedCommand& command) {
  std::vector<std::string> words;
  std::vector<std::string> options;
  for (const CompletedCommand& child : command.subcommands) words.push_back(child.name());
  for (const Offer& argument : command.arguments)
    words.insert(words.end(), argument.words.begin(), argument.words.end());
  for (const CompletedOption& option : command.options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  out << "    '" << command.full_name() << " '*)\n      words='" << space_joined(words)
      << "'\n      options='" << space_joined(options) << "'\n      files='"
      << (command.takes_files() ? "yes" : "") << "' ;;\n";
}

}  // namespace

std::string bash_completion(const CompletedCommand& program) {
  std::ostringstream out;
  throw_on_failure(out);
  out << kHead;
  for_each_command(program, [&](const CompletedCommand& command) {
    if (command.path.size() > 1)
      out << "      '" << command.full_name() << "') command='" << command.full_name() << "' ;;\n";
  });
  out << "    esac\n  done\n  case \"$command ${COMP_WORDS[at]}\" in\n";
  for_each_command(program, [&](const CompletedCommand& command) { write_values(out, command); });
  // Deepest first: 'bloomery eth import' begins like 'bloomery' too.
  std::vector<const CompletedCommand*> commands;
  for_each_command(program, [&](const CompletedCommand& command) { commands.push_back(&command); });
  for (std::size_t i = commands.size(); i-- > 0;)
    if (commands[i]->path.size() > 1) write_command(out, *commands[i]);
  write_command(out, program);
  out << kTail;
  return std::move(out).str();
}

}  // namespace bloomery::cli
