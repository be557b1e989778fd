#include "apps/cli/track/scan_json.h"

#include <nlohmann/json.hpp>

#include "apps/cli/shell/json.h"
#include "apps/cli/track/command.h"
#include "apps/tracker/scan/usage_view.h"
#include "bloomery/base/file.h"

namespace bloomery::cli {
namespace {

using tracker::FolderRecord;
using tracker::Usage;

void put_path(Json& json, const std::string& name, const std::string& path) {
  json[name] = path;
  if (is_utf8(path)) return;
  std::string digits;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  json[name + "_hex"] = digits;
}

Json time_json(std::int64_t unix_seconds) {
  return unix_seconds == tracker::kNoChange ? Json(nullptr) : Json(unix_seconds);
}

Json histogram(const Usage& usage) {
  auto rows = Json::array();
  for (std::size_t i = 0; i < tracker::kSizeClasses; ++i) {
    if (usage.sizes[i] == 0) continue;
    Json row{{"from", tracker::size_class_begin(i)}};
    row["below"] =
        i + 1 < tracker::kSizeClasses ? Json(tracker::size_class_begin(i + 1)) : Json(nullptr);
    row["objects"] = usage.sizes[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

Json folder_json(const std::string& path, const FolderRecord& folder) {
  Json json = Json::object();
  put_path(json, "path", path);
  json["folders"] = folder.folders;
  json["objects"] = folder.total.objects;
  json["bytes"] = folder.total.bytes;
  json["own_objects"] = folder.own.objects;
  json["own_bytes"] = folder.own.bytes;
  json["last_change_unix"] = time_json(folder.total.newest_unix);
  json["complete"] = !folder.due && !folder.due_below;
  json["histogram"] = histogram(folder.total);
  return json;
}

Json work_json(const tracker::ScanReport& report, double seconds) {
  const tracker::ScanCounts& counts = report.result.counts;
  return {{"seconds", seconds},
          {"read", counts.read},
          {"from_cache", counts.from_cache},
          {"changed", counts.changed},
          {"added", counts.added},
          {"swept", counts.swept},
          {"unmarked", counts.unmarked},
          {"unreadable", counts.unreadable},
          {"all_read_because",
           report.all_read_because.empty() ? Json(nullptr) : Json(report.all_read_because)}};
}

Json head_json(const tracker::ScanReport& report, double seconds) {
  const FolderRecord root = report.result.cache.root_record();
  Json json = Json::object();
  put_path(json, "root", report.target.root);
  json["cycle"] = text_of_cycle(report.cycle);
  json["saved_unix"] = report.result.cache.saved_unix;
  json["complete"] = report.result.complete && !root.due && !root.due_below;
  json["folders"] = root.folders;
  json["objects"] = root.total.objects;
  json["bytes"] = root.total.bytes;
  json["last_change_unix"] = time_json(root.total.newest_unix);
  json["histogram"] = histogram(root.total);
  json["scan"] = work_json(report, seconds);
  json["coverage"] = coverage_json(report.coverage);
  auto problems = Json::array();
  for (const tracker::ScanProblem& problem : report.result.problems) {
    Json row = Json::object();
    put_path(row, "path", problem.path);
    row["problem"] = problem.what;
    problems.push_back(std::move(row));
  }
  json["problems"] = std::move(problems);
  return json;
}

}  // namespace

Json coverage_json(const tracker::Coverage& coverage) {
  Json json{{"proven", coverage.proven()}, {"by", tracker::name_of(coverage.feed)}};
  json["process"] = coverage.process == 0 ? Json(nullptr) : Json(coverage.process);
  json["from"] = coverage.from.index == 0 ? Json(nullptr) : Json(text_of_cycle(coverage.from));
  json["reason"] = coverage.proven() ? Json(nullptr) : Json(coverage.gap);
  return json;
}

std::string root_in_usage(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  const auto bytes = read_file(file, {.max_bytes = kMostBytes});
  return bytes ? root_in(text_of(*bytes)) : std::string{};
}

std::string root_in(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("root")) return {};
  const auto& root = json.contains("root_hex") ? json["root_hex"] : json["root"];
  return root.is_string() ? root.get<std::string>() : std::string{};
}

// The rows are put in as text: a document of a million folders would need ten times the memory.
std::string scan_json(const tracker::ScanReport& report, const ScanJsonOptions& options) {
  std::string text = head_json(report, options.seconds).dump();
  text.pop_back();
  text += options.all ? ",\"all\":[" : ",\"largest\":[";
  bool first = true;
  const auto put = [&](const std::string& path, const FolderRecord& folder) {
    if (!first) text += ',';
    first = false;
    text += folder_json(path, folder).dump();
  };
  if (options.all) {
    (void)tracker::for_each_folder(
        report.result.cache,
        [&](std::string_view path, const FolderRecord& folder) { put(std::string{path}, folder); });
  } else {
    for (const auto& folder : tracker::largest_folders(report.result.cache, options.largest))
      put(folder.path, folder.record);
  }
  return text + "]}";
}

}  // namespace bloomery::cli
