/* bloom_contains(filter, key) and the operator @>. The filters of the last rows stay decoded. */
#include "bloomery_pg.h"
#include "miscadmin.h"

#define CACHED_FILTERS 8
/* Of a datum up to this size a copy is kept, which tells it from the next one without detoasting:
 * of a TOAST pointer, and of a small filter within its row. */
#define KEPT_BYTES 2048

typedef struct CachedFilter {
  MemoryContext context; /* NULL where the entry is free */
  bloomery_filter* filter;
  BloomKeyType type;
  uint64 memory;
  Size datum_size; /* 0 where no copy is kept */
  char* datum;
  Size size; /* of the value */
  Size prefix_size;
  char prefix[BLOOM_PREFIX];
} CachedFilter;

typedef struct FilterCache {
  BloomKeyType type;
  CachedFilter* last; /* the one found last */
  int oldest;
  uint64 memory;
  CachedFilter entries[CACHED_FILTERS];
} FilterCache;

static FilterCache* cache_of(FunctionCallInfo fcinfo) {
  FilterCache* cache = (FilterCache*)fcinfo->flinfo->fn_extra;
  if (cache == NULL) {
    BloomKeyType type;
    bloom_key_type(fcinfo, 1, &type);
    cache = (FilterCache*)MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FilterCache));
    cache->type = type;
    cache->last = &cache->entries[0];
    fcinfo->flinfo->fn_extra = cache;
  }
  return cache;
}

/* The datum's bytes, where they say which value it is: not a pointer into memory. */
static Size comparable_size(const struct varlena* datum) {
  Size size;
  if (VARATT_IS_EXTERNAL(datum) && !VARATT_IS_EXTERNAL_ONDISK(datum)) return 0;
  size = VARSIZE_ANY(datum);
  return size <= KEPT_BYTES ? size : 0;
}

static bool same_datum(const CachedFilter* entry, const struct varlena* datum, Size size) {
  return entry->context != NULL && entry->datum_size == size &&
         memcmp(entry->datum, datum, size) == 0;
}

static bool same_value(const CachedFilter* entry, const struct varlena* value) {
  return entry->context != NULL && entry->size == VARSIZE_ANY_EXHDR(value) &&
         memcmp(entry->prefix, VARDATA_ANY(value), entry->prefix_size) == 0;
}

static void forget(FilterCache* cache, CachedFilter* entry) {
  const MemoryContext context = entry->context;
  if (context == NULL) return;
  cache->memory -= entry->memory;
  memset(entry, 0, sizeof(*entry));
  MemoryContextDelete(context); /* frees the filter */
}

static void forget_oldest(FilterCache* cache) {
  forget(cache, &cache->entries[cache->oldest]);
  cache->oldest = (cache->oldest + 1) % CACHED_FILTERS;
}

/* The place of a new entry, after the older ones have given way to its memory. */
static CachedFilter* make_place(FilterCache* cache, uint64 memory) {
  const uint64 limit = (uint64)work_mem * 1024;
  CachedFilter* place = &cache->entries[cache->oldest];
  int i;
  forget_oldest(cache);
  for (i = 1; i < CACHED_FILTERS && cache->memory + memory > limit; ++i) {
    place = &cache->entries[cache->oldest];
    forget_oldest(cache);
  }
  return place;
}

static CachedFilter* remember(FunctionCallInfo fcinfo, FilterCache* cache,
                              const struct varlena* datum, const struct varlena* value) {
  /* Below the call's own context until all is well: an error then leaves nothing behind. */
  const MemoryContext context =
      AllocSetContextCreate(CurrentMemoryContext, "bloomery filter", ALLOCSET_SMALL_SIZES);
  const MemoryContext caller = MemoryContextSwitchTo(context);
  bloomery_info info = BLOOMERY_INFO_INIT;
  CachedFilter made, *entry;
  BloomFilter filter;
  memset(&made, 0, sizeof(made));
  bloom_decode(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), ERRCODE_DATA_CORRUPTED, &filter);
  made.filter = filter.handle->filter;
  made.type = cache->type;
  bloom_match_funnel(made.filter, &made.type);
  bloom_check(bloomery_get_info(made.filter, &info), ERRCODE_DATA_CORRUPTED);
  made.memory = info.bytes;
  made.size = VARSIZE_ANY_EXHDR(value);
  made.prefix_size = Min(made.size, BLOOM_PREFIX);
  memcpy(made.prefix, VARDATA_ANY(value), made.prefix_size);
  made.datum_size = comparable_size(datum);
  if (made.datum_size != 0) {
    made.datum = (char*)palloc(made.datum_size);
    memcpy(made.datum, datum, made.datum_size);
  }
  made.context = context;
  MemoryContextSwitchTo(caller);
  entry = make_place(cache, made.memory);
  MemoryContextSetParent(context, fcinfo->flinfo->fn_mcxt);
  *entry = made;
  cache->memory += made.memory;
  return entry;
}

static CachedFilter* find_filter(FunctionCallInfo fcinfo, FilterCache* cache, Datum argument) {
  const struct varlena* datum = (const struct varlena*)DatumGetPointer(argument);
  const Size size = comparable_size(datum);
  const struct varlena* value;
  CachedFilter* found = NULL;
  int i;
  if (size != 0) {
    if (same_datum(cache->last, datum, size)) return cache->last;
    for (i = 0; i < CACHED_FILTERS; ++i)
      if (same_datum(&cache->entries[i], datum, size)) return &cache->entries[i];
  }
  value = PG_DETOAST_DATUM_PACKED(argument);
  if (size == 0) {
    if (same_value(cache->last, value)) found = cache->last;
    for (i = 0; i < CACHED_FILTERS && found == NULL; ++i)
      if (same_value(&cache->entries[i], value)) found = &cache->entries[i];
  }
  if (found == NULL) found = remember(fcinfo, cache, datum, value);
  if ((Pointer)value != DatumGetPointer(argument)) pfree((void*)value);
  return found;
}

static bool contains_bytes(const bloomery_filter* filter, const void* data, Size size) {
  int answer = 0;
  bloom_check(bloomery_may_contain_one(filter, data, size, &answer), ERRCODE_DATA_CORRUPTED);
  return answer != 0;
}

static bool contains_integer(const bloomery_filter* filter, const BloomKeyType* type, int64 key) {
  uint8_t answer = 0;
  /* A number that the filter's type does not have is certainly not in it. */
  if (key < type->least || key > type->most) return false;
  if (type->is_i64) return contains_bytes(filter, &key, sizeof(key));
  bloom_check(bloomery_may_contain_i64(filter, &key, 1, &answer, NULL), ERRCODE_DATA_CORRUPTED);
  return answer != 0;
}

PG_FUNCTION_INFO_V1(bloom_contains);
Datum bloom_contains(PG_FUNCTION_ARGS) {
  FilterCache* cache = cache_of(fcinfo);
  CachedFilter* entry = find_filter(fcinfo, cache, PG_GETARG_DATUM(0));
  const BloomKeyType* type = &entry->type;
  cache->last = entry;
  if (type->kind == BLOOM_KEY_INTEGER) {
    const int64 key = bloom_key_integer(type, PG_GETARG_DATUM(1));
    PG_RETURN_BOOL(contains_integer(entry->filter, type, key));
  } else {
    const BloomKey key = bloom_key_bytes(type, PG_GETARG_DATUM(1));
    PG_RETURN_BOOL(contains_bytes(entry->filter, key.data, key.size));
  }
}
