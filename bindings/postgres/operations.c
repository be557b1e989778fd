/* Filters made, filled, merged, compared and converted. */
#include "bloomery_pg.h"
#include "utils/builtins.h"

typedef int (*MergeCall)(bloomery_filter* into, const bloomery_filter* from);

static Datum merged(FunctionCallInfo fcinfo, MergeCall call) {
  BloomFilter into, from;
  bytea* value;
  bloom_decode_datum(PG_GETARG_DATUM(0), &into);
  bloom_decode_datum(PG_GETARG_DATUM(1), &from);
  bloom_check(call(into.handle->filter, from.handle->filter), ERRCODE_DATA_CORRUPTED);
  bloom_free_handle(from.handle);
  value = bloom_encode(into.handle->filter, &into.load);
  bloom_free_handle(into.handle);
  PG_RETURN_BYTEA_P(value);
}

PG_FUNCTION_INFO_V1(bloom_union);
Datum bloom_union(PG_FUNCTION_ARGS) { return merged(fcinfo, bloomery_merge); }

PG_FUNCTION_INFO_V1(bloom_intersect);
Datum bloom_intersect(PG_FUNCTION_ARGS) { return merged(fcinfo, bloomery_intersect); }

static bool same_bytes(const bytea* a, const bytea* b) {
  return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
         memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static bool is_equal(FunctionCallInfo fcinfo) {
  bytea *a = PG_GETARG_BYTEA_PP(0), *b = PG_GETARG_BYTEA_PP(1);
  BloomFilter left, right;
  int answer = 0;
  if (same_bytes(a, b)) return true;
  bloom_decode(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a), ERRCODE_DATA_CORRUPTED, &left);
  bloom_decode(VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), ERRCODE_DATA_CORRUPTED, &right);
  bloom_check(bloomery_equal(left.handle->filter, right.handle->filter, &answer),
              ERRCODE_DATA_CORRUPTED);
  bloom_free_handle(left.handle);
  bloom_free_handle(right.handle);
  PG_FREE_IF_COPY(a, 0);
  PG_FREE_IF_COPY(b, 1);
  return answer != 0;
}

PG_FUNCTION_INFO_V1(bloom_eq);
Datum bloom_eq(PG_FUNCTION_ARGS) { PG_RETURN_BOOL(is_equal(fcinfo)); }

PG_FUNCTION_INFO_V1(bloom_ne);
Datum bloom_ne(PG_FUNCTION_ARGS) { PG_RETURN_BOOL(!is_equal(fcinfo)); }

static void copy_argument(FunctionCallInfo fcinfo, int number, const char* what, char* to,
                          Size room) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(number));
  memset(to, 0, room);
  if (strlcpy(to, name, room) >= room)
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no %s \"%s\"", what, name),
             errhint("bloom_formats() lists the formats; docs/postgres.md the funnels.")));
}

static uint32 probes_argument(int32 probes) {
  return (uint32)bloom_positive(probes, "the number of probes");
}

/* A layout that a value can have. The library refuses the others, and those that a format lacks. */
static const char* layout_argument(FunctionCallInfo fcinfo, int number) {
  const char* layout = text_to_cstring(PG_GETARG_TEXT_PP(number));
  if (strcmp(layout, "concurrent") == 0)
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("a value cannot have the layout \"concurrent\", which is for threads that fill "
                    "one filter in memory"),
             errhint("Use block or lines; bloom_agg fills a filter with parallel workers.")));
  return layout;
}

/* bloom_create(keys, rate, funnel, format, layout, bits, probes) */
PG_FUNCTION_INFO_V1(bloom_create);
Datum bloom_create(PG_FUNCTION_ARGS) {
  BloomHandle* handle = bloom_new_handle(CurrentMemoryContext);
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_info info = BLOOMERY_INFO_INIT;
  BloomLoad load;
  bytea* value;
  memset(&load, 0, sizeof(load));
  options.keys = bloom_positive(PG_GETARG_INT64(0), "the number of keys");
  options.rate = PG_GETARG_FLOAT8(1);
  copy_argument(fcinfo, 2, "funnel", load.funnel, sizeof(load.funnel));
  copy_argument(fcinfo, 3, "format", load.format, sizeof(load.format));
  options.funnel = load.funnel;
  options.format = load.format;
  options.layout = layout_argument(fcinfo, 4);
  options.bits = bloom_positive(PG_GETARG_INT64(5), "the number of bits");
  options.probes = probes_argument(PG_GETARG_INT32(6));
  options.max_bytes = BLOOM_MAX_BITS_BYTES;
  bloom_check(bloomery_create(&options, &handle->filter), ERRCODE_DATA_CORRUPTED);
  bloom_check(bloomery_get_info(handle->filter, &info), ERRCODE_DATA_CORRUPTED);
  if (strcmp(info.format, "bloomery") == 0) {
    memset(&load, 0, sizeof(load));
  } else if (strcmp(info.format, "go-bloom") == 0 ||
             strncmp(info.format, "eventhorizon", 12) == 0) { /* no header says it */
    load.bits = info.bits;
    load.probes = info.probes;
  }
  value = bloom_encode(handle->filter, &load);
  bloom_free_handle(handle);
  PG_RETURN_BYTEA_P(value);
}

/* bloom_add(filter, key): a new value, so that many keys are better added by bloom_agg and |. */
PG_FUNCTION_INFO_V1(bloom_add);
Datum bloom_add(PG_FUNCTION_ARGS) {
  BloomKeyType type;
  BloomFilter filter;
  bytea* value;
  int code;
  bloom_key_type(fcinfo, 1, &type);
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  bloom_match_funnel(filter.handle->filter, &type);
  if (type.kind == BLOOM_KEY_INTEGER) {
    const int64 key = bloom_key_integer(&type, PG_GETARG_DATUM(1));
    code = bloomery_insert_i64(filter.handle->filter, &key, 1, NULL, NULL);
  } else {
    const BloomKey key = bloom_key_bytes(&type, PG_GETARG_DATUM(1));
    code = bloomery_insert_one(filter.handle->filter, key.data, key.size, NULL);
  }
  bloom_check(code, ERRCODE_DATA_CORRUPTED);
  value = bloom_encode(filter.handle->filter, &filter.load);
  bloom_free_handle(filter.handle);
  PG_RETURN_BYTEA_P(value);
}

/* bloom_from_bytea(bytes, format, keys, rate, bits, probes, funnel) */
PG_FUNCTION_INFO_V1(bloom_from_bytea);
Datum bloom_from_bytea(PG_FUNCTION_ARGS) {
  bytea* bytes = PG_GETARG_BYTEA_PP(0);
  BloomLoad load;
  memset(&load, 0, sizeof(load));
  copy_argument(fcinfo, 1, "format", load.format, sizeof(load.format));
  load.keys = bloom_positive(PG_GETARG_INT64(2), "the number of keys");
  load.rate = PG_GETARG_FLOAT8(3);
  load.bits = bloom_positive(PG_GETARG_INT64(4), "the number of bits");
  load.probes = probes_argument(PG_GETARG_INT32(5));
  copy_argument(fcinfo, 6, "funnel", load.funnel, sizeof(load.funnel));
  PG_RETURN_BYTEA_P(bloom_import(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &load));
}

/* bloom_to_bytea(filter, format) */
PG_FUNCTION_INFO_V1(bloom_to_bytea);
Datum bloom_to_bytea(PG_FUNCTION_ARGS) {
  const char* format = text_to_cstring(PG_GETARG_TEXT_PP(1));
  BloomBytes* bytes = bloom_new_bytes(CurrentMemoryContext);
  BloomFilter filter;
  bytea* result;
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  bloom_check(bloomery_encode(filter.handle->filter, format[0] == '\0' ? NULL : format,
                              &bytes->data, &bytes->size),
              ERRCODE_DATA_CORRUPTED);
  bloom_free_handle(filter.handle);
  if (bytes->size > BLOOM_MAX_VALUE)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("the filter has %zu bytes as %s; a value of PostgreSQL ends at 1 GB",
                           bytes->size, format)));
  result = (bytea*)palloc(bytes->size + VARHDRSZ);
  SET_VARSIZE(result, bytes->size + VARHDRSZ);
  memcpy(VARDATA(result), bytes->data, bytes->size);
  bloom_free_bytes(bytes);
  PG_RETURN_BYTEA_P(result);
}
