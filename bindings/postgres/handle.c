#include "bloomery_pg.h"

PG_MODULE_MAGIC;

static void free_filter(void* argument) {
  BloomHandle* handle = (BloomHandle*)argument;
  bloomery_free(handle->filter);
  handle->filter = NULL;
}

static void free_bytes(void* argument) {
  BloomBytes* bytes = (BloomBytes*)argument;
  bloomery_free_bytes(bytes->data);
  bytes->data = NULL;
}

BloomHandle* bloom_new_handle(MemoryContext context) {
  BloomHandle* handle = (BloomHandle*)MemoryContextAllocZero(context, sizeof(BloomHandle));
  handle->callback.func = free_filter;
  handle->callback.arg = handle;
  MemoryContextRegisterResetCallback(context, &handle->callback);
  return handle;
}

void bloom_free_handle(BloomHandle* handle) { free_filter(handle); }

BloomBytes* bloom_new_bytes(MemoryContext context) {
  BloomBytes* bytes = (BloomBytes*)MemoryContextAllocZero(context, sizeof(BloomBytes));
  bytes->callback.func = free_bytes;
  bytes->callback.arg = bytes;
  MemoryContextRegisterResetCallback(context, &bytes->callback);
  return bytes;
}

void bloom_free_bytes(BloomBytes* bytes) { free_bytes(bytes); }

static int sqlstate_of(int code, int malformed) {
  switch (code) {
    case BLOOMERY_INVALID_ARGUMENT:
      return ERRCODE_INVALID_PARAMETER_VALUE;
    case BLOOMERY_TRUNCATED:
    case BLOOMERY_MALFORMED:
      return malformed;
    case BLOOMERY_UNSUPPORTED:
      return ERRCODE_FEATURE_NOT_SUPPORTED;
    case BLOOMERY_TOO_LARGE:
      return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case BLOOMERY_IO:
      return ERRCODE_IO_ERROR;
    case BLOOMERY_NO_MEMORY:
      return ERRCODE_OUT_OF_MEMORY;
    default:
      return ERRCODE_INTERNAL_ERROR;
  }
}

void bloom_raise(int code, int malformed) {
  /* A full filter is too large as well, but not for PostgreSQL: only BLOOM_MAX_VALUE is a limit. */
  const bool is_large =
      code == BLOOMERY_TOO_LARGE && strstr(bloomery_last_error(), "limit") != NULL;
  ereport(
      ERROR,
      (errcode(sqlstate_of(code, malformed)), errmsg("%s", bloomery_last_error()),
       is_large ? errdetail("A value of PostgreSQL ends at 1 GB, and so does a filter in it.") : 0,
       is_large ? errhint("Use fewer keys or a higher rate, or keep the filter in a file of the "
                          "bloomery command.")
                : 0));
  pg_unreachable();
}

void bloom_check(int code, int malformed) {
  if (code != BLOOMERY_OK) bloom_raise(code, malformed);
}

uint64 bloom_positive(int64 value, const char* what) {
  if (value < 0)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s is " INT64_FORMAT "; it must not be negative", what, value)));
  return (uint64)value;
}

void bloom_options_of(uint64 keys, double rate, const char* funnel, bloomery_options* options) {
  const bloomery_options empty = BLOOMERY_OPTIONS_INIT;
  *options = empty;
  if (keys == 0)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("a filter for 0 keys cannot be made; say how many keys will be in it")));
  /* Written so that NaN is refused too; 0 would mean "not given" to the library. */
  if (!(rate > 0.0 && rate < 1.0))
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("the false-positive rate is %g; it must be between 0 and 1, as 0.01", rate)));
  options->keys = keys;
  options->rate = rate;
  options->funnel = funnel;
  options->max_bytes = BLOOM_MAX_BITS_BYTES;
}
