// The options, arguments and subcommands of one command, and the action that it runs. A command
// declares them; parse.h reads the command line by them, help.h and completion.h describe them.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/shell/callback.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

inline constexpr std::string_view kGlobalGroup = "Global options";

// An option (-o FILE, --output FILE), a flag (-q) or an argument (FILE). Setters return this.
class Option {
 public:
  // Takes the text of a value; an error is a usage error, reported after the option's name.
  using Store = Callback<Status(const std::string&)>;

  // Options are made by CommandLine only.
  Option(std::string_view names, Store store, std::string_view help, bool takes_value);

  Option* value_name(std::string_view name);  // in the help: FILE, N
  Option* help(std::string_view text);
  Option* group(std::string_view title);  // heading in the help; empty: "Options"
  Option* hide();                         // not in the help
  Option* required();
  Option* repeatable();                             // may be given several times
  Option* shows_default(std::string_view text);     // in the help
  Option* choices(std::vector<std::string> words);  // the only values
  Option* between(double least, double most);       // the only numbers
  // An empty value is refused: it is a variable that a script did not set. Values that are called
  // FILE, FILTER or DIR are refused without it.
  Option* not_empty();
  Option* needs(const Option* other);
  Option* excludes(Option* other);  // both ways
  // What to do instead, behind the sentence that refuses: with an excluded one, and given twice.
  Option* instead(std::string_view of_combining);
  Option* instead_of_twice(std::string_view text);

  bool given() const { return given_; }
  const std::string& name() const { return names_.back(); }  // the long one
  const std::vector<std::string>& names() const { return names_; }
  bool is_argument() const { return !names_.front().starts_with('-'); }
  bool takes_value() const { return takes_value_; }
  bool is_called(std::string_view name) const;
  const std::vector<std::string>& values() const { return values_; }  // as they were given
  const std::string& value_name() const { return value_name_; }
  const std::string& help() const { return help_; }
  const std::string& group() const { return group_; }
  const std::string& default_text() const { return default_; }
  const std::vector<std::string>& choices() const { return choices_; }
  const std::vector<const Option*>& needed() const { return needed_; }
  const std::vector<const Option*>& excluded() const { return excluded_; }
  const std::string& instead() const { return instead_; }
  const std::string& instead_of_twice() const { return instead_of_twice_; }
  bool is_hidden() const { return hidden_; }
  bool is_required() const { return required_; }
  bool is_repeatable() const { return repeatable_; }

  // For the parser: remembers a value, and later checks and stores all of them.
  void give(std::string value);
  void give_flag() { given_ = true; }
  Status store();

 private:
  Status check(const std::string& value) const;
  bool names_file() const;

  std::vector<std::string> names_;
  Store store_;
  std::string help_;
  std::string value_name_ = {};
  std::string group_ = {};
  std::string default_ = {};
  std::vector<std::string> choices_ = {};
  std::vector<const Option*> needed_ = {};
  std::vector<const Option*> excluded_ = {};
  std::vector<std::string> values_ = {};
  double least_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();
  bool takes_value_;
  bool not_empty_ = false;
  bool given_ = false;
  bool hidden_ = false;
  bool required_ = false;
  bool repeatable_ = false;
  std::string instead_ = {};
  std::string instead_of_twice_ = "give it once";
};

class CommandLine {
 public:
  CommandLine(std::string_view name, std::string_view summary) : name_{name}, summary_{summary} {}
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output" for an option, "FILE" for an argument. The target must outlive the
  // command; it keeps its value where the option is not given. Pointers stay valid.
  Option* add_flag(std::string_view names, bool& target, std::string_view help);
  Option* add_flag(std::string_view names, Callback<void()> action, std::string_view help);
  Option* add_option(std::string_view names, std::string& target, std::string_view help);
  Option* add_option(std::string_view names, std::optional<std::string>& target,
                     std::string_view help);
  Option* add_option(std::string_view names, double& target, std::string_view help);
  Option* add_option(std::string_view names, std::optional<double>& target, std::string_view help);
  Option* add_option(std::string_view names, Option::Store store, std::string_view help);
  // One value each time it is given; an argument takes all that are left.
  Option* add_list(std::string_view names, std::vector<std::string>& target, std::string_view help);
  // A whole number as people write it: 250, 10M, 4Gi.
  template <std::unsigned_integral Number>
  Option* add_count(std::string_view names, Number& target, std::string_view help) {
    return add_count(names, Callback<void(std::uint64_t)>{[&target](std::uint64_t value) {
                       target = static_cast<Number>(value);
                     }},
                     std::numeric_limits<Number>::max(), help);
  }
  template <std::unsigned_integral Number>
  Option* add_count(std::string_view names, std::optional<Number>& target, std::string_view help) {
    return add_count(names, Callback<void(std::uint64_t)>{[&target](std::uint64_t value) {
                       target = static_cast<Number>(value);
                     }},
                     std::numeric_limits<Number>::max(), help);
  }
  Option* add_count(std::string_view names, Callback<void(std::uint64_t)> use, std::uint64_t most,
                    std::string_view help);
  // Strictly between 0 and 1: 0.001, 0.1%, 1/1000.
  Option* add_probability(std::string_view names, std::optional<double>& target,
                          std::string_view help);

  CommandLine& add_command(std::string_view name, std::string_view summary);
  // The lines that the help begins with, each a command that works.
  void examples(std::string_view text) { examples_ = text; }
  // What must hold once everything is parsed; an error is a usage error.
  void check(Callback<Status()> condition) { checks_.push_back(std::move(condition)); }
  void action(Callback<void()> run) { action_ = std::move(run); }
  // What to say, after "unknown option", of one that people expect here.
  void hint(std::string_view option, std::string_view sentence) {
    hints_.emplace_back(option, sentence);
  }
  void accept_anything() { accepts_anything_ = true; }  // for a command that is not built

  const std::string& name() const { return name_; }
  std::string full_name() const;  // "bloomery track mark"
  const std::string& summary() const { return summary_; }
  const std::string& examples() const { return examples_; }
  CommandLine* parent() const { return parent_; }
  const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  const std::vector<std::unique_ptr<CommandLine>>& commands() const { return commands_; }
  CommandLine* find_command(std::string_view name) const;  // null: there is none
  Option* find_option(std::string_view name) const;        // by one of its names, with dashes
  bool accepts_any() const { return accepts_anything_; }
  std::string_view hint_for(std::string_view option) const;  // empty: there is none
  Status checked() const;
  void run() const;  // the action, where there is one

 private:
  Option* add(std::string_view names, Option::Store store, std::string_view help, bool takes_value);

  std::string name_;
  std::string summary_;
  std::string examples_ = {};
  CommandLine* parent_ = nullptr;
  std::vector<std::unique_ptr<Option>> options_ = {};
  std::vector<std::unique_ptr<CommandLine>> commands_ = {};
  std::vector<Callback<Status()>> checks_ = {};
  std::vector<std::pair<std::string, std::string>> hints_ = {};
  Callback<void()> action_ = {};
  bool accepts_anything_ = false;
};

}  // namespace bloomery::cli
