#include "apps/redis/server/statistics.h"

namespace bloomery::redis_module {

Statistics statistics;

void add_info(InfoContext* info, int) {
  if (api.InfoAddSection(info, "bloom") != kOk) return;  // not the section that was asked for
  api.InfoAddFieldULongLong(info, "filters", statistics.filters);
  api.InfoAddFieldULongLong(info, "bytes", statistics.bytes);
  api.InfoAddFieldULongLong(info, "saturated_filters", statistics.saturated);
  api.InfoAddFieldULongLong(info, "rejected_loads", statistics.rejected_loads);
  api.InfoAddFieldULongLong(info, "loading_filters", statistics.loading);
  api.InfoAddFieldULongLong(info, "unreadable_filters", statistics.unreadable);
}

}  // namespace bloomery::redis_module
