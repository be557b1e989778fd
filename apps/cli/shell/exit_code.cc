#include "apps/cli/shell/exit_code.h"

#include <iostream>
#include <string>
#include <utility>

#include "apps/cli/shell/color.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string located(std::string_view file, std::string_view sentence) {
  const std::string name{file}, shown = name_without_secrets(file);
  for (const std::string& known : {name, shown})
    if (!file.empty() && sentence.starts_with(known + ": "))
      return without_secrets(message(shown, sentence.substr(known.size())));
  // Also a file in the folder that is complained of.
  if (file.empty() || sentence.starts_with(name + "/")) return without_secrets(sentence);
  return without_secrets(message(shown, ": ", sentence));
}

bool warnings_are_silent = false;

}  // namespace

void silence_warnings() { warnings_are_silent = true; }

Error usage_error(std::string sentence) {
  return {ErrorCode::kInvalidArgument, std::move(sentence)};
}

int exit_code_of(ErrorCode code, Blame blame) {
  switch (code) {
    case ErrorCode::kIo:
      return kExitUsage;
    case ErrorCode::kTooLarge:
      return kExitRefused;
    case ErrorCode::kTruncated:
    case ErrorCode::kMalformed:
      return kExitBadFilter;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
      break;
  }
  return blame == Blame::kArguments ? kExitUsage : kExitBadFilter;
}

int complain(std::string_view sentence, int exit_code) { return complain("", sentence, exit_code); }

int complain(std::string_view file, std::string_view sentence, int exit_code) {
  std::cerr << "bloomery: " << in_red(located(file, sentence)) << '\n';
  return exit_code;
}

int complain(std::string_view file, const Error& error, Blame blame) {
  return complain(file, error.message, exit_code_of(error.code, blame));
}

void warn(std::string_view file, std::string_view sentence) {
  if (warnings_are_silent) return;
  std::cerr << "bloomery: " << in_yellow("warning: ") << located(file, sentence) << '\n';
}

}  // namespace bloomery::cli
