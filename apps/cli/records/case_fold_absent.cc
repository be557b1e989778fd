#include "apps/cli/records/case_fold.h"
#include "apps/cli/records/case_fold_ascii.h"

namespace bloomery::cli {

Status fold_case(std::string& text) {
  if (!fold_ascii(text)) return ok();
  return Error{ErrorCode::kUnsupported,
               "--ignore-case is not supported for text beyond ASCII in this build; build bloomery "
               "with utf8proc"};
}

std::string case_folding_version() { return "ASCII"; }

}  // namespace bloomery::cli
