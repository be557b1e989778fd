// Any bytes as a JSON record: the reader agrees with another parser on what is JSON, and keys do
// not depend on how a value is written.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/cli/records/json_keys.h"
#include "bloomery/funnel/json_key.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery;
using bloomery::fuzz::require;

std::string typed(std::string_view text, bool& good) {
  ByteSink sink;
  good = put_json_key(text, sink).has_value();
  return std::string{text_of(sink.bytes())};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view record{reinterpret_cast<const char*>(data), size};
  static const cli::JsonKeys kKeys = *cli::JsonKeys::parse("/id,/a/0,/a/b~2c");
  cli::JsonKeys::Values values;
  const bool is_json = kKeys.find(record, values).has_value();
  bool good = false;
  const std::string key = typed(record, good);
  JsonReader reader{record};
  const bool skipped = reader.skip_value() && reader.end();
  if (good) require(skipped);
  // A member on the way may occur twice, which only the search and the key refuse.
  if (is_json && record.find_first_not_of(" \t\r\n") != std::string_view::npos) require(skipped);
  if (skipped) {
    // The other parser knows no numbers beyond a double, and takes a NUL for the end.
    const auto other = nlohmann::json::parse(record, nullptr, false);
    const bool may_be_large = record.find_first_of("eE") != std::string_view::npos || size > 300;
    require(!other.is_discarded() || may_be_large);
    if (good && !other.is_discarded() && key.find('d') == std::string::npos) {
      bool again = false;
      require(typed(other.dump(), again) == key && again);
    }
  } else if (record.find('\0') == std::string_view::npos &&
             reader.error().message.starts_with("it is not JSON")) {
    require(nlohmann::json::parse(record, nullptr, false).is_discarded() ||
            record.starts_with("\xef\xbb\xbf"));
  }
  if (!is_json) return 0;
  for (const auto& value : values) {
    if (!value) continue;
    bool part_good = false;
    (void)typed(*value, part_good);
    std::string text;
    const auto offset = static_cast<std::size_t>(value->data() - record.data());
    const auto appended = cli::append_json_text(*value, offset, text);
    // Texts of scalars always are; of containers, where no member occurs twice.
    require(appended.has_value() || value->front() == '{' || value->front() == '[');
  }
  return 0;
}
