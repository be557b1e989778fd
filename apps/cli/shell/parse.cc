#include "apps/cli/shell/parse.h"

#include "apps/cli/shell/near_miss.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::vector<std::string> option_names(const CommandLine& command) {
  std::vector<std::string> names;
  for (const auto& option : command.options())
    if (!option->is_argument() && !option->is_hidden())
      names.insert(names.end(), option->names().begin(), option->names().end());
  return names;
}

std::string unknown_option(const CommandLine& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  // -d, is -d with its value.
  const bool is_short = !name.starts_with("--");
  const std::string_view hint = command.hint_for(is_short ? name.substr(0, 2) : name);
  if (!hint.empty()) return message("unknown option ", name, "; ", hint);
  return message("unknown option ", name, suggestion(name, option_names(command)));
}

// Also a command of a group: `logs` is meant as `eth logs`.
std::string unknown_command(const CommandLine& command, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& child : command.commands()) names.push_back(child->name());
  std::string nearest = suggestion(word, names);
  for (const auto& child : command.commands())
    if (nearest.empty() && child->find_command(word) != nullptr)
      nearest = message("; did you mean `", child->name(), " ", word, "`?");
  return message("unknown command '", word, "'", nearest);
}

std::string unexpected_argument(const CommandLine& command, const std::string& word) {
  std::string names;
  std::size_t arguments = 0;
  for (const auto& option : command.options()) {
    if (!option->is_argument() || option->is_hidden()) continue;
    names += (names.empty() ? "" : " ") + option->name();
    ++arguments;
  }
  std::string takes;
  if (arguments == 1) takes = message("; ", command.name(), " takes one ", names, " at a time");
  if (arguments > 1) takes = message("; ", command.name(), " takes only ", names);
  return message("unexpected argument '", word, "'", takes);
}

std::string cannot_combine(const Option& one, const Option& other) {
  const std::string& instead = one.instead().empty() ? other.instead() : one.instead();
  return message(one.name(), " cannot be combined with ", other.name(), instead.empty() ? "" : "; ",
                 instead);
}

class Parser {
 public:
  Parser(CommandLine& program, std::span<const std::string> words)
      : command_{&program}, words_{words} {}

  ParsedLine parse() {
    while (at_ < words_.size() && error_.empty()) take(words_[at_++]);
    if (wants_help_) return {command_, ParsedLine::Request::kHelp};
    if (wants_version_) return {command_, ParsedLine::Request::kVersion};
    if (error_.empty()) store(command_);
    if (error_.empty()) check_presence();
    if (error_.empty() && !command_->accepts_any()) check_relations();
    return {command_, ParsedLine::Request::kRun, error_};
  }

 private:
  void take(const std::string& word) {
    if (!only_arguments_ && word == "--") {
      only_arguments_ = true;
    } else if (!only_arguments_ && word.starts_with("--")) {
      take_long(word);
    } else if (!only_arguments_ && word.size() > 1 && word.starts_with('-')) {
      take_short(word);
    } else {
      take_argument(word);
    }
  }

  void take_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    Option* option = command_->find_option(word.substr(0, equals));
    if (option == nullptr) return refuse(unknown_option(*command_, word));
    if (equals == std::string::npos) return take_value(*option);
    if (!option->takes_value()) return refuse(message(option->name(), " takes no value"));
    give(*option, word.substr(equals + 1));
  }

  // -vc is -v -c; -j4 is -j 4.
  void take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size() && error_.empty(); ++i) {
      Option* option = command_->find_option(std::string{'-', word[i]});
      if (option == nullptr)
        return refuse(unknown_option(*command_, i == 1 ? word : std::string{'-', word[i]}));
      if (option->takes_value() && i + 1 < word.size()) return give(*option, word.substr(i + 1));
      take_value(*option);
    }
  }

  void take_value(Option& option) {
    if (option.is_called("--help")) wants_help_ = true;
    if (option.is_called("--version")) wants_version_ = true;
    if (!option.takes_value()) return option.give_flag();
    if (at_ == words_.size())
      return refuse(
          message(option.name(), " needs a value: ", option.name(), " ", option.value_name()));
    give(option, words_[at_++]);
  }

  void give(Option& option, std::string value) {
    if (option.given() && !option.is_repeatable())
      return refuse(message(option.name(), " is given twice; ", option.instead_of_twice()));
    option.give(std::move(value));
  }

  void take_argument(const std::string& word) {
    if (!command_->commands().empty()) {
      CommandLine* child = command_->find_command(word);
      if (child == nullptr) return refuse(unknown_command(*command_, word));
      command_ = child;
      return;
    }
    for (const auto& option : command_->options())
      if (option->is_argument() && (!option->given() || option->is_repeatable()))
        return option->give(word);
    refuse(unexpected_argument(*command_, word));
  }

  void refuse(std::string sentence) {
    if (!command_->accepts_any()) error_ = std::move(sentence);
  }

  // Options before the name of a command belong to the program and hold for the command too.
  void store(CommandLine* command) {
    if (command->parent() != nullptr) store(command->parent());
    for (const auto& option : command->options())
      if (Status stored = option->store(); !stored && error_.empty())
        error_ = stored.error().message;
  }

  void check_presence() {
    if (!command_->commands().empty()) {
      error_ = command_->parent() == nullptr ? "no command is given"
                                             : message(command_->name(), " needs a command");
      return;
    }
    for (const auto& option : command_->options())
      if (option->is_required() && !option->given() && !command_->accepts_any()) {
        error_ = message(option->name(), " is required");
        return;
      }
  }

  void check_relations() {
    for (const auto& option : command_->options()) {
      if (!option->given()) continue;
      for (const Option* other : option->needed())
        if (!other->given()) return refuse(message(option->name(), " needs ", other->name()));
      for (const Option* other : option->excluded())
        if (other->given()) return refuse(cannot_combine(*option, *other));
    }
    if (const Status fits = command_->checked(); !fits) refuse(fits.error().message);
  }

  CommandLine* command_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  bool only_arguments_ = false;
  bool wants_help_ = false;
  bool wants_version_ = false;
  std::string error_ = {};
};

}  // namespace

ParsedLine parse(CommandLine& program, std::span<const std::string> words) {
  return Parser{program, words}.parse();
}

}  // namespace bloomery::cli
