// The options that shape a new filter, and which formats they are for.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/shell/options.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {

struct NewFilterOptions {
  std::string format = "bloomery";
  CreateOptions create = {};
  std::string secret_file;
  bool fold_at_end = false;  // --auto: the number of keys is unknown
  // Which formats an option is for, so that one given in vain is refused rather than ignored.
  struct Limited {
    const Option* option;
    std::vector<std::string_view> families;
  };
  std::vector<Limited> limited = {};
  const Option* format_option = nullptr;  // --format, to know whether it was given
};

void add_new_filter_options(CommandLine& app, NewFilterOptions& options);
// --seeded and --auto: for commands that read all keys before the filter is queried.
void add_bulk_options(CommandLine& app, NewFilterOptions& options);

// The format that was asked for. Fails with a sentence for an unknown name, a format that cannot be
// made from keys, and an option that this format does not take. Reads the secret.
Result<const Format*> chosen_format(NewFilterOptions& options);

// Whether --format was given, and is not only the default.
bool format_is_given(const NewFilterOptions& options);

// "guava" of "guava:mitz32".
std::string_view family_of(std::string_view format);

}  // namespace bloomery::cli
