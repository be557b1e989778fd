#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/formats/native/part_file.h"

namespace bloomery::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  FormatOptions format;
};

// Decoding is verifying: a filter that exists is valid.
// Every part is read, and every one that is wrong is named.
Json verify_set(const std::string& file, const VerifyOptions& options, Session& session) {
  session.exit_code = kExitSuccess;
  const auto set = open_set(file, options.format, session);
  for (std::uint32_t i = 0; set && i < set->parts(); ++i)
    if (auto valid = set->verify_part(i); !valid)
      session.exit_code = complain_of_filter(file, valid.error());
  const std::string shown = name_without_secrets(file);
  const bool is_ok = session.exit_code == kExitSuccess;
  if (is_ok && !session.globals.json)
    std::cout << shown << ": ok (bloomery-set, checksums of the manifest and of "
              << format_count(set->parts()) << (set->parts() == 1 ? " part)\n" : " parts)\n");
  return {{"file", shown},
          {"ok", is_ok},
          {"format", set ? Json("bloomery-set") : Json(nullptr)},
          {"checksum", is_ok ? Json("ok") : Json(nullptr)}};
}

// Decoding is verifying; that it belongs to other parts, only their manifest says.
Json verify_part(const std::string& file, const VerifyOptions& options, Session& session) {
  session.exit_code = kExitSuccess;
  Json result{{"file", file}, {"ok", false}, {"format", nullptr}, {"checksum", nullptr}};
  const auto decode = decode_options(options.format, session);
  if (!decode) return result;
  const auto part = load_native_part(file, *decode);
  if (!part) {
    session.exit_code = complain_of_filter(file, part.error());
    return result;
  }
  const auto [index, parts] = part->filter.part();
  if (!session.globals.json)
    std::cout << file << ": ok (bloomery, part " << index << " of " << parts
              << " of a filter, checksum and structure)\n";
  return {{"file", file}, {"ok", true}, {"format", "bloomery"}, {"checksum", "ok"}};
}

Json verify_one(const std::string& file, const VerifyOptions& options, Session& session) {
  if (options.format.format == "auto" && is_filter_set(file))
    return verify_set(file, options, session);
  if (is_part_file(file)) return verify_part(file, options, session);
  session.exit_code = kExitSuccess;
  const auto opened = open_filter(file, options.format, session);
  const std::string shown = name_without_secrets(file);
  if (!opened) return {{"file", shown}, {"ok", false}, {"format", nullptr}, {"checksum", nullptr}};
  const Description description = describe(opened->filter);
  if (!session.globals.json)
    std::cout << shown << ": ok (" << opened->format->name
              << (has_verified_checksum(*opened, description) ? ", checksum and structure)\n"
                  : was_left_open(opened->filter) ? ", structure; it was left open for writing)\n"
                                                  : ", structure; this format has no checksum)\n");
  return {{"file", shown},
          {"ok", true},
          {"format", opened->format->name},
          {"checksum", description.has_checksum ? "ok" : "none"}};
}

int verify(const VerifyOptions& options, Session& session) {
  int worst = kExitSuccess;
  auto results = Json::array();
  for (const std::string& file : options.files) {
    results.push_back(verify_one(file, options, session));
    worst = std::max(worst, session.exit_code);
  }
  if (session.globals.json) std::cout << results.dump() << '\n';
  return worst;
}

}  // namespace

void attach_verify(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery verify seen.bloom                 exit 3 if it is damaged\n"
      "  bloomery verify *.bloom > /dev/null && deploy\n"
      "  bloomery verify --format leveldb filter.bin\n"
      "  bloomery verify seen.bloomset              all parts of a filter, each that is wrong\n");
  auto options = std::make_shared<VerifyOptions>();
  subcommand.add_list("FILE", options->files, "The filter files")->required();
  add_format_options(subcommand, options->format);
  subcommand.action([options, &session] { session.exit_code = verify(*options, session); });
}

}  // namespace bloomery::cli
