// bloomery join: the parts of a filter become one file, or get a manifest.
#include "bloomery/formats/set/join.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/redis_client.h"

namespace bloomery::cli {
namespace {

struct JoinOptions {
  std::vector<std::string> files;
  OutputOptions output;
  FormatOptions format;
  bool manifest = false;
};

// The parts by the names that were given; for a manifest by those that it will have.
Result<SetManifest> manifest_of_files(const JoinOptions& options) {
  std::vector<PartHeader> parts;
  const auto folder = std::filesystem::path{options.output.path}.parent_path();
  for (const std::string& path : options.files) {
    const auto header = options.manifest ? read_verified_part_header(path) : read_part_header(path);
    if (!header) return header.error();
    std::string name = path;
    if (options.manifest)
      name =
          std::filesystem::path{path}.lexically_proximate(folder.empty() ? "." : folder).string();
    parts.push_back({name, *header});
  }
  return manifest_of(std::move(parts));
}

std::optional<FilterSet> open_parts(const JoinOptions& options, Session& session) {
  if (options.files.size() == 1 && is_filter_set(options.files.front()))
    return open_set(options.files.front(), options.format, session);
  const auto decode = decode_options(options.format, session);
  if (!decode) return std::nullopt;
  auto manifest = manifest_of_files(options);
  auto set = manifest ? FilterSet::open(std::move(*manifest), part_folder(""), decode->sip_key)
                      : Result<FilterSet>{manifest.error()};
  if (set) return std::move(*set);
  session.exit_code = complain_of_filter("", set.error());
  return std::nullopt;
}

int write_manifest(const JoinOptions& options, Session& session) {
  for (const std::string& path : options.files)
    if (is_filter_set(path))
      return complain(path, "--manifest takes the files of parts, and this is a manifest",
                      kExitUsage);
  const auto manifest = manifest_of_files(options);
  if (!manifest) return complain_of_filter("", manifest.error());
  if (auto saved = save_manifest(*manifest, options.output.path, &session.locked.lock); !saved)
    return complain(options.output.path, saved.error(), Blame::kArguments);
  if (!session.globals.quiet)
    std::cerr << "bloomery: " << options.output.path << ": the manifest of "
              << counted(manifest->count(), "part") << " with "
              << format_bytes(manifest->whole.body_bytes) << '\n';
  return kExitSuccess;
}

int run_join(const JoinOptions& options, Session& session) {
  if (options.output.path == "-" || is_redis_address(options.output.path))
    return complain(options.output.path, "parts are joined into a file", kExitUsage);
  if (!may_write(options.output, session)) return session.exit_code;
  if (!lock_to_write(options.output.path, options.output.force, session)) return session.exit_code;
  if (options.manifest) return write_manifest(options, session);
  const auto set = open_parts(options, session);
  if (!set) return session.exit_code;
  if (auto joined = join_set(*set, options.output.path, &session.locked.lock); !joined)
    return complain_of_filter(options.files.size() == 1 ? options.files.front() : "",
                              joined.error());
  if (!session.globals.quiet)
    std::cerr << "bloomery: " << options.output.path << ": joined " << counted(set->parts(), "part")
              << " with " << format_bytes(set->manifest().whole.body_bytes) << '\n';
  return kExitSuccess;
}

}  // namespace

void attach_join(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery join -o seen.bloom seen.bloomset              one file of a manifest's parts\n"
      "  bloomery join -o seen.bloom seen.*-of-64.bloom         of parts without a manifest\n"
      "  bloomery join --manifest -o seen.bloomset seen.*-of-64.bloom   a manifest of them\n");
  auto options = std::make_shared<JoinOptions>();
  subcommand.add_list("FILE", options->files, "A manifest (.bloomset), or the files of all parts")
      ->required();
  add_output_options(subcommand, options->output, session.globals);
  subcommand.find_option("--output")->help("The file to write");
  subcommand.add_flag("--manifest", options->manifest,
                      "Write a manifest that names the parts, with their sizes and checksums, "
                      "instead of one filter; the parts lie in its folder or below it");
  add_format_name_options(subcommand, options->format);
  subcommand.action([options, &session] { session.exit_code = run_join(*options, session); });
}

}  // namespace bloomery::cli
