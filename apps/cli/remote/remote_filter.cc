#include "apps/cli/remote/remote_filter.h"

#include "apps/cli/remote/cluster_filter.h"
#include "apps/cli/remote/redis_filter.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

template <class Filter>
Result<std::unique_ptr<RemoteFilter>> owned(Result<Filter> filter) {
  if (!filter) return filter.error();
  return std::unique_ptr<RemoteFilter>{std::make_unique<Filter>(std::move(*filter))};
}

}  // namespace

Result<std::unique_ptr<RemoteFilter>> open_remote_filter(std::string_view text,
                                                         std::string_view wanted_format) {
  const auto address = parse_redis_address(text);
  if (!address) return address.error();
  auto filter =
      address->shards ? owned(ClusterFilter::open(*address)) : owned(RedisFilter::open(*address));
  if (!filter) return filter;
  const Format* format = &(*filter)->format();
  if (wanted_format != "auto" && find_format(wanted_format) != format)
    return Error{ErrorCode::kInvalidArgument, message("--format: the key holds a filter of format ",
                                                      format->name, ", and not ", wanted_format)};
  return filter;
}

}  // namespace bloomery::cli
