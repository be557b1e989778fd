#include "apps/ethlog/abi/event.h"

#include <algorithm>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostSignatureBytes = 64 << 10;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }
bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class DeclarationParser {
 public:
  explicit DeclarationParser(std::string_view text) : text_{text} {}

  Result<AbiEvent> event() {
    if (text_.size() > kMostSignatureBytes)
      return invalid_argument(
          message("the signature is longer than ", kMostSignatureBytes, " bytes"));
    std::string_view name = word();
    if (name == "event") name = word();
    if (name.empty()) return expected("the name of an event");
    auto parameters = list(true, 0);
    if (!parameters) return parameters.error();
    const std::size_t before = at_;
    const std::string_view last = word();
    if (!last.empty() && last != "anonymous") {
      at_ = before;
      return expected("'anonymous' or the end");
    }
    take(';');
    skip_white();
    if (at_ != text_.size()) return expected("the end");
    auto made = make_event(std::string{name}, std::move(*parameters), !last.empty());
    if (!made) return about(made.error().message);
    return made;
  }

 private:
  Error about(const std::string& why) const {
    const std::string_view shown = text_.substr(0, 200);
    return invalid_argument(
        message("'", shown, shown.size() < text_.size() ? "…" : "", "': ", why));
  }
  Error expected(std::string_view what) const {
    return about(message(what, " is expected at byte ", at_));
  }

  void skip_white() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  bool take(char c) {
    skip_white();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_white();
    const std::size_t begin = at_;
    if (at_ < text_.size() && begins_name(text_[at_]))
      while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // (type [indexed] [name], …)
  Result<std::vector<AbiParameter>> list(bool may_be_indexed, std::uint32_t depth) {
    if (depth > kMostAbiDepth)
      return about(message("types are nested deeper than ", kMostAbiDepth, " levels"));
    if (!take('(')) return expected("'('");
    std::vector<AbiParameter> parameters;
    if (take(')')) return parameters;
    do {
      if (parameters.size() == kMostAbiParts)
        return about(message("there are more than ", kMostAbiParts, " arguments"));
      auto parameter = one(may_be_indexed, depth);
      if (!parameter) return parameter.error();
      parameters.push_back(std::move(*parameter));
    } while (take(','));
    if (!take(')')) return expected("',' or ')'");
    return parameters;
  }

  Result<AbiParameter> one(bool may_be_indexed, std::uint32_t depth) {
    auto type = this->type(depth);
    if (!type) return type.error();
    AbiParameter parameter{"", std::move(*type)};
    std::string_view name = word();
    if (name == "indexed") {
      if (!may_be_indexed) return about("a member of a tuple cannot be indexed");
      parameter.indexed = true;
      name = word();
    }
    parameter.name = name;
    return parameter;
  }

  Result<AbiType> type(std::uint32_t depth) {
    const std::size_t begin = at_;
    const std::string_view name = word();
    skip_white();
    const bool opens = at_ < text_.size() && text_[at_] == '(';
    Result<AbiType> made = AbiType{};
    if (opens && (name.empty() || name == "tuple")) {
      auto members = list(false, depth + 1);
      if (!members) return members.error();
      made = tuple_of(std::move(*members));
    } else if (name.empty()) {
      at_ = begin;
      return expected("a type");
    } else {
      made = elementary_type(name);
    }
    if (!made) return about(made.error().message);
    return suffixed(std::move(*made));
  }

  Result<AbiType> suffixed(AbiType type) {
    while (take('[')) {
      const std::size_t end = text_.find(']', at_);
      if (end == text_.npos) return expected("']'");
      auto array = with_array_suffix(std::move(type), text_.substr(at_ - 1, end + 2 - at_));
      if (!array) return about(array.error().message);
      type = std::move(*array);
      at_ = end + 1;
    }
    return type;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append_declared(std::string& out, const AbiType& type) {
  if (type.kind == AbiKind::kArray) {
    append_declared(out, type.parts[0].type);
    out += type.length ? "[" + std::to_string(*type.length) + "]" : "[]";
    return;
  }
  if (type.kind != AbiKind::kTuple) return append_canonical(out, type);
  char before = '(';
  for (const AbiParameter& member : type.parts) {
    out += before;
    if (before == ',') out += ' ';
    append_declared(out, member.type);
    if (!member.name.empty()) out += ' ' + member.name;
    before = ',';
  }
  out += ')';
}

}  // namespace

Result<AbiEvent> make_event(std::string name, std::vector<AbiParameter> parameters,
                            bool anonymous) {
  if (name.empty() || !begins_name(name[0]) ||
      !std::all_of(name.begin(), name.end(), continues_name))
    return invalid_argument("the name of an event is letters, digits, _ and $");
  AbiEvent event;
  event.anonymous = anonymous;
  event.signature = name + '(';
  for (const AbiParameter& parameter : parameters) {
    if (&parameter != parameters.data()) event.signature += ',';
    append_canonical(event.signature, parameter.type);
    if (parameter.indexed) ++event.indexed;
  }
  event.signature += ')';
  if (parameters.size() > kMostAbiParts)
    return invalid_argument(message("an event has at most ", kMostAbiParts, " arguments"));
  if (event.topics() > TopicList::kMost)
    return invalid_argument(message(event.indexed, " arguments are indexed; an event has at most ",
                                    anonymous ? "4, where it is anonymous" : "3"));
  event.topic = keccak_hash(std::as_bytes(std::span{event.signature}));
  event.name = std::move(name);
  event.parameters = std::move(parameters);
  return event;
}

Result<AbiEvent> parse_event(std::string_view text) { return DeclarationParser{text}.event(); }

std::string declaration_of(const AbiEvent& event) {
  std::string out = event.name + '(';
  for (const AbiParameter& parameter : event.parameters) {
    if (&parameter != event.parameters.data()) out += ", ";
    append_declared(out, parameter.type);
    if (parameter.indexed) out += " indexed";
    if (!parameter.name.empty()) out += ' ' + parameter.name;
  }
  out += event.anonymous ? ") anonymous" : ")";
  return out;
}

}  // namespace bloomery::ethlog
