// Keys that a saved filter of document units holds besides, so that it is never queried with
// other units than it was made with. They survive merge, fold and every format.
#pragma once
#include "apps/cli/documents/units.h"
#include "bloomery/base/bytes.h"

namespace bloomery::cli {

std::vector<std::string> signature_keys(const UnitRules& rules);
std::string rules_sentence(const UnitRules& rules);  // "--unit ngram --ngram 13"

}  // namespace bloomery::cli
