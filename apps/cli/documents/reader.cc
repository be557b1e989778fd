#include "apps/cli/documents/reader.h"

#include <algorithm>
#include <cmath>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kSampledBytes = std::uint64_t{8} << 20;
constexpr double kSampleMargin = 1.1;

struct Sample {
  double keys = 0;
  std::uint64_t bytes = 0;  // decompressed
  bool ended = false;
};

Sample read_sample(Input& input, DocumentReader& documents) {
  RecordReader reader{input, std::byte{'\n'}};
  Sample sample;
  while (sample.bytes < kSampledBytes && !sample.ended) {
    const auto records = reader.next();
    sample.ended = !records || records->empty();  // damage is reported by the later read
    for (std::size_t i = 0; !sample.ended && i < records->size(); ++i) {
      Doc doc;
      const auto bad = documents.read(text_of((*records)[i]), doc);
      sample.bytes += (*records)[i].size() + 1;
      sample.keys += bad ? 0 : static_cast<double>(documents.units().key_count());
      documents.clear();
    }
  }
  return sample;
}

}  // namespace

void DocumentReader::clear() {
  units_.clear();
  texts_.clear();
}

std::optional<JsonFault> DocumentReader::read(std::string_view record, Doc& doc) {
  doc.record = record;
  const bool blank = record.find_first_not_of(" \t\r") == std::string_view::npos;
  if (!blank)
    if (auto fault = finder_.find(record, doc.json)) return fault;
  if (options_->annotate && !doc.json.is_object)
    return JsonFault{0, "it is not an object, so it cannot get a member; leave --annotate out"};
  if (options_->annotate && doc.json.has_attribute)
    return JsonFault{0, message("it has a member ", options_->attribute,
                                " already; --attribute gives another name")};
  if (!doc.json.has_text) {
    if (missing_ == MissingKey::kSkip) return std::nullopt;
    return JsonFault{doc.json.other_value,
                     message(options_->text.empty() ? "the record is not a string, and --text '' "
                                                      "takes the whole record for the text"
                                                    : "it has no string at " + options_->text,
                             "; --missing skip prints such records as they are")};
  }
  const auto raw = record.substr(doc.json.text_begin, doc.json.text_end - doc.json.text_begin);
  doc.text_begin = texts_.size();
  const auto invalid = append_unescaped(raw, texts_);
  doc.text_size = texts_.size() - doc.text_begin;
  if (invalid && options_->invalid == InvalidText::kSkip) return std::nullopt;
  if (invalid && options_->invalid == InvalidText::kError)
    return JsonFault{doc.json.text_begin + *invalid,
                     "its text is not UTF-8; --invalid replace compares such text, and skip "
                     "prints the document as it is"};
  doc.compared = true;
  doc.first_part = units_.add(text(doc));
  doc.part_count = units_.parts().size() - doc.first_part;
  return std::nullopt;
}

Result<std::optional<KeyEstimate>> estimate_keys(const std::vector<InputFile>& inputs,
                                                 DocumentReader& reader) {
  double keys = 0;
  bool exact = true;
  for (const InputFile& file : inputs) {
    if (!file.bytes) return std::optional<KeyEstimate>{};
    auto input = open_to_sample(file);
    if (!input) return input.error();
    const Sample sample = read_sample(*input, reader);
    const auto consumed = static_cast<double>(std::max<std::uint64_t>(1, input->consumed_bytes()));
    const double read = input->compression() == Compression::kNone
                            ? static_cast<double>(std::max<std::uint64_t>(1, sample.bytes))
                            : consumed;
    keys += sample.ended ? sample.keys
                         : sample.keys * kSampleMargin * static_cast<double>(*file.bytes) / read;
    exact = exact && sample.ended;
    if (auto back = input->put_back(); !back) return back.error();
  }
  return std::optional{KeyEstimate{static_cast<std::uint64_t>(std::ceil(keys)), exact}};
}

}  // namespace bloomery::cli
