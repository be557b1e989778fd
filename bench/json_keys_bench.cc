// CPU time to find the key of JSON lines: this project's reader, and parsers that it could use.
// Usage: json_keys_bench FILE POINTER-OF-A-TOP-LEVEL-MEMBER
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/records/json_keys.h"
#include "bloomery/funnel/json_key.h"
#ifdef BLOOMERY_HAS_SIMDJSON
#include <simdjson.h>
#endif

namespace {

using namespace bloomery;

std::vector<ByteView> lines_of(std::string_view text) {
  std::vector<ByteView> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(bytes_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Bytes of all keys, so that every way is seen to find the same.
template <class Run>
void measure(const char* name, std::size_t bytes, Run run) {
  double best = 1e9;
  std::size_t found = 0;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t start = std::clock();  // of the CPU: other programs matter less
    found = run();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("%s\t%.0f MB/s\t%zu bytes of keys\n", name, static_cast<double>(bytes) / best / 1e6,
              found);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file{argv[1], std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const std::size_t bytes = text.size();
  text.reserve(bytes + 64);  // the padding of simdjson
  const std::vector<ByteView> lines = lines_of(text);
  const std::string pointer = argv[2];
  const cli::JsonKeys keys = *cli::JsonKeys::parse(pointer);
  cli::JsonKeys::Values values;
  measure("bloomery", bytes, [&] {
    std::size_t found = 0;
    std::string key;
    for (const ByteView line : lines) {
      key.clear();
      if (!keys.find(text_of(line), values) || !cli::append_json_text(*values[0], 0, key))
        std::abort();
      found += key.size();
    }
    return found;
  });
  measure("bloomery, typed", bytes, [&] {
    std::size_t found = 0;
    ByteSink sink;
    for (const ByteView line : lines) {
      sink.reset();
      if (!keys.find(text_of(line), values) || !put_json_key(*values[0], sink)) std::abort();
      found += sink.size();
    }
    return found;
  });
  measure("nlohmann, DOM", bytes, [&] {
    const nlohmann::json::json_pointer place{pointer};
    std::size_t found = 0;
    for (const ByteView line : lines)
      found += nlohmann::json::parse(text_of(line)).at(place).get_ref<const std::string&>().size();
    return found;
  });
#ifdef BLOOMERY_HAS_SIMDJSON
  measure("simdjson, DOM", bytes, [&] {
    simdjson::dom::parser parser;
    std::size_t found = 0;
    for (const ByteView line : lines) {
      const std::string_view record = text_of(line);
      const std::string_view key =
          parser.parse(record.data(), record.size(), false).at_pointer(pointer);
      found += key.size();
    }
    return found;
  });
  measure("simdjson, On Demand", bytes, [&] {
    simdjson::ondemand::parser parser;
    std::size_t found = 0;
    for (const ByteView line : lines) {
      const std::string_view record = text_of(line);
      auto document = parser.iterate(record.data(), record.size(), record.size() + 64);
      const std::string_view key = document.at_pointer(pointer).get_string();
      found += key.size();
    }
    return found;
  });
  // What strict keys need: every byte checked, the raw text of the value, and padding.
  measure("simdjson, DOM to check and On Demand for the text", bytes, [&] {
    simdjson::dom::parser checker;
    simdjson::ondemand::parser parser;
    std::string padded;
    std::size_t found = 0;
    for (const ByteView line : lines) {
      const std::string_view record = text_of(line);
      padded.assign(record);
      padded.append(simdjson::SIMDJSON_PADDING, ' ');
      if (checker.parse(padded.data(), record.size(), false).error()) std::abort();
      auto document = parser.iterate(padded.data(), record.size(), padded.size());
      const std::string_view key = document.at_pointer(pointer).raw_json_token();
      found += key.size() - 2;
    }
    return found;
  });
#endif
  return 0;
}
