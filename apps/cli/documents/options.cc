#include "apps/cli/documents/options.h"

#include <algorithm>
#include <array>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDocumentGroup = "Documents (with --documents)";
constexpr std::uint32_t kShortestPart = 20;

Unit unit_of(const std::string& name) {
  if (name == "paragraph") return Unit::kParagraph;
  if (name == "line") return Unit::kLine;
  return name == "ngram" ? Unit::kNgram : Unit::kDocument;
}

Status read_normalization(const std::string& list, Normalization& how) {
  if (list == "nfc" || list == "nfc,lower" || list == "lower,nfc") how.nfc = true;
  if (list == "lower" || list == "nfc,lower" || list == "lower,nfc") how.lower = true;
  if (how.nfc || how.lower) return ok();
  return Error{ErrorCode::kInvalidArgument, message("'", list, "' is not nfc, lower or nfc,lower")};
}

}  // namespace

void add_document_options(CommandLine& app, DocumentOptions& options) {
  const auto* documents =
      app.add_flag("--documents", options.enabled,
                   "Each record is a JSON document: remove what was seen before from its text, "
                   "and the document where nothing is left")
          ->group(kDocumentGroup);
  const auto own = [&](Option* option) { return option->group(kDocumentGroup)->needs(documents); };
  own(app.add_option("--text", options.text, "JSON Pointer of the text (default: /text)"))
      ->value_name("PTR");
  own(app.add_option("--unit", Option::Store{[&options](const std::string& name) {
                       options.rules.unit = unit_of(name);
                       return ok();
                     }},
                     "What is compared: document (default), paragraph (blank lines separate them), "
                     "line or ngram"))
      ->choices({"document", "paragraph", "line", "ngram"});
  own(app.add_count("--ngram", options.rules.ngram, "Words of an n-gram (default: 13)"))
      ->between(1, 1000)
      ->value_name("N");
  own(app.add_option("--within", Option::Store{[&options](const std::string& name) {
                       options.rules.within = unit_of(name);
                       return ok();
                     }},
                     "With --unit ngram: the part that n-grams lie in and that is removed as a "
                     "whole (default: paragraph)"))
      ->choices({"document", "paragraph", "line"});
  own(app.add_option("--threshold", options.rules.threshold,
                     "With --unit ngram: remove a part where at least this share of its n-grams "
                     "was seen before (default: 0.8)"))
      ->between(1e-9, 1)
      ->value_name("SHARE");
  own(app.add_count("--min-length", options.min_length,
                    "Keep parts of fewer characters, and do not remember them (default: 20; with "
                    "--unit document: 1)"))
      ->value_name("N");
  own(app.add_option("--normalize", Option::Store{[&options](const std::string& list) {
                       return read_normalization(list, options.rules.normalize);
                     }},
                     "Compare text in this form: nfc, lower or nfc,lower. The output keeps its "
                     "text"))
      ->value_name("FORMS");
  own(app.add_option("--invalid", Option::Store{[&options](const std::string& name) {
                       options.invalid = name == "replace" ? InvalidText::kReplace
                                         : name == "skip"  ? InvalidText::kSkip
                                                           : InvalidText::kError;
                       return ok();
                     }},
                     "Text that is not UTF-8, or has half of a surrogate pair: error (default), "
                     "replace (compare it as U+FFFD) or skip (print the document as it is)"))
      ->choices({"error", "replace", "skip"});
  auto* annotate = own(
      app.add_flag("--annotate", options.annotate,
                   "Print every document whole, with a member that lists the parts seen before: "
                   "spans [start, end, share], in code points of the text"));
  app.add_option("--attribute", options.attribute, "Name of that member (default: duplicates)")
      ->value_name("NAME")
      ->not_empty()
      ->group(kDocumentGroup)
      ->needs(annotate);
}

Status check_document_options(const CommandLine& app, DocumentOptions& options) {
  constexpr std::array<std::string_view, 6> kGroups{
      "Documents (with --documents)", "Sizing",      "Engine (format bloomery)",
      "Options of one format",        "Filter file", kGlobalGroup};
  constexpr std::array<std::string_view, 16> kNames{
      "--against",    "--against-format", "--save",     "--strict",   "--count", "--missing",
      "--decompress", "--lock-timeout",   "--output",   "--compress", "--force", "--recursive",
      "--glob",       "--records-file",   "--stats-fd", "--explain"};
  const auto refuse = [](std::string_view name, std::string_view why) {
    return Error{ErrorCode::kInvalidArgument,
                 message(name, " has no effect ", why, "; leave the option out")};
  };
  for (const auto& option : app.options()) {
    if (!option->given() || option->is_argument()) continue;
    const bool used = std::ranges::find(kGroups, option->group()) != kGroups.end() ||
                      std::ranges::find(kNames, option->name()) != kNames.end();
    if (!used) return refuse(option->name(), "with --documents");
  }
  if (options.rules.unit != Unit::kNgram)
    for (const char* name : {"--ngram", "--within", "--threshold"})
      if (app.find_option(name)->given()) return refuse(name, "without --unit ngram");
  const bool whole = options.rules.unit == Unit::kDocument;
  options.rules.min_length = options.min_length.value_or(whole ? 1 : kShortestPart);
  return ok();
}

}  // namespace bloomery::cli
