// The keys of JSON records, with their types and without them.
#include "apps/cli/records/keys.h"
#include "bloomery/base/message.h"
#include "bloomery/funnel/json_key.h"

namespace bloomery::cli {

Result<bool> KeyReader::append_typed(std::string_view record) {
  static const JsonKeys kWhole = *JsonKeys::parse("");
  const JsonKeys& keys = options_.json_key ? *options_.json_key : kWhole;
  if (auto done = keys.find(record, values_); !done) return done.error();
  sink_.reset();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto& value = values_[i];
    const auto there =
        found(value.has_value(), value ? "" : message("it has no value at ", keys.name(i)));
    if (!there || !*there) return there;
    if (!value) {
      put_absent_json_key(sink_);
      continue;
    }
    const auto offset = static_cast<std::size_t>(value->data() - record.data());
    if (auto put = put_json_key(*value, sink_, offset); !put) return put.error();
  }
  const ByteView bytes = sink_.bytes();
  arena_.insert(arena_.end(), bytes.begin(), bytes.end());
  return true;
}

Result<bool> KeyReader::append_json(std::string_view record, std::vector<std::byte>& to) {
  const JsonKeys& keys = *options_.json_key;
  if (auto done = keys.find(record, values_); !done) return done.error();
  const auto append = [&to](std::string_view text) {
    const ByteView bytes = bytes_of(text);
    to.insert(to.end(), bytes.begin(), bytes.end());
  };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool is_there = values_[i] && *values_[i] != "null";
    const auto there =
        found(is_there, is_there ? "" : message("it has no value at ", keys.name(i)));
    if (!there || !*there) return there;
    text_.clear();
    if (is_there) {
      const auto offset = static_cast<std::size_t>(values_[i]->data() - record.data());
      if (auto done = append_json_text(*values_[i], offset, text_); !done) return done.error();
      if (auto done = normalize(text_); !done) return done.error();
    }
    if (keys.size() > 1) append(std::to_string(text_.size()) + ":");
    append(text_);
  }
  return true;
}

}  // namespace bloomery::cli
