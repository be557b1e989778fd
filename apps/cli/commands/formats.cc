// bloomery formats: a table of the formats that the command reads and writes.
#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

// What a format's row of the library does not say: whose files they are, and which.
struct FormatNote {
  std::string_view name;
  std::string_view system;
  std::string_view files;
  bool answers_keys = true;  // `query` takes records; a tracker takes paths
};

constexpr FormatNote kNotes[] = {
    {"bloomery", "Bloomery", "*.bloom"},
    {"leveldb", "LevelDB", "one filter; *.ldb, *.sst"},
    {"leveldb:block", "LevelDB", "filter block of a table"},
    {"parquet", "Apache Parquet", "one filter; *.parquet"},
    {"bits-and-blooms:json", "bits-and-blooms/bloom (Go)", "MarshalJSON"},
    {"bits-and-blooms", "bits-and-blooms/bloom (Go)", "WriteTo"},
    {"bits-and-blooms:v2.0.0", "bits-and-blooms/bloom (Go)", "WriteTo of release 2.0.0"},
    {"dcso", "DCSO/bloom (Go)", "file of its command"},
    {"minio-tracker", "MinIO", ".tracker.bin", false},
    {"eventhorizon", "EventHorizon (C#)", "bit array"},
    {"eventhorizon:x64", "EventHorizon (C#)", "bit array, x64 hash"},
    {"guava", "Google Guava (Java)", "writeTo"},
    {"guava:mitz32", "Google Guava (Java)", "writeTo, 32-bit strategy"},
    {"redisbloom", "RedisBloom", "BF.SCANDUMP"},
    {"redisbloom:payload", "RedisBloom", "DUMP"},
    {"rediscuckoo", "RedisBloom (cuckoo)", "CF.SCANDUMP"},
    {"rediscuckoo:payload", "RedisBloom (cuckoo)", "DUMP"},
    {"go-bloom", "riobard/go-bloom (Go)", "bit array"},
    {"ethereum", "Ethereum", "logsBloom, 256 bytes"},
};

FormatNote note_of(const Format& format) {
  for (const FormatNote& note : kNotes)
    if (note.name == format.name) return note;
  return {format.name, "", ""};
}

int print_formats(const Session& session) {
  auto json = Json::array();
  std::vector<std::vector<std::string>> table{
      {"format", "system", "files", "recognised", "build", "query"}};
  const auto yes = [](bool value) { return std::string{value ? "yes" : "no"}; };
  for (const Format& format : formats()) {
    const FormatNote note = note_of(format);
    const bool recognized = format.looks_like != nullptr;
    json.push_back(Json{{"name", format.name},
                        {"system", note.system},
                        {"files", note.files},
                        {"recognized", recognized},
                        {"read", format.decode != nullptr},
                        {"write", format.encode != nullptr},
                        {"build", format.create != nullptr},
                        {"query", note.answers_keys}});
    table.push_back({std::string{format.name}, std::string{note.system}, std::string{note.files},
                     recognized ? "yes" : "--format", yes(format.create != nullptr),
                     note.answers_keys ? "yes" : "--path"});
  }
  if (session.globals.json) {
    std::cout << json.dump() << '\n';
    return kExitSuccess;
  }
  print_table(table, 3);
  std::cout
      << "\nFilters of every format are read and written; only those with yes under build are made "
         "from keys.\nSee 'bloomery help formats'.\n";
  return kExitSuccess;
}

}  // namespace

void attach_formats(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery formats                                   every format, and what it can do\n"
      "  bloomery formats --json | jq -r '.[] | select(.build) | .name'\n");
  subcommand.action([&session] { session.exit_code = print_formats(session); });
}

}  // namespace bloomery::cli
