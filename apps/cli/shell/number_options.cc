#include "apps/cli/shell/number_options.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

template <class Number, class Target, class Parse>
CLI::Option* add_number(CLI::App& app, const std::string& names, Target& value,
                        const std::string& help, Parse parse) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return app.add_option_function<std::string>(
      names,
      [name, &value, parse](const std::string& text) {
        const auto number = parse(text);
        if (!number) throw CLI::ValidationError(name, number.error().message);
        if (*number > std::numeric_limits<Number>::max())
          throw CLI::ValidationError(name, message(text, " is too large"));
        value = static_cast<Number>(*number);
      },
      help);
}

}  // namespace

CLI::Option* add_count_option(CLI::App& app, const std::string& names, std::uint64_t& value,
                              const std::string& help) {
  return add_number<std::uint64_t>(app, names, value, help, parse_count)->type_name("N");
}

CLI::Option* add_count_option(CLI::App& app, const std::string& names,
                              std::optional<std::uint64_t>& value, const std::string& help) {
  return add_number<std::uint64_t>(app, names, value, help, parse_count)->type_name("N");
}

CLI::Option* add_count_option(CLI::App& app, const std::string& names,
                              std::optional<std::uint32_t>& value, const std::string& help) {
  return add_number<std::uint32_t>(app, names, value, help, parse_count)->type_name("N");
}

CLI::Option* add_probability_option(CLI::App& app, const std::string& names,
                                    std::optional<double>& value, const std::string& help) {
  return add_number<double>(app, names, value, help, parse_probability)->type_name("P");
}

}  // namespace bloomery::cli
