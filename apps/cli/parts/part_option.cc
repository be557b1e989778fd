#include "apps/cli/parts/part_option.h"

#include <charconv>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

bool read_number(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

Result<bloomery::Part> parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  bloomery::Part part;
  if (slash == std::string_view::npos || !read_number(text.substr(0, slash), part.index) ||
      !read_number(text.substr(slash + 1), part.parts))
    return usage_error(message("'", text, "' is not a part; write i/N, such as 0/64 to 63/64"));
  auto valid = checked(part, kMaxBlocks);
  return valid ? valid : Result<bloomery::Part>{usage_error(valid.error().message)};
}

Option* add_part_option(CommandLine& app, std::optional<bloomery::Part>& part,
                        std::string_view help) {
  return app
      .add_option("--part", Option::Store{[&part](const std::string& text) {
                    const auto parsed = parse_part(text);
                    if (!parsed) return Status{parsed.error()};
                    part = *parsed;
                    return ok();
                  }},
                  help)
      ->value_name("I/N");
}

}  // namespace bloomery::cli
