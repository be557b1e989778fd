/* What share of rows the planner may expect behind a filter. */
#include "bloomery_pg.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

/* Where the filter is not known before the query runs, as that of a subquery. */
#define DEFAULT_SHARE 0.1
/* A larger filter is not decoded for an estimate: it takes a millisecond per few megabytes. */
#define MOST_BYTES (16 * 1024 * 1024)

static double share_of(Const* constant, VariableStatData* column) {
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  BloomFilter filter;
  bool is_default = false;
  double share = get_variable_numdistinct(column, &is_default);
  const struct varlena* value = (const struct varlena*)DatumGetPointer(constant->constvalue);
  if (is_default || VARATT_IS_EXTERNAL(value) || VARSIZE_ANY(value) > MOST_BYTES)
    return DEFAULT_SHARE;
  bloom_decode_datum(constant->constvalue, &filter);
  if (bloomery_get_health(filter.handle->filter, &health) != BLOOMERY_OK) {
    share = DEFAULT_SHARE;
  } else {
    share = Min(1.0, health.estimated_keys / Max(share, 1.0));
    share += (1.0 - share) * health.rate;
  }
  bloom_free_handle(filter.handle);
  return share;
}

static double estimate(PlannerInfo* root, List* arguments, int relation) {
  VariableStatData column;
  Node* other;
  bool is_left;
  double share = DEFAULT_SHARE;
  if (!get_restriction_variable(root, arguments, relation, &column, &other, &is_left)) return share;
  if (!is_left && IsA(other, Const))
    share = ((Const*)other)->constisnull ? 0.0 : share_of((Const*)other, &column);
  ReleaseVariableStats(column);
  CLAMP_PROBABILITY(share);
  return share;
}

/* Of the operator @>. */
PG_FUNCTION_INFO_V1(bloom_contains_sel);
Datum bloom_contains_sel(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(estimate((PlannerInfo*)PG_GETARG_POINTER(0), (List*)PG_GETARG_POINTER(2),
                            PG_GETARG_INT32(3)));
}

/* Of the function bloom_contains(). */
PG_FUNCTION_INFO_V1(bloom_contains_support);
Datum bloom_contains_support(PG_FUNCTION_ARGS) {
  Node* request = (Node*)PG_GETARG_POINTER(0);
  if (IsA(request, SupportRequestSelectivity)) {
    SupportRequestSelectivity* asked = (SupportRequestSelectivity*)request;
    if (asked->is_join) PG_RETURN_POINTER(NULL);
    asked->selectivity = estimate(asked->root, asked->args, asked->varRelid);
    PG_RETURN_POINTER(asked);
  }
  PG_RETURN_POINTER(NULL);
}
