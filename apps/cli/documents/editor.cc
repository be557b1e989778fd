#include "apps/cli/documents/editor.h"

#include "apps/cli/shell/json.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {

double DocumentEditor::share_of(const Part& part, std::span<const std::uint8_t> is_new) const {
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < part.use_count; ++i)
    repeated += is_new[reader_->units().uses()[part.first_use + i]] == 0 ? 1 : 0;
  return part.use_count == 0 ? 0
                             : static_cast<double>(repeated) / static_cast<double>(part.use_count);
}

bool DocumentEditor::goes(double share) const {
  const UnitRules& rules = options_->rules;
  return share > 0 && share >= (rules.unit == Unit::kNgram ? rules.threshold : 1);
}

DocumentEditor::Verdict DocumentEditor::judge(const Doc& doc,
                                              std::span<const std::uint8_t> is_new) {
  const std::string_view all = reader_->text(doc);
  kept_.clear();
  Verdict verdict;
  bool last_goes = false;
  bool blank = true;
  std::size_t counted_to = 0;
  std::size_t characters = 0;
  std::size_t last_kept_end = 0;
  const auto place = [&](std::size_t byte) {
    characters += count_characters(all.substr(counted_to, byte - counted_to));
    counted_to = byte;
    return characters;
  };
  for (std::size_t i = 0; i < doc.part_count; ++i) {
    const Part& part = reader_->units().parts()[doc.first_part + i];
    const double share = share_of(part, is_new);
    last_goes = goes(share);
    if (share > 0 && options_->annotate) {
      const std::size_t start = place(part.text.begin);
      verdict.spans += message(verdict.spans.empty() ? "[" : ",[", start, ",", place(part.text.end),
                               ",", Json(share).dump(), "]");
    }
    if (last_goes) {
      verdict.removed += part.next - part.text.begin;
      continue;
    }
    const TextRange content = without_white_space(all, part.text);
    blank = blank && content.begin == content.end;
    if (!kept_.empty() && kept_.back().end == part.text.begin)
      kept_.back().end = part.next;
    else
      kept_.push_back({part.text.begin, part.next});
    last_kept_end = part.text.end;
  }
  // The last part has no separator behind it: the one before goes with it.
  if (last_goes && !kept_.empty()) {
    const Part& last = reader_->units().parts()[doc.first_part + doc.part_count - 1];
    if (last.next == last.text.end) kept_.back().end = last_kept_end;
  }
  verdict.dropped = verdict.removed != 0 && blank;
  return verdict;
}

void DocumentEditor::settle(const Doc& doc, std::span<const std::uint8_t> is_new,
                            DocumentTotals& totals, std::string& out) {
  ++totals.documents;
  totals.text_bytes += doc.text_size;
  if (!doc.compared) {
    ++totals.kept;
    ++totals.skipped;
    return print(doc, "null", out);
  }
  const Verdict verdict = judge(doc, is_new);
  totals.removed_bytes += verdict.dropped ? doc.text_size : verdict.removed;
  totals.kept += verdict.dropped ? 0 : 1;
  totals.shortened += verdict.removed != 0 && !verdict.dropped ? 1 : 0;
  if (options_->annotate) {
    const double share = doc.text_size == 0 ? 0
                         : verdict.dropped  ? 1
                                            : static_cast<double>(verdict.removed) /
                                                 static_cast<double>(doc.text_size);
    return print(doc,
                 message("{\"spans\":[", verdict.spans, "],\"share\":", Json(share).dump(),
                         ",\"dropped\":", verdict.dropped ? "true" : "false", "}"),
                 out);
  }
  if (verdict.dropped || !prints_) return;
  if (verdict.removed == 0) return print(doc, "", out);
  print_kept(doc, out);
}

void DocumentEditor::print_kept(const Doc& doc, std::string& out) {
  const auto raw = doc.record.substr(doc.json.text_begin, doc.json.text_end - doc.json.text_begin);
  to_raw_ranges(raw, kept_);
  out += doc.record.substr(0, doc.json.text_begin);
  for (const TextRange& range : kept_) out += raw.substr(range.begin, range.end - range.begin);
  out += doc.record.substr(doc.json.text_end);
  out += '\n';
}

void DocumentEditor::print(const Doc& doc, std::string_view attribute, std::string& out) const {
  if (!prints_) return;
  if (!options_->annotate) {
    out += doc.record;
  } else {
    out += doc.record.substr(0, doc.json.object_end);
    out += doc.json.has_members ? "," : "";
    out += message(Json(options_->attribute).dump(), ":", attribute);
    out += doc.record.substr(doc.json.object_end);
  }
  out += '\n';
}

}  // namespace bloomery::cli
