#include "apps/cli/shell/options.h"

#include <algorithm>
#include <array>

#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = names.find(',');
    parts.emplace_back(names.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    names.remove_prefix(comma + 1);
  }
}

// "or and", "bash, zsh or fish".
std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return list;
}

template <class Target>
auto text_into(Target& target) {
  return [&target](const std::string& text) {
    target = text;
    return ok();
  };
}

template <class Target>
auto number_into(Target& target) {
  return [&target](const std::string& text) -> Status {
    const auto number = parse_decimal(text);
    if (!number) return number.error();
    target = *number;
    return ok();
  };
}

}  // namespace

Option::Option(std::string_view names, Store store, std::string_view help, bool takes_value)
    : names_{split_names(names)}, store_{std::move(store)}, help_{help}, takes_value_{takes_value} {
  if (takes_value && !is_argument()) value_name_ = "TEXT";
}

Option* Option::value_name(std::string_view name) {
  value_name_ = name;
  return this;
}
Option* Option::help(std::string_view text) {
  help_ = text;
  return this;
}
Option* Option::group(std::string_view title) {
  group_ = title;
  return this;
}
Option* Option::hide() {
  hidden_ = true;
  return this;
}
Option* Option::required() {
  required_ = true;
  return this;
}
Option* Option::repeatable() {
  repeatable_ = true;
  return this;
}
Option* Option::shows_default(std::string_view text) {
  default_ = text;
  return this;
}
Option* Option::choices(std::vector<std::string> words) {
  choices_ = std::move(words);
  value_name_.clear();
  for (const std::string& word : choices_) value_name_ += (value_name_.empty() ? "" : "|") + word;
  return this;
}
Option* Option::between(double least, double most) {
  least_ = least;
  most_ = most;
  return this;
}
Option* Option::not_empty() {
  not_empty_ = true;
  return this;
}
Option* Option::needs(const Option* other) {
  needed_.push_back(other);
  return this;
}
Option* Option::excludes(Option* other) {
  excluded_.push_back(other);
  other->excluded_.push_back(this);
  return this;
}
Option* Option::instead(std::string_view of_combining) {
  instead_ = of_combining;
  return this;
}
Option* Option::instead_of_twice(std::string_view text) {
  instead_of_twice_ = text;
  return this;
}

bool Option::is_called(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

void Option::give(std::string value) {
  given_ = true;
  values_.push_back(std::move(value));
}

bool Option::names_file() const {
  constexpr std::array<std::string_view, 3> kFiles{"DIR", "FILE", "FILTER"};
  return std::ranges::find(kFiles, is_argument() ? name() : value_name_) != kFiles.end();
}

Status Option::check(const std::string& value) const {
  if (value.empty() && (not_empty_ || names_file())) return usage_error("the name is empty");
  if (!choices_.empty() && std::ranges::find(choices_, value) == choices_.end())
    return usage_error(message("'", value, "' is not one of ", listed(choices_)));
  if (least_ <= most_ && (least_ > -1e300 || most_ < 1e300)) {
    const auto number = parse_decimal(value);
    if (!number || *number < least_ || *number > most_)
      return usage_error(message("'", value, "' is not a number from ", least_, " to ", most_));
  }
  return ok();
}

Status Option::store() {
  if (!given_) return ok();
  if (!takes_value_) return store_({});
  for (const std::string& value : values_) {
    Status done = check(value);
    if (done) done = store_(value);
    if (!done) return usage_error(message(name(), ": ", done.error().message));
  }
  return ok();
}

Option* CommandLine::add(std::string_view names, Option::Store store, std::string_view help,
                         bool takes_value) {
  options_.push_back(std::make_unique<Option>(names, std::move(store), help, takes_value));
  return options_.back().get();
}

Option* CommandLine::add_flag(std::string_view names, bool& target, std::string_view help) {
  return add(
      names,
      [&target](const std::string&) {
        target = true;
        return ok();
      },
      help, false);
}

Option* CommandLine::add_flag(std::string_view names, Callback<void()> action,
                              std::string_view help) {
  return add(
      names,
      [action = std::move(action)](const std::string&) {
        action();
        return ok();
      },
      help, false);
}

Option* CommandLine::add_option(std::string_view names, Option::Store store,
                                std::string_view help) {
  return add(names, std::move(store), help, true);
}

Option* CommandLine::add_option(std::string_view names, std::string& target,
                                std::string_view help) {
  return add(names, text_into(target), help, true);
}

Option* CommandLine::add_option(std::string_view names, std::optional<std::string>& target,
                                std::string_view help) {
  return add(names, text_into(target), help, true);
}

Option* CommandLine::add_option(std::string_view names, double& target, std::string_view help) {
  return add(names, number_into(target), help, true);
}

Option* CommandLine::add_option(std::string_view names, std::optional<double>& target,
                                std::string_view help) {
  return add(names, number_into(target), help, true);
}

Option* CommandLine::add_list(std::string_view names, std::vector<std::string>& target,
                              std::string_view help) {
  Option* option = add(
      names,
      [&target](const std::string& text) {
        target.push_back(text);
        return ok();
      },
      help, true);
  return option->repeatable();
}

Option* CommandLine::add_count(std::string_view names, Callback<void(std::uint64_t)> use,
                               std::uint64_t most, std::string_view help) {
  Option* option = add(
      names,
      [use = std::move(use), most](const std::string& text) -> Status {
        const auto number = parse_count(text);
        if (!number) return number.error();
        if (*number > most) return usage_error(message("'", text, "' is too large"));
        use(*number);
        return ok();
      },
      help, true);
  return option->value_name("N");
}

Option* CommandLine::add_probability(std::string_view names, std::optional<double>& target,
                                     std::string_view help) {
  Option* option = add(
      names,
      [&target](const std::string& text) -> Status {
        const auto number = parse_probability(text);
        if (!number) return number.error();
        target = *number;
        return ok();
      },
      help, true);
  return option->value_name("P");
}

CommandLine& CommandLine::add_command(std::string_view name, std::string_view summary) {
  commands_.push_back(std::make_unique<CommandLine>(name, summary));
  commands_.back()->parent_ = this;
  return *commands_.back();
}

std::string CommandLine::full_name() const {
  return parent_ == nullptr ? name_ : parent_->full_name() + " " + name_;
}

CommandLine* CommandLine::find_command(std::string_view name) const {
  const auto found =
      std::ranges::find_if(commands_, [&](const auto& command) { return command->name() == name; });
  return found == commands_.end() ? nullptr : found->get();
}

Option* CommandLine::find_option(std::string_view name) const {
  const auto found =
      std::ranges::find_if(options_, [&](const auto& option) { return option->is_called(name); });
  return found == options_.end() ? nullptr : found->get();
}

std::string_view CommandLine::hint_for(std::string_view option) const {
  const auto found = std::ranges::find(hints_, option, &std::pair<std::string, std::string>::first);
  return found == hints_.end() ? std::string_view{} : std::string_view{found->second};
}

Status CommandLine::checked() const {
  for (const auto& condition : checks_)
    if (Status fits = condition(); !fits) return fits;
  return ok();
}

void CommandLine::run() const {
  if (action_) action_();
}

}  // namespace bloomery::cli
