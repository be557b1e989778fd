#include "bloomery/funnel/funnel.h"

namespace bloomery {
namespace {

bool is_high_surrogate(char16_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(char16_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

void put_utf8(std::uint32_t point, ByteSink& sink) {
  const auto put = [&sink](std::uint32_t value) { sink.put_u8(static_cast<std::uint8_t>(value)); };
  const auto continuation = [](std::uint32_t bits) { return 0x80 | (bits & 0x3f); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0 | point >> 6);
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(continuation(point >> 6));
  } else {
    put(0xf0 | point >> 18);
    put(continuation(point >> 12));
    put(continuation(point >> 6));
  }
  put(continuation(point));
}

}  // namespace

void Utf16Funnel::operator()(Key text, ByteSink& sink) const {
  if (sink.order() == ByteOrder::kLittle) return sink.put_bytes(std::as_bytes(std::span{text}));
  for (const char16_t unit : text) sink.put_u16(unit);
}

void Utf16ToUtf8Funnel::operator()(Key text, ByteSink& sink) const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char16_t unit = text[i];
    if (is_high_surrogate(unit) && i + 1 < text.size() && is_low_surrogate(text[i + 1])) {
      ++i;
      put_utf8(0x10000 + ((unit - 0xd800u) << 10) + (text[i] - 0xdc00u), sink);
    } else {
      put_utf8(is_high_surrogate(unit) || is_low_surrogate(unit) ? u'?' : unit, sink);
    }
  }
}

}  // namespace bloomery
