// The manifest of a filter in parts: decoded as it is, and with its checksum set right. What is
// accepted is written and read again, and answers from parts that are not there with errors.
#include <cstdlib>

#include "bloomery/formats/set/filter_set.h"
#include "bloomery/hash/xxh.h"

namespace {

using namespace bloomery;

class NoParts : public PartSource {
 public:
  Result<std::unique_ptr<PartReader>> open(std::string_view file) override {
    if (!is_part_file_name(file)) std::abort();
    return Error{ErrorCode::kIo, "there are no parts here"};
  }
};

void use(ByteView text) {
  auto manifest = decode_manifest(text, {1 << 20});
  if (!manifest) {
    if (manifest.error().message.empty()) std::abort();
    return;
  }
  const std::string written = encode_manifest(*manifest);
  const auto again = decode_manifest(bytes_of(written), {1 << 24});
  if (!again || encode_manifest(*again) != written) std::abort();
  const auto set = FilterSet::open(std::move(*manifest), std::make_unique<NoParts>(), SipKey{});
  if (set && set->may_contain(text)) std::abort();
}

std::string with_right_checksum(ByteView text) {
  std::string covered{text_of(text)};
  std::string digits(16, '0');
  std::uint64_t sum = xxh3_64(bytes_of(covered));
  for (std::size_t i = digits.size(); i-- > 0; sum >>= 4) digits[i] = "0123456789abcdef"[sum % 16];
  return covered + "  \"checksum\": \"" + digits + "\"\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(bytes_of(with_right_checksum(input)));
  return 0;
}
