#include "apps/cli/shell/help.h"

#include <CLI/CLI.hpp>

namespace bloomery::cli {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }

  // CLI11 keeps a footer for every app; here it holds the examples and comes first.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
    return app->get_footer() + "\n" + make_description(app) + make_usage(app, full_name(*app)) +
           make_positionals(app) + make_groups(app, mode) + make_subcommands(app, mode);
  }
};

}  // namespace

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

void set_examples(CLI::App& app, std::string examples) { app.footer(std::move(examples)); }

std::string short_help(const CLI::App& app) {
  const HelpFormatter formatter;
  return app.get_footer() + "\n" + formatter.make_usage(&app, full_name(app)) + "Try '" +
         full_name(app) + " --help'.\n";
}

}  // namespace bloomery::cli
