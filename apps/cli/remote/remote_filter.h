// A filter in servers, whichever way it lies there: queried and added to where it is, or fetched
// whole.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "bloomery/formats/format.h"

namespace bloomery::cli {

class RemoteFilter {
 public:
  RemoteFilter() = default;
  RemoteFilter(const RemoteFilter&) = delete;
  RemoteFilter& operator=(const RemoteFilter&) = delete;
  virtual ~RemoteFilter() = default;

  virtual const Format& format() const = 0;
  // An error where the filter has gone meanwhile, or cannot be that of the batch before.
  virtual Status may_contain_batch(std::span<const ByteView> keys,
                                   std::span<std::uint8_t> answers) = 0;
  // Never makes a filter. Keys before an error may be in. is_new as in AnyFilter's.
  virtual Result<std::size_t> insert_batch(std::span<const ByteView> keys,
                                           std::span<std::uint8_t> is_new) = 0;
  // In the bytes of format().
  virtual Result<std::vector<std::byte>> fetch(DecodeLimits limits) = 0;
  // Health from the counts that servers keep; none where they do not report them.
  virtual Description describe() = 0;
};

// Of an address as it was typed. kIo where there is no such key. A format that --format names must
// be the filter's.
Result<std::unique_ptr<RemoteFilter>> open_remote_filter(std::string_view address,
                                                         std::string_view wanted_format = "auto");

}  // namespace bloomery::cli
