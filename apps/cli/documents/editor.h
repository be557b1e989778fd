// Documents as they are printed: without their repeated parts, or with a list of them.
#pragma once
#include <span>

#include "apps/cli/documents/reader.h"
#include "apps/cli/documents/report.h"

namespace bloomery::cli {

class DocumentEditor {
 public:
  DocumentEditor(const DocumentOptions& options, const DocumentReader& reader, bool prints)
      : options_{&options}, reader_{&reader}, prints_{prints} {}

  // Appends what is printed of the document. `is_new` has an answer for each key of the reader.
  void settle(const Doc& doc, std::span<const std::uint8_t> is_new, DocumentTotals& totals,
              std::string& out);

 private:
  // What stays of a document.
  struct Verdict {
    std::size_t removed = 0;  // bytes
    bool dropped = false;
    std::string spans;  // JSON, of --annotate
  };
  Verdict judge(const Doc& doc, std::span<const std::uint8_t> is_new);
  double share_of(const Part& part, std::span<const std::uint8_t> is_new) const;
  bool goes(double share) const;
  void print(const Doc& doc, std::string_view attribute, std::string& out) const;
  void print_kept(const Doc& doc, std::string& out);

  const DocumentOptions* options_;
  const DocumentReader* reader_;
  bool prints_;
  std::vector<TextRange> kept_;
};

}  // namespace bloomery::cli
