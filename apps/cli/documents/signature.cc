#include "apps/cli/documents/signature.h"

#include "bloomery/base/message.h"

namespace bloomery::cli {

std::string rules_sentence(const UnitRules& rules) {
  std::string words = "--unit ";
  switch (rules.unit) {
    case Unit::kDocument:
      words += "document";
      break;
    case Unit::kParagraph:
      words += "paragraph";
      break;
    case Unit::kLine:
      words += "line";
      break;
    case Unit::kNgram:
      words += message("ngram --ngram ", rules.ngram);
  }
  const auto [nfc, lower] = rules.normalize;
  if (nfc || lower) words += " --normalize ";
  return words + (nfc && lower ? "nfc,lower" : nfc ? "nfc" : lower ? "lower" : "");
}

std::vector<std::string> signature_keys(const UnitRules& rules) {
  constexpr int kKeys = 8;  // all of them by chance: the false-positive rate to this power
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i)
    keys.push_back(
        message(std::string_view{"\0bloomery documents 1 ", 22}, rules_sentence(rules), " ", i));
  return keys;
}

}  // namespace bloomery::cli
