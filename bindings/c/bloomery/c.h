/* Bloom filters for C and every language that calls C: made, filled, queried, saved and loaded in
 * all formats of Bloomery. Link with -lbloomery_c (pkg-config bloomery-c, CMake bloomery::c).
 *
 *   bloomery_options options = BLOOMERY_OPTIONS_INIT;
 *   options.keys = 1000000;
 *   options.rate = 0.01;
 *   bloomery_filter *seen;
 *   if (bloomery_create(&options, &seen) != BLOOMERY_OK) puts(bloomery_last_error());
 *   bloomery_key keys[] = {{"apple", 5}, {"pear", 4}};
 *   bloomery_insert(seen, keys, 2, NULL, NULL);
 *   bloomery_save(seen, "seen.bloom", NULL);
 *   bloomery_free(seen);
 *
 * Errors: every call that can fail returns BLOOMERY_OK (0) or a code of bloomery_error. The
 * sentence that says why is bloomery_last_error() of the same thread. A call that fails leaves its
 * filter as it was and writes NULL or nothing to its outputs, unless its comment says otherwise.
 * No call ends the program or throws.
 *
 * Threads: three kinds of calls, named in the comment of each.
 *   "any thread"  needs no care.
 *   "reader"      many readers of one filter may run at the same time.
 *   "writer"      no other call may use the same filter meanwhile.
 * A filter of the layout "concurrent" is the exception: its inserts are readers too.
 *
 * Strings are UTF-8 and end in NUL. Structures begin with struct_size, which the macros *_INIT set:
 * a program that was compiled with an older header keeps working with a newer library.
 */
#ifndef BLOOMERY_C_H_
#define BLOOMERY_C_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BLOOMERY_API __attribute__((visibility("default")))
#else
#define BLOOMERY_API
#endif

#define BLOOMERY_C_VERSION_MAJOR 0
#define BLOOMERY_C_VERSION_MINOR 2
#define BLOOMERY_C_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bloomery_filter bloomery_filter;

typedef enum bloomery_error {
  BLOOMERY_OK = 0,
  BLOOMERY_INVALID_ARGUMENT = 1, /* the call asks for what cannot be */
  BLOOMERY_TRUNCATED = 2,        /* the bytes end before the format says they do */
  BLOOMERY_MALFORMED = 3,        /* the bytes contradict themselves or the format */
  BLOOMERY_UNSUPPORTED = 4,      /* the filter or the format cannot do this */
  BLOOMERY_TOO_LARGE = 5,        /* beyond the limit that the caller set */
  BLOOMERY_IO = 6,               /* the operating system reported an error */
  BLOOMERY_NO_MEMORY = 7,
  BLOOMERY_INTERNAL = 8 /* a defect of the library; please report it */
} bloomery_error;

/* ---- errors and version: any thread ---- */

/* Why the last failed call of this thread failed: one sentence, never NULL, empty before the first
 * failure. Valid until the thread's next failed call. A call that succeeds does not change it. */
BLOOMERY_API const char* bloomery_last_error(void);
/* "invalid argument" for BLOOMERY_INVALID_ARGUMENT, and so on; "unknown error" for other codes. */
BLOOMERY_API const char* bloomery_error_name(int code);
/* Of the library at run time: "0.2.0". The header's version is BLOOMERY_C_VERSION_*. */
BLOOMERY_API const char* bloomery_version(void);

/* ---- making a filter ---- */

/* What a new filter is for. 0 or NULL in a member means "not given". Sized by keys and rate, or by
 * bits; the same options give the same bits as `bloomery build`. */
typedef struct bloomery_options {
  size_t struct_size;
  uint64_t keys;       /* how many will be inserted; of a scalable filter: into its first layer */
  double rate;         /* false-positive rate once they are in; not given: 0.01 */
  uint64_t bits;       /* size, in place of keys and rate */
  uint32_t probes;     /* bits per key; not given: the best number */
  uint32_t expansion;  /* redisbloom, rediscuckoo: growth of a layer; not given: 2 */
  double bits_per_key; /* in place of the rate */
  uint64_t blocks;     /* size in blocks, in place of bits; parquet: of 32 bytes */
  const char* format;  /* a name of bloomery_formats(); not given: "bloomery" */
  const char* layout;  /* "auto", "block", "lines", "classic", "counting", "scalable" or
                          "concurrent"; not given: "auto". Only for the format bloomery, as all
                          that follows up to max_layers */
  const char* hash;    /* "xxh3-64", "xxh3", "aes", "mix" or "siphash"; not given: "xxh3-64", or
                          "xxh3" where 64 bits are too few for the goal */
  uint64_t seed;       /* of the hash, but for siphash */
  const void* secret;  /* of siphash, any bytes; kept nowhere, needed again to load the filter */
  size_t secret_size;
  uint32_t counter_bits;     /* counting: 2, 4 or 8; not given: 4 */
  uint32_t growth;           /* scalable: keys of a layer against the one before; not given: 2 */
  double tightening;         /* scalable: rate of a layer against the one before; not given: 0.5 */
  uint32_t max_layers;       /* scalable; not given: 32 */
  uint32_t base_lg;          /* leveldb:block: a filter per 2^base_lg bytes; not given: 11 */
  const char* funnel;        /* type of the keys: "bytes", "u64", "i64", "i32", "i16", "i8", "f32",
                                "f64", "bool" or "utf16"; not given: "bytes" */
  uint64_t max_bytes;        /* of memory for the new filter; not given: 1 GiB */
  const char* guava_release; /* guava: "31" or "33.4"; not given: "33.4" */
  const void* user_data;     /* dcso: stored after the filter */
  size_t user_data_size;
} bloomery_options;

/* expansion of a filter that does not grow. */
#define BLOOMERY_NO_EXPANSION UINT32_MAX

#define BLOOMERY_OPTIONS_INIT                                                                      \
  {                                                                                                \
    sizeof(bloomery_options), 0, 0.0, 0, 0, 0, 0.0, 0, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0.0, 0, \
        0, NULL, 0, NULL, NULL, 0                                                                  \
  }

/* An empty filter; any thread. The caller frees it. */
BLOOMERY_API int bloomery_create(const bloomery_options* options, bloomery_filter** filter);
/* An independent copy, in memory and writable whatever the original is; reader. Of a concurrent
 * filter: a snapshot with every key whose insert happened before, as a filter of one writer. */
BLOOMERY_API int bloomery_clone(const bloomery_filter* filter, bloomery_filter** copy);
/* NULL is allowed; writer. */
BLOOMERY_API void bloomery_free(bloomery_filter* filter);

/* What bloomery_create() would make, without making it; any thread. */
typedef struct bloomery_sizing {
  size_t struct_size;
  uint64_t keys;
  double rate;    /* expected once the keys are in */
  uint64_t bits;  /* of a counting filter: of all its counters */
  uint64_t bytes; /* of memory */
  uint32_t probes;
  uint32_t reserved;
  const char* layout; /* of the format bloomery; a static string */
} bloomery_sizing;
#define BLOOMERY_SIZING_INIT \
  { sizeof(bloomery_sizing), 0, 0.0, 0, 0, 0, 0, NULL }
/* Only for the format bloomery. Of a scalable filter: its first layer, and the rate of the whole.
 */
BLOOMERY_API int bloomery_size(const bloomery_options* options, bloomery_sizing* sizing);

/* ---- keys ---- */

/* A key of bytes. data may be NULL where size is 0: the empty key is a key like any other. */
typedef struct bloomery_key {
  const void* data;
  size_t size;
} bloomery_key;

/* How bloomery_keys are stored. Keys of bytes go into filters of the funnel "bytes"; where the
 * funnel is a number, they are its little-endian bytes, and every key must have that width. */
typedef enum bloomery_keys_type {
  BLOOMERY_KEYS_BYTES = 1,     /* data: bloomery_key[] */
  BLOOMERY_KEYS_U64 = 2,       /* data: uint64_t[]; for filters of the funnel u64, and of the other
                                  integers where every value is in range */
  BLOOMERY_KEYS_I64 = 3,       /* data: int64_t[]; likewise */
  BLOOMERY_KEYS_FIXED = 4,     /* data: keys of `width` bytes each, one after the other */
  BLOOMERY_KEYS_OFFSETS32 = 5, /* Arrow's binary and utf8: offsets int32_t[], data their bytes */
  BLOOMERY_KEYS_OFFSETS64 = 6  /* Arrow's large_binary and large_utf8: offsets int64_t[] */
} bloomery_keys_type;

typedef struct bloomery_keys {
  size_t struct_size;
  uint32_t type;           /* bloomery_keys_type */
  uint32_t width;          /* of BLOOMERY_KEYS_FIXED */
  size_t count;            /* how many keys */
  size_t offset;           /* index of the first, in data or offsets and in validity */
  const void* data;        /* NULL only where nothing is in it */
  const void* offsets;     /* offset + count + 1 of them */
  size_t data_size;        /* bytes of data that offsets may point into; of keys of a fixed width:
                              checked where it is not 0 */
  const uint8_t* validity; /* bit offset + i, from the lowest: 0 where key i is null; or NULL. A
                              null is not inserted, and every answer for it is 0 */
} bloomery_keys;
#define BLOOMERY_KEYS_INIT \
  { sizeof(bloomery_keys), 0, 0, 0, 0, NULL, NULL, 0, NULL }

/* Batches are several times as fast as one call per key. The whole batch is checked first: after
 * BLOOMERY_INVALID_ARGUMENT nothing was inserted or removed. After another error the keys before
 * it may be in. Outputs may be NULL:
 *   is_new[i], removed[i]: 1 where key i was certainly new, or was removed; 0 otherwise
 *   answers[i]:            1 where the filter may contain key i, 0 where it certainly does not
 *   added, removed_count, found: how many of them are 1
 * BLOOMERY_UNSUPPORTED where the filter takes no keys (a mapped file), knows no lookup, or cannot
 * remove (all but the layout counting and the format rediscuckoo). Remove only keys that were
 * inserted: removing others may remove keys that share their counters. */

/* Keys of bytes; writer, of a concurrent filter reader. */
BLOOMERY_API int bloomery_insert(bloomery_filter* filter, const bloomery_key* keys, size_t count,
                                 uint8_t* is_new, size_t* added);
/* Reader. */
BLOOMERY_API int bloomery_may_contain(const bloomery_filter* filter, const bloomery_key* keys,
                                      size_t count, uint8_t* answers, size_t* found);
/* Writer. */
BLOOMERY_API int bloomery_remove(bloomery_filter* filter, const bloomery_key* keys, size_t count,
                                 uint8_t* removed, size_t* removed_count);

/* Whole numbers, for filters of the funnel u64 or another integer: threads as above. */
BLOOMERY_API int bloomery_insert_u64(bloomery_filter* filter, const uint64_t* keys, size_t count,
                                     uint8_t* is_new, size_t* added);
BLOOMERY_API int bloomery_may_contain_u64(const bloomery_filter* filter, const uint64_t* keys,
                                          size_t count, uint8_t* answers, size_t* found);
BLOOMERY_API int bloomery_remove_u64(bloomery_filter* filter, const uint64_t* keys, size_t count,
                                     uint8_t* removed, size_t* removed_count);
BLOOMERY_API int bloomery_insert_i64(bloomery_filter* filter, const int64_t* keys, size_t count,
                                     uint8_t* is_new, size_t* added);
BLOOMERY_API int bloomery_may_contain_i64(const bloomery_filter* filter, const int64_t* keys,
                                          size_t count, uint8_t* answers, size_t* found);
BLOOMERY_API int bloomery_remove_i64(bloomery_filter* filter, const int64_t* keys, size_t count,
                                     uint8_t* removed, size_t* removed_count);

/* Keys of every type above, with nulls: threads as above. */
BLOOMERY_API int bloomery_insert_keys(bloomery_filter* filter, const bloomery_keys* keys,
                                      uint8_t* is_new, size_t* added);
BLOOMERY_API int bloomery_may_contain_keys(const bloomery_filter* filter, const bloomery_keys* keys,
                                           uint8_t* answers, size_t* found);
BLOOMERY_API int bloomery_remove_keys(bloomery_filter* filter, const bloomery_keys* keys,
                                      uint8_t* removed, size_t* removed_count);

/* One key of bytes; the output may be NULL. Threads and errors as for batches. */
BLOOMERY_API int bloomery_insert_one(bloomery_filter* filter, const void* data, size_t size,
                                     int* is_new);
BLOOMERY_API int bloomery_may_contain_one(const bloomery_filter* filter, const void* data,
                                          size_t size, int* answer);

/* ---- two filters, and one filter changed ---- */

/* Adds the keys of `from`; writer of `into`, reader of `from`. BLOOMERY_INVALID_ARGUMENT unless
 * both have the same layout, size, hash and funnel: make them with the same options. */
BLOOMERY_API int bloomery_merge(bloomery_filter* into, const bloomery_filter* from);
/* Keeps the keys that both may contain, and perhaps a few more; as bloomery_merge(). */
BLOOMERY_API int bloomery_intersect(bloomery_filter* into, const bloomery_filter* from);
/* *answer is 1 where bloomery_merge() of the two would succeed; reader of both. */
BLOOMERY_API int bloomery_compatible(const bloomery_filter* a, const bloomery_filter* b,
                                     int* answer);
/* *answer is 1 where both have the same bits that mean the same; reader of both. */
BLOOMERY_API int bloomery_equal(const bloomery_filter* a, const bloomery_filter* b, int* answer);
/* *answer is 1 where every key of `part` is also answered "maybe" by `whole`; reader of both. */
BLOOMERY_API int bloomery_is_subset(const bloomery_filter* part, const bloomery_filter* whole,
                                    int* answer);
/* A filter with 1/factor of the bits and the same keys, at a higher rate; reader. The factor must
 * divide the size. */
BLOOMERY_API int bloomery_fold(const bloomery_filter* filter, uint64_t factor,
                               bloomery_filter** folded);
/* Removes all keys; writer, of a concurrent filter too. */
BLOOMERY_API int bloomery_clear(bloomery_filter* filter);

/* ---- what a filter says of itself: reader ---- */

typedef enum bloomery_verdict {
  BLOOMERY_VERDICT_OK = 0,
  BLOOMERY_VERDICT_OVER_DESIGN = 1, /* the rate exceeds 1.05 times the goal */
  BLOOMERY_VERDICT_SATURATED = 2    /* 90 % of the bits are set, or the rate is 0.5 or more */
} bloomery_verdict;

#define BLOOMERY_UNKNOWN UINT64_MAX

typedef struct bloomery_health {
  size_t struct_size;
  double fill;            /* share of bits set */
  double estimated_keys;  /* distinct keys that explain it */
  double rate;            /* chance now that an absent key is answered "maybe" */
  uint64_t keys_inserted; /* as counted, or BLOOMERY_UNKNOWN */
  uint64_t goal_keys;     /* what it was made for; 0 where the file does not say */
  double goal_rate;
  uint32_t verdict; /* bloomery_verdict */
  uint32_t sampled; /* 1 where a large filter was judged by a part of it */
} bloomery_health;
#define BLOOMERY_HEALTH_INIT \
  { sizeof(bloomery_health), 0.0, 0.0, 0.0, 0, 0, 0.0, 0, 0 }
/* Reads all bits, or a large sample. BLOOMERY_UNSUPPORTED for files of many filters. */
BLOOMERY_API int bloomery_get_health(const bloomery_filter* filter, bloomery_health* health);

typedef struct bloomery_info {
  size_t struct_size;
  const char* format; /* strings are static */
  const char* layout; /* "block", ..., "concurrent"; of another system's filter: "foreign" */
  const char* funnel; /* type of the keys */
  const char* hash;   /* of the format bloomery; "" otherwise */
  uint64_t seed;
  uint64_t bits;    /* 0 where it has no single number */
  uint64_t bytes;   /* of memory; of a mapped filter: of the file */
  uint32_t probes;  /* 0 where it has no single number */
  uint32_t keyed;   /* 1 where the hash has a secret */
  uint32_t mapped;  /* 1 where the filter is a file, read-only */
  uint32_t is_open; /* 1 where the file was left open by a program that wrote it: no checksum
                       vouches for it */
} bloomery_info;
#define BLOOMERY_INFO_INIT \
  { sizeof(bloomery_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0 }
/* What it is, at once: no bits are read. */
BLOOMERY_API int bloomery_get_info(const bloomery_filter* filter, bloomery_info* info);

/* The same with health and layers as one line of JSON, as `bloomery inspect --json` prints it. The
 * caller frees it with bloomery_free_bytes(). With BLOOMERY_DESCRIBE_MEASURED the rate is also
 * measured by up to a million lookups of absent keys, which take up to a second: for formats whose
 * probes depend on each other. */
#define BLOOMERY_DESCRIBE_MEASURED 1u
BLOOMERY_API int bloomery_describe(const bloomery_filter* filter, uint32_t flags, char** json);

/* ---- bytes and files ---- */

/* The names of all formats, the last one followed by NULL; static, any thread. */
BLOOMERY_API const char* const* bloomery_formats(void);

#define BLOOMERY_FORMAT_RECOGNIZED 1u /* "auto" knows it by its first bytes */
#define BLOOMERY_FORMAT_CREATED 2u    /* bloomery_create() makes it */
/* Any thread. */
BLOOMERY_API int bloomery_format_flags(const char* format, uint32_t* flags);

/* What the bytes of a filter do not say. 0 or NULL in a member means "not given". */
typedef struct bloomery_load_options {
  size_t struct_size;
  const void* secret; /* of a filter with the hash siphash */
  size_t secret_size;
  uint64_t keys; /* size of a filter whose format has no header: go-bloom by keys and rate or by */
  double rate;   /* bits and probes, eventhorizon by bits and probes */
  uint64_t bits;
  uint32_t probes;
  uint32_t concurrent; /* 1: a concurrent filter, of a file with the layout block or lines */
  const char* funnel;  /* type of the keys: for formats that do not record it (not given: "bytes");
                          for the format bloomery it must be the file's */
} bloomery_load_options;
#define BLOOMERY_LOAD_OPTIONS_INIT \
  { sizeof(bloomery_load_options), NULL, 0, 0, 0.0, 0, 0, 0, NULL }

/* A filter from bytes, all of which are validated; any thread. format: a name of
 * bloomery_formats(), or "auto" or NULL to recognise it. max_bytes limits the memory of the
 * filter; 0 means 1 GiB. options may be NULL. The bytes are not used after the call. */
BLOOMERY_API int bloomery_decode(const void* data, size_t size, const char* format,
                                 uint64_t max_bytes, const bloomery_load_options* options,
                                 bloomery_filter** filter);
/* The same from a file or pipe; any thread. A web address is BLOOMERY_INVALID_ARGUMENT here, in
 * bloomery_map() and in bloomery_save(). */
BLOOMERY_API int bloomery_load(const char* path, const char* format, uint64_t max_bytes,
                               const bloomery_load_options* options, bloomery_filter** filter);
/* A file of the format bloomery, queried where it lies: opening costs a page or two, and programs
 * share the memory. Or the manifest of one in parts (NAME.bloomset): parts are opened as keys need
 * them, and a part that is missing or wrong fails the call that needs it, with an error that names
 * it. Read-only. Any thread. The header is validated, and the body on
 * bloomery_verify(). To change the file, replace it, as bloomery_save() does: a program that
 * truncates it in place ends its readers with SIGBUS. */
BLOOMERY_API int bloomery_map(const char* path, const bloomery_load_options* options,
                              bloomery_filter** filter);
/* Reads a mapped file and compares its checksum; reader. BLOOMERY_OK for all other filters, which
 * were validated as they were loaded. */
BLOOMERY_API int bloomery_verify(const bloomery_filter* filter);

/* The bytes of a filter; reader. format NULL: the filter's own. Another format works where both
 * find the bits of a key in the same way (BLOOMERY_UNSUPPORTED otherwise). The caller frees the
 * bytes with bloomery_free_bytes(). Of a concurrent filter: of a snapshot. */
BLOOMERY_API int bloomery_encode(const bloomery_filter* filter, const char* format, void** data,
                                 size_t* size);
/* The same into a file, replaced in one step: a crash leaves the old one or the new one. Waits up
 * to 10 s for another program that is writing the file; reader. */
BLOOMERY_API int bloomery_save(const bloomery_filter* filter, const char* path, const char* format);
/* Frees what bloomery_encode() or bloomery_describe() returned; NULL is allowed; any thread. */
BLOOMERY_API void bloomery_free_bytes(void* data);

#ifdef __cplusplus
}
#endif

#endif /* BLOOMERY_C_H_ */
