#include "apps/ethlog/model/lines.h"

#include <memory>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;

class Lines {
 public:
  Lines(ByteSource bytes, std::size_t most) : bytes_{std::move(bytes)}, most_{most} {}

  Result<std::optional<std::string_view>> next() {
    for (std::size_t searched = 0;;) {
      const std::string_view rest = std::string_view{text_}.substr(start_);
      if (const std::size_t end = rest.find('\n', searched); end != rest.npos) {
        start_ += end + 1;
        return line(rest.substr(0, end));
      }
      if (ended_) {
        start_ = text_.size();
        return rest.empty() ? std::optional<std::string_view>{} : line(rest);
      }
      searched = rest.size();
      if (searched > most_)
        return Error{ErrorCode::kTooLarge,
                     message("the line is longer than ", most_, " bytes, the most that is read")};
      if (const Status s = fill(); !s) return s.error();
    }
  }

 private:
  static std::optional<std::string_view> line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }
  Status fill() {
    text_.erase(0, start_);
    start_ = 0;
    const std::size_t before = text_.size();
    text_.resize(before + kPiece);
    const auto got = bytes_(std::as_writable_bytes(std::span{text_}.subspan(before)));
    text_.resize(before + (got ? *got : 0));
    if (!got) return got.error();
    ended_ = *got == 0;
    return ok();
  }

  ByteSource bytes_;
  std::size_t most_;
  std::string text_;
  std::size_t start_ = 0;
  bool ended_ = false;
};

}  // namespace

LineSource lines_of(ByteSource bytes, std::size_t most_bytes) {
  return [lines = std::make_shared<Lines>(std::move(bytes), most_bytes)] { return lines->next(); };
}

ByteSource bytes_of_input(input::Input input) {
  // std::function wants to be copied, and an input does not.
  auto shared = std::make_shared<input::Input>(std::move(input));
  return [shared](ByteSpan out) -> Result<std::size_t> {
    auto got = shared->read(out);
    if (!got) return input::without_name(got.error(), shared->name());
    return got;
  };
}

Result<ByteSource> bytes_of_file(const std::filesystem::path& path) {
  auto opened = input::Input::open(path.string());
  if (!opened) return opened.error();
  return bytes_of_input(std::move(*opened));
}

}  // namespace bloomery::ethlog
