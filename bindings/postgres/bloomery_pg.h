/* The extension for PostgreSQL: what its files share. Written in C, because ereport() leaves a
 * function by longjmp(), which must not pass C++ frames: the library is called through
 * <bloomery/c.h>, which neither throws nor calls back. */
#ifndef BLOOMERY_PG_H_
#define BLOOMERY_PG_H_

/* postgres.h comes first in every file of an extension. */
/* clang-format off */
#include <postgres.h>

#include <fmgr.h>
#include <utils/memutils.h>

#include "bloomery/c.h"
/* clang-format on */

/* The payload of the largest value that PostgreSQL stores: 1 GB with its length. */
#define BLOOM_MAX_VALUE ((uint64)(MaxAllocSize - VARHDRSZ))
/* Of a new filter's memory: what a file adds to its bits fits too. */
#define BLOOM_MAX_BITS_BYTES (BLOOM_MAX_VALUE - 1024)

/* ---- handles: memory of the library that ends with a memory context ---- */

/* A filter that is freed when its context is reset, so also after an error or a cancelled query. */
typedef struct BloomHandle {
  bloomery_filter* filter; /* NULL before it is made and after it was moved */
  MemoryContextCallback callback;
} BloomHandle;

/* Made before the library is called: afterwards, an error of palloc() would lose the filter. */
BloomHandle* bloom_new_handle(MemoryContext context);
void bloom_free_handle(BloomHandle* handle); /* its filter, at once */

/* Bytes of bloomery_encode() or bloomery_describe(), freed likewise. */
typedef struct BloomBytes {
  void* data;
  size_t size;
  MemoryContextCallback callback;
} BloomBytes;
BloomBytes* bloom_new_bytes(MemoryContext context);
void bloom_free_bytes(BloomBytes* bytes);

/* ---- errors ---- */

/* Raises the library's last sentence if code is not BLOOMERY_OK. Bytes that are no filter are an
 * error of class `malformed`: of the user's input, or ERRCODE_DATA_CORRUPTED of a stored value. */
void bloom_check(int code, int malformed);
void bloom_raise(int code, int malformed) pg_attribute_noreturn();

/* ---- values: the bytes of the type bloomery ---- */

/* What the bytes of another system's filter do not say; as of the filter's import. */
typedef struct BloomLoad {
  char format[32];
  char funnel[16];
  uint64 keys;
  double rate;
  uint64 bits;
  uint32 probes;
  uint32 reserved;
} BloomLoad;

/* A decoded value, in the current memory context. */
typedef struct BloomFilter {
  BloomHandle* handle;
  BloomLoad load; /* format "" for a filter of our own */
} BloomFilter;

void bloom_decode(const char* data, Size size, int malformed, BloomFilter* filter);
/* The same of an argument, which is detoasted first. */
void bloom_decode_datum(Datum value, BloomFilter* filter);
/* A value from a decoded filter: encoded anew. */
bytea* bloom_encode(const bloomery_filter* filter, const BloomLoad* load);
/* A value from the bytes of one, which are checked. A file that a writer left open is closed. */
bytea* bloom_checked_value(const char* data, Size size, int malformed);
/* A value from bytes of the format that load names, which may be "auto". */
bytea* bloom_import(const char* data, Size size, BloomLoad* load);

/* The first bytes of a value, enough to tell it from another of the same size: the checksum of the
 * rest is in them. */
#define BLOOM_PREFIX 128

/* ---- keys ---- */

typedef enum BloomKeyKind {
  BLOOM_KEY_TEXT,  /* bytes in UTF-8 */
  BLOOM_KEY_BYTES, /* as they are */
  BLOOM_KEY_INTEGER
} BloomKeyKind;

typedef enum BloomFunnel {
  BLOOM_FUNNEL_BYTES,
  BLOOM_FUNNEL_UTF16,
  BLOOM_FUNNEL_INTEGER, /* all values of bigint from `least` to `most` are in its range */
  BLOOM_FUNNEL_OTHER
} BloomFunnel;

/* How keys of one SQL type go into one filter. */
typedef struct BloomKeyType {
  Oid type;
  BloomKeyKind kind;
  BloomFunnel funnel;
  int64 least, most;
  bool is_i64; /* the funnel of the filters made here: a key is its eight bytes */
} BloomKeyType;

typedef struct BloomKey {
  const char* data;
  Size size;
} BloomKey;

/* Of argument `number` of the function called. Raises an error for types that are not supported. */
void bloom_key_type(FunctionCallInfo fcinfo, int number, BloomKeyType* type);
/* The funnel that a new filter gets for the type. */
const char* bloom_funnel_of(const BloomKeyType* type);
/* Completes the type for a filter; raises an error where its keys are of another type. */
void bloom_match_funnel(const bloomery_filter* filter, BloomKeyType* type);
/* Of BLOOM_KEY_INTEGER. */
int64 bloom_key_integer(const BloomKeyType* type, Datum key);
/* Of the others; the bytes are the datum's, or in the current memory context. */
BloomKey bloom_key_bytes(const BloomKeyType* type, Datum key);

/* ---- other ---- */

void bloom_options_of(uint64 keys, double rate, const char* funnel, bloomery_options* options);
uint64 bloom_positive(int64 value, const char* what);

#endif /* BLOOMERY_PG_H_ */
