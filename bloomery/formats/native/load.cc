#include "bloomery/formats/native/load_file.h"

namespace bloomery {

Result<NativeFilter> load_native(FileName name, const DecodeOptions& options) {
  return internal::load_native_file(
      name, options,
      [&](ByteView first, std::uint64_t size, internal::BodySource body) -> Result<NativeFilter> {
        const auto header = decode_native_header(first, size, options.limits);
        if (!header) return header.error();
        return internal::decode_body(*header, body, options.sip_key);
      });
}

}  // namespace bloomery
