// Text without the difference of upper and lower case, for --ignore-case.
#pragma once
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Full case folding (status C and F of Unicode's CaseFolding.txt): "Straße" and "STRASSE" are one
// text. Bytes that are no UTF-8 stay as they are. kUnsupported for a text beyond ASCII in a build
// without utf8proc.
Status fold_case(std::string& text);

// "Unicode 15.0.0", by whose table fold_case goes; "ASCII" where the build has none.
std::string case_folding_version();

}  // namespace bloomery::cli
