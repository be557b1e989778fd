// bloomery split: a filter becomes parts, or records go to the parts that their keys belong to.
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/parts/route.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/formats/set/join.h"

namespace bloomery::cli {
namespace {

struct SplitOptions {
  std::vector<std::string> files;
  std::uint32_t parts = 0;
  std::string folder;
  std::string name;
  std::string filter;  // empty: records are routed
  bool force = false;
  NewFilterOptions shape;
  RecordOptions records;
};

int cut(const SplitOptions& options, const std::string& name, Session& session) {
  const auto decode = decode_options({.secret_file = options.shape.secret_file}, session);
  if (!decode) return session.exit_code;
  const std::string manifest_path =
      (std::filesystem::path{options.folder} / (name + ".bloomset")).string();
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(manifest_path, ignored))
    return complain(manifest_path, "the file exists; --force replaces it", kExitUsage);
  const auto manifest = cut_filter(options.filter, options.parts, options.folder, name, *decode);
  if (!manifest) return complain_of_filter(options.filter, manifest.error());
  if (auto saved = save_manifest(*manifest, manifest_path); !saved)
    return complain(manifest_path, saved.error(), Blame::kArguments);
  if (!session.globals.quiet)
    std::cerr << "bloomery: " << manifest_path << ": " << counted(options.parts, "part")
              << " of at most " << format_bytes(manifest->parts.back().bytes) << '\n';
  return kExitSuccess;
}

int run_split(SplitOptions& options, const CommandLine& app, Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  if (options.parts == 0 || options.parts > kMaxParts)
    return stop(usage_error(message("--parts: a filter has 1 to ", kMaxParts, " parts")));
  if (options.name.find('/') != std::string::npos)
    return stop(usage_error("--name is the beginning of file names, without a folder"));
  if (!options.filter.empty() && !options.files.empty())
    return stop(
        usage_error("split cuts a filter (--filter) or routes records: leave the files or "
                    "--filter out"));
  if (options.filter.empty() && lacks_input(options.files, options.records, app, session))
    return session.exit_code;
  std::error_code failed;
  std::filesystem::create_directory(options.folder, failed);
  if (!std::filesystem::is_directory(options.folder, failed))
    return complain(options.folder, "cannot write: there is no such folder, and it cannot be made",
                    kExitUsage);
  if (!options.filter.empty()) {
    const std::string stem = std::filesystem::path{options.filter}.stem().string();
    return cut(options, options.name.empty() ? stem : options.name, session);
  }
  if (auto fits = check_funnel(options.records, options.shape.format); !fits)
    return stop(fits.error());
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  return route_records({options.parts, options.shape, options.records, *inputs, options.folder,
                        options.name.empty() ? "records" : options.name, options.force},
                       session);
}

}  // namespace

void attach_split(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery split --parts 64 -n 1G -o routed urls.txt   routed/records.00-of-64, ...\n"
      "  bloomery build --part 3/64 -n 1G -o seen.03-of-64.bloom routed/records.03-of-64\n"
      "  bloomery split --parts 8 --filter seen.bloom -o parts   a filter, and its manifest\n");
  auto options = std::make_shared<SplitOptions>();
  add_record_files(subcommand, options->files);
  constexpr const char* kGroup = "Parts";
  subcommand.add_count("--parts", options->parts, "Number of parts")
      ->required()
      ->value_name("N")
      ->group(kGroup);
  subcommand
      .add_option("-o,--output", options->folder, "Folder for the files; made if it is not there")
      ->required()
      ->value_name("FOLDER")
      ->group(kGroup);
  subcommand
      .add_option("--filter", options->filter,
                  "Cut this block or lines filter into parts, with a manifest NAME.bloomset, "
                  "instead of routing records")
      ->value_name("FILE")
      ->group(kGroup);
  subcommand
      .add_option("--name", options->name,
                  "Names of the files: NAME.03-of-64 (default: records; with --filter the name of "
                  "its file, and .bloom at the end)")
      ->value_name("NAME")
      ->group(kGroup);
  subcommand.add_flag("-F,--force", options->force, "Replace files that exist")->group(kGroup);
  add_record_options(subcommand, options->records);
  options->records.prints_rows = true;
  add_new_filter_options(subcommand, options->shape);
  add_bulk_options(subcommand, options->shape);
  subcommand.action([options, &subcommand, &session] {
    session.exit_code = run_split(*options, subcommand, session);
  });
}

}  // namespace bloomery::cli
