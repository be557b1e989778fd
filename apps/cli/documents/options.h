// The options of dedup --documents.
#pragma once
#include "apps/cli/dedup/destination.h"
#include "apps/cli/dedup/seen_keys.h"
#include "apps/cli/documents/units.h"
#include "apps/cli/shell/command.h"

namespace bloomery::cli {

enum class InvalidText : std::uint8_t { kError, kReplace, kSkip };

struct DocumentOptions {
  bool enabled = false;  // --documents
  std::string text = "/text";
  UnitRules rules = {};
  std::optional<std::uint32_t> min_length = {};
  InvalidText invalid = InvalidText::kError;
  bool annotate = false;
  std::string attribute = "duplicates";
};

void add_document_options(CommandLine& app, DocumentOptions& options);
// Refuses every option of dedup that has no effect on documents, and completes the rules.
Status check_document_options(const CommandLine& app, DocumentOptions& options);

struct DocumentJob {
  DocumentOptions* documents = nullptr;
  const std::vector<std::string>* files = nullptr;
  SeenKeysOptions* seen = nullptr;
  RecordOptions* records = nullptr;
  const DestinationOptions* output = nullptr;
  bool count = false;
  bool strict = false;
  bool explain = false;  // print the plan, and read a sample only
  std::optional<std::uint64_t> stats_fd = {};
};
// One run of the command. Complains, and sets the session's exit code.
void dedup_documents(DocumentJob job, const CommandLine& app, Session& session);

}  // namespace bloomery::cli
