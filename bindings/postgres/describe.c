/* What a filter says of itself: health, information, sizes and formats. */
#include "bloomery_pg.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

static Datum row_of(FunctionCallInfo fcinfo, Datum* values, bool* nulls) {
  TupleDesc row;
  if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
    elog(ERROR, "this function returns a row, and was declared otherwise");
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls));
}

static const char* verdict_name(uint32 verdict) {
  switch (verdict) {
    case BLOOMERY_VERDICT_OK:
      return "ok";
    case BLOOMERY_VERDICT_OVER_DESIGN:
      return "over-design";
    default:
      return "saturated";
  }
}

/* (verdict, fill, estimated_keys, rate, keys_inserted, goal_keys, goal_rate, sampled) */
PG_FUNCTION_INFO_V1(bloom_health);
Datum bloom_health(PG_FUNCTION_ARGS) {
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  BloomFilter filter;
  Datum values[8];
  bool nulls[8] = {false};
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  bloom_check(bloomery_get_health(filter.handle->filter, &health), ERRCODE_DATA_CORRUPTED);
  bloom_free_handle(filter.handle);
  values[0] = CStringGetTextDatum(verdict_name(health.verdict));
  values[1] = Float8GetDatum(health.fill);
  values[2] = Float8GetDatum(health.estimated_keys);
  values[3] = Float8GetDatum(health.rate);
  values[4] = Int64GetDatum((int64)health.keys_inserted);
  nulls[4] = health.keys_inserted > (uint64)PG_INT64_MAX; /* BLOOMERY_UNKNOWN too */
  values[5] = Int64GetDatum((int64)health.goal_keys);
  nulls[5] = health.goal_keys == 0 || health.goal_keys > (uint64)PG_INT64_MAX;
  values[6] = Float8GetDatum(health.goal_rate);
  nulls[6] = health.goal_keys == 0;
  values[7] = BoolGetDatum(health.sampled != 0);
  return row_of(fcinfo, values, nulls);
}

/* (format, layout, funnel, hash, seed, bits, bytes, probes) */
PG_FUNCTION_INFO_V1(bloom_info);
Datum bloom_info(PG_FUNCTION_ARGS) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  BloomFilter filter;
  Datum values[8];
  bool nulls[8] = {false};
  char seed[32];
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  bloom_check(bloomery_get_info(filter.handle->filter, &info), ERRCODE_DATA_CORRUPTED);
  values[0] = CStringGetTextDatum(info.format);
  values[1] = CStringGetTextDatum(info.layout);
  values[2] = CStringGetTextDatum(info.funnel);
  values[3] = CStringGetTextDatum(info.hash);
  nulls[3] = info.hash[0] == '\0';
  snprintf(seed, sizeof(seed), UINT64_FORMAT, info.seed);
  values[4] = DirectFunctionCall3(numeric_in, CStringGetDatum(seed), ObjectIdGetDatum(InvalidOid),
                                  Int32GetDatum(-1));
  nulls[4] = nulls[3];
  values[5] = Int64GetDatum((int64)info.bits);
  nulls[5] = info.bits == 0;
  values[6] = Int64GetDatum((int64)info.bytes);
  values[7] = Int32GetDatum((int32)info.probes);
  nulls[7] = info.probes == 0;
  bloom_free_handle(filter.handle);
  return row_of(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(bloom_describe);
Datum bloom_describe(PG_FUNCTION_ARGS) {
  BloomBytes* json = bloom_new_bytes(CurrentMemoryContext);
  BloomFilter filter;
  char* text;
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  bloom_check(bloomery_describe(filter.handle->filter, 0, (char**)&json->data),
              ERRCODE_DATA_CORRUPTED);
  bloom_free_handle(filter.handle);
  text = pg_any_to_server((const char*)json->data, (int)strlen((const char*)json->data), PG_UTF8);
  return DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
}

/* bloom_size(keys, rate): (layout, bits, bytes, probes, rate) of what bloom_agg would make */
PG_FUNCTION_INFO_V1(bloom_size);
Datum bloom_size(PG_FUNCTION_ARGS) {
  bloomery_options options;
  bloomery_sizing sizing = BLOOMERY_SIZING_INIT;
  Datum values[5];
  bool nulls[5] = {false};
  bloom_options_of(bloom_positive(PG_GETARG_INT64(0), "the number of keys"), PG_GETARG_FLOAT8(1),
                   "bytes", &options);
  options.max_bytes = PG_INT64_MAX; /* the answer, also of a filter that is too large */
  bloom_check(bloomery_size(&options, &sizing), ERRCODE_DATA_CORRUPTED);
  values[0] = CStringGetTextDatum(sizing.layout);
  values[1] = Int64GetDatum((int64)sizing.bits);
  values[2] = Int64GetDatum((int64)sizing.bytes);
  values[3] = Int32GetDatum((int32)sizing.probes);
  values[4] = Float8GetDatum(sizing.rate);
  return row_of(fcinfo, values, nulls);
}

/* bloom_formats(): a row (name, recognized, created) per format */
PG_FUNCTION_INFO_V1(bloom_formats);
Datum bloom_formats(PG_FUNCTION_ARGS) {
  const char* const* format = bloomery_formats();
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  InitMaterializedSRF(fcinfo, 0);
  for (; *format != NULL; ++format) {
    uint32_t flags = 0;
    Datum values[3];
    bool nulls[3] = {false};
    bloom_check(bloomery_format_flags(*format, &flags), ERRCODE_DATA_CORRUPTED);
    values[0] = CStringGetTextDatum(*format);
    values[1] = BoolGetDatum((flags & BLOOMERY_FORMAT_RECOGNIZED) != 0);
    values[2] = BoolGetDatum((flags & BLOOMERY_FORMAT_CREATED) != 0);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return (Datum)0;
}

PG_FUNCTION_INFO_V1(bloom_version);
Datum bloom_version(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(bloomery_version())); }
