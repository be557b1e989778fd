#include "bloomery/formats/format.h"

#include <algorithm>

namespace bloomery {
namespace {

// The adapters between one format's own types and AnyFilter.
template <auto kDecode>
Result<AnyFilter> decode_any(ByteView bytes, const DecodeOptions& options) {
  auto filter = kDecode(bytes, options);
  if (!filter) return filter.error();
  return AnyFilter{std::move(*filter)};
}

template <auto kCreate>
Result<AnyFilter> create_any(const CreateOptions& options) {
  auto filter = kCreate(options);
  if (!filter) return filter.error();
  return AnyFilter{std::move(*filter)};
}

template <class Held, auto kEncode>
Result<std::vector<std::byte>> encode_any(const AnyFilter& filter) {
  if (const auto* held = std::get_if<Held>(&filter)) return kEncode(*held);
  return Error{ErrorCode::kUnsupported,
               "the filter is of another kind: its bits mean nothing in this format"};
}

constexpr Format kFormats[] = {
    {"go-bloom", nullptr, decode_any<decode_go_bloom>,
     encode_any<ClassicFilter<GoBloom>, encode_go_bloom>, create_any<create_go_bloom>},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

const Format* guess_format(ByteView first_bytes) {
  const auto* found = std::ranges::find_if(kFormats, [&](const Format& format) {
    return format.looks_like != nullptr && format.looks_like(first_bytes);
  });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace bloomery
