/* Every call of <bloomery/c.h> as a C program makes it: answers, errors, NULL, sizes of 0, and filters of the
 * wrong kind. usage: calls FOLDER */
#include "check.h"

#define COUNT 1000

static const char *folder;
static char texts[COUNT][16];
static bloomery_key keys[COUNT];
static uint64_t numbers[COUNT];

static bloomery_options options_for(const char *layout, const char *funnel) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  options.keys = COUNT;
  options.rate = 0.01;
  options.layout = layout;
  options.funnel = funnel;
  return options;
}

static bloomery_filter *made(const char *layout, const char *funnel) {
  bloomery_options options = options_for(layout, funnel);
  bloomery_filter *filter = NULL;
  OK(bloomery_create(&options, &filter));
  CHECK(filter != NULL);
  return filter;
}

static const char *path_of(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static size_t found_in(const bloomery_filter *filter) {
  size_t found = 0;
  OK(bloomery_may_contain(filter, keys, COUNT, NULL, &found));
  return found;
}

static void test_bytes(const char *layout) {
  bloomery_filter *filter = made(layout, NULL);
  uint8_t is_new[COUNT], answers[COUNT];
  size_t added = 0, ones = 0, found = 7, i;
  int one = -1;
  CHECK(found_in(filter) == 0);
  OK(bloomery_insert(filter, keys, COUNT, is_new, &added));
  for (i = 0; i < COUNT; ++i) ones += is_new[i];
  CHECK(added == ones && added > COUNT * 97 / 100 && is_new[0] == 1);
  memset(answers, 7, sizeof answers);
  OK(bloomery_may_contain(filter, keys, COUNT, answers, &found));
  CHECK(found == COUNT);
  for (i = 0; i < COUNT; ++i) CHECK(answers[i] == 1);
  OK(bloomery_insert_one(filter, "0", 1, &one));
  CHECK(one == 0);
  OK(bloomery_insert_one(filter, "brand new", 9, &one));
  CHECK(one == 1);
  OK(bloomery_may_contain_one(filter, "brand new", 9, &one));
  CHECK(one == 1);
  OK(bloomery_may_contain_one(filter, "absent for sure", 15, &one));
  CHECK(one == 0);
  OK(bloomery_insert_one(filter, NULL, 0, NULL)); /* the empty key */
  OK(bloomery_may_contain_one(filter, "", 0, &one));
  CHECK(one == 1);
  OK(bloomery_clear(filter));
  CHECK(found_in(filter) == 0);
  bloomery_free(filter);
}

/* The bits of numbers do not depend on how they are handed over. */
static void test_numbers(const char *layout, const char *funnel) {
  bloomery_filter *a = made(layout, funnel), *b = made(layout, funnel), *c = made(layout, funnel);
  bloomery_keys fixed = BLOOMERY_KEYS_INIT;
  uint8_t valid[(COUNT + 7) / 8];
  size_t found = 0, i;
  int equal = 0;
  memset(valid, 0xff, sizeof valid);
  for (i = 0; i < COUNT; ++i) OK(bloomery_insert_u64(a, &numbers[i], 1, NULL, NULL));
  OK(bloomery_insert_i64(b, (const int64_t *)numbers, COUNT, NULL, NULL));
  fixed.type = BLOOMERY_KEYS_FIXED;
  fixed.width = 8;
  fixed.data = numbers;
  fixed.count = COUNT;
  OK(bloomery_insert_keys(c, &fixed, NULL, NULL));
  OK(bloomery_equal(a, b, &equal));
  CHECK(equal == 1);
  OK(bloomery_equal(a, c, &equal));
  CHECK(equal == 1);
  fixed.type = BLOOMERY_KEYS_U64;
  fixed.validity = valid;
  OK(bloomery_may_contain_keys(a, &fixed, NULL, &found));
  CHECK(found == COUNT);
  OK(bloomery_may_contain_u64(a, numbers, COUNT, NULL, &found));
  CHECK(found == COUNT);
  bloomery_free(a);
  bloomery_free(b);
  bloomery_free(c);
}

/* Negative ones too, with every hash: handed over as numbers, as their bytes, and one by one. */
static void test_signed_numbers(const char *layout, const char *hash) {
  bloomery_options options = options_for(layout, "i64");
  bloomery_filter *made_by[4];
  int64_t values[COUNT];
  uint8_t answers[COUNT], fixed_answers[COUNT];
  bloomery_keys fixed = BLOOMERY_KEYS_INIT;
  size_t i;
  int equal = 0;
  options.hash = hash;
  if (strcmp(hash, "siphash") == 0) options.secret = "only for us", options.secret_size = 11;
  for (i = 0; i < 4; ++i) OK(bloomery_create(&options, &made_by[i]));
  for (i = 0; i < COUNT; ++i) values[i] = ((int64_t)i - COUNT / 2) * 0x40c5ab8e5f2d61;
  values[0] = INT64_MIN;
  values[1] = INT64_MAX;
  values[2] = -1;
  fixed.type = BLOOMERY_KEYS_FIXED;
  fixed.width = 8;
  fixed.data = values;
  fixed.count = COUNT / 2;
  OK(bloomery_insert_i64(made_by[0], values, COUNT / 2, NULL, NULL));
  OK(bloomery_insert_i64(made_by[1], values, COUNT / 2, answers, NULL));
  OK(bloomery_insert_keys(made_by[2], &fixed, fixed_answers, NULL));
  CHECK(memcmp(answers, fixed_answers, COUNT / 2) == 0);
  for (i = 0; i < COUNT / 2; ++i) OK(bloomery_insert_i64(made_by[3], &values[i], 1, NULL, NULL));
  for (i = 1; i < 4; ++i) {
    OK(bloomery_equal(made_by[0], made_by[i], &equal));
    CHECK(equal == 1);
  }
  fixed.count = COUNT;
  OK(bloomery_may_contain_i64(made_by[0], values, COUNT, answers, NULL));
  OK(bloomery_may_contain_keys(made_by[0], &fixed, fixed_answers, NULL));
  CHECK(memcmp(answers, fixed_answers, COUNT) == 0);
  for (i = 0; i < COUNT / 2; ++i) CHECK(answers[i] == 1);
  for (i = 0; i < 4; ++i) bloomery_free(made_by[i]);
}

static void test_narrow_numbers(void) {
  bloomery_filter *filter = made("classic", "i32"), *u64 = made("block", "u64");
  int64_t small[] = {-5, 7}, large[] = {1, (int64_t)1 << 31};
  int32_t bytes[] = {-5, 7};
  bloomery_key as_bytes[] = {{&bytes[0], 4}, {&bytes[1], 4}}, wrong[] = {{"ab", 2}};
  size_t found = 0;
  OK(bloomery_insert_i64(filter, small, 2, NULL, NULL));
  OK(bloomery_may_contain(filter, as_bytes, 2, NULL, &found));
  CHECK(found == 2);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "key 1 is 2147483648",
          bloomery_insert_i64(filter, large, 2, NULL, NULL));
  OK(bloomery_may_contain_i64(filter, large, 1, NULL, &found)); /* nothing went in */
  CHECK(found == 0);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "key 0 has 2 bytes", bloomery_insert(filter, wrong, 1, NULL, NULL));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "key 0 is -5", bloomery_insert_i64(u64, small, 2, NULL, NULL));
  bloomery_free(filter);
  bloomery_free(u64);
}

/* Arrow's arrays: offsets into one text, nulls, a slice. */
static void test_arrow(void) {
  bloomery_filter *filter = made(NULL, NULL);
  const char *text = "applepearfig";
  int32_t offsets[] = {0, 5, 9, 9, 12}; /* apple, pear, "", fig */
  int64_t wide[] = {0, 5, 9, 9, 12};
  uint8_t validity[] = {0x0b}, is_new[4] = {9, 9, 9, 9}, answers[3];
  bloomery_keys batch = BLOOMERY_KEYS_INIT;
  size_t added = 0, found = 0;
  int one = -1;
  batch.type = BLOOMERY_KEYS_OFFSETS32;
  batch.count = 4;
  batch.data = text;
  batch.data_size = 12;
  batch.offsets = offsets;
  batch.validity = validity;
  OK(bloomery_insert_keys(filter, &batch, is_new, &added));
  CHECK(added == 3 && is_new[0] == 1 && is_new[1] == 1 && is_new[2] == 0 && is_new[3] == 1);
  OK(bloomery_may_contain_one(filter, "", 0, &one));
  CHECK(one == 0); /* the null was not inserted */
  batch.type = BLOOMERY_KEYS_OFFSETS64;
  batch.offsets = wide;
  batch.offset = 1;
  batch.count = 3;
  OK(bloomery_may_contain_keys(filter, &batch, answers, &found));
  CHECK(found == 2 && answers[0] == 1 && answers[1] == 0 && answers[2] == 1);
  batch.data_size = 11;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "end at 12", bloomery_insert_keys(filter, &batch, NULL, NULL));
  batch.data_size = 12;
  wide[2] = 4;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "fall", bloomery_insert_keys(filter, &batch, NULL, NULL));
  wide[1] = -1;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "negative", bloomery_insert_keys(filter, &batch, NULL, NULL));
  batch.offset = 1;
  batch.count = SIZE_MAX - 4;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "beyond", bloomery_insert_keys(filter, &batch, NULL, NULL));
  batch.count = 3;
  batch.offset = SIZE_MAX - 1;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "beyond", bloomery_insert_keys(filter, &batch, NULL, NULL));
  bloomery_free(filter);
}

static void test_counting(void) {
  bloomery_filter *filter = made("counting", NULL), *block = made("block", NULL);
  size_t removed = 0, found = 0;
  OK(bloomery_insert(filter, keys, COUNT, NULL, NULL));
  OK(bloomery_remove(filter, keys, COUNT, NULL, &removed));
  CHECK(removed == COUNT);
  OK(bloomery_may_contain(filter, keys, COUNT, NULL, &found));
  CHECK(found == 0);
  REFUSED(BLOOMERY_UNSUPPORTED, "cannot remove", bloomery_remove(block, keys, 1, NULL, NULL));
  bloomery_free(filter);
  bloomery_free(block);
}

static void test_two_filters(const char *layout, int intersects) {
  bloomery_filter *a = made(layout, NULL), *b = made(layout, NULL), *all = made(layout, NULL);
  bloomery_filter *other, *copy, *number = made(layout, "u64");
  bloomery_options options = options_for(layout, NULL);
  int answer = -1;
  OK(bloomery_insert(a, keys, 300, NULL, NULL));
  OK(bloomery_insert(b, keys + 300, 300, NULL, NULL));
  OK(bloomery_insert(all, keys, 600, NULL, NULL));
  options.keys = 5000;
  OK(bloomery_create(&options, &other));
  OK(bloomery_compatible(a, b, &answer));
  CHECK(answer == 1);
  OK(bloomery_compatible(a, other, &answer));
  CHECK(answer == 0);
  OK(bloomery_compatible(a, number, &answer));
  CHECK(answer == 0);
  CHECK(bloomery_merge(a, other) == BLOOMERY_INVALID_ARGUMENT);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "funnels", bloomery_merge(a, number));
  OK(bloomery_equal(a, all, &answer));
  CHECK(answer == 0);
  OK(bloomery_clone(a, &copy));
  OK(bloomery_merge(copy, b));
  OK(bloomery_equal(copy, all, &answer));
  CHECK(answer == 1);
  if (intersects) {
    OK(bloomery_is_subset(a, all, &answer));
    CHECK(answer == 1);
    OK(bloomery_is_subset(all, a, &answer));
    CHECK(answer == 0);
    OK(bloomery_intersect(copy, a));
    OK(bloomery_equal(copy, a, &answer));
    CHECK(answer == 1);
  } else {
    CHECK(bloomery_intersect(copy, a) == BLOOMERY_UNSUPPORTED);
  }
  bloomery_free(a);
  bloomery_free(b);
  bloomery_free(all);
  bloomery_free(other);
  bloomery_free(copy);
  bloomery_free(number);
}

static void test_fold(void) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *filter, *folded, *none = (bloomery_filter *)keys;
  bloomery_info before = BLOOMERY_INFO_INIT, after = BLOOMERY_INFO_INIT;
  options.bits = 65536;
  OK(bloomery_create(&options, &filter));
  OK(bloomery_insert(filter, keys, COUNT, NULL, NULL));
  OK(bloomery_fold(filter, 2, &folded));
  OK(bloomery_get_info(filter, &before));
  OK(bloomery_get_info(folded, &after));
  CHECK(before.bits == 65536 && after.bits == 32768 && found_in(folded) == COUNT);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "folded by 7", bloomery_fold(filter, 7, &none));
  CHECK(none == NULL);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "folded by 0", bloomery_fold(filter, 0, &none));
  bloomery_free(filter);
  bloomery_free(folded);
}

static void test_health(void) {
  bloomery_filter *filter = made("auto", NULL);
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  bloomery_info info = BLOOMERY_INFO_INIT;
  bloomery_sizing sizing = BLOOMERY_SIZING_INIT;
  bloomery_options options = options_for("auto", NULL);
  char *json = NULL;
  size_t added = 0;
  OK(bloomery_insert(filter, keys, COUNT, NULL, &added));
  OK(bloomery_get_health(filter, &health));
  CHECK(health.verdict == BLOOMERY_VERDICT_OK && health.keys_inserted == added);
  CHECK(health.goal_keys == COUNT && health.goal_rate == 0.01 && health.sampled == 0);
  CHECK(health.rate > 0.003 && health.rate < 0.0105 && health.fill > 0.3 && health.fill < 0.7);
  CHECK(health.estimated_keys > 900 && health.estimated_keys < 1100);
  OK(bloomery_get_info(filter, &info));
  CHECK(strcmp(info.layout, "block") == 0 && strcmp(info.hash, "xxh3-64") == 0);
  CHECK(strcmp(info.format, "bloomery") == 0 && strcmp(info.funnel, "bytes") == 0);
  OK(bloomery_size(&options, &sizing));
  CHECK(sizing.bits == info.bits && sizing.bytes == info.bytes && sizing.probes == info.probes);
  CHECK(sizing.keys == COUNT && sizing.rate > 0.005 && sizing.rate <= 0.01);
  CHECK(strcmp(sizing.layout, "block") == 0);
  OK(bloomery_describe(filter, 0, &json));
  CHECK(strstr(json, "\"layout\":\"block\"") != NULL && json[strlen(json) - 1] == '}');
  bloomery_free_bytes(json);
  REFUSED(BLOOMERY_UNSUPPORTED, "flag", bloomery_describe(filter, 256, &json));
  CHECK(json == NULL);
  bloomery_free(filter);
}

static void test_files(const char *layout) {
  bloomery_filter *filter = made(layout, NULL), *loaded, *mapped, *decoded, *none;
  bloomery_info info = BLOOMERY_INFO_INIT;
  void *bytes = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  int equal = 0;
  OK(bloomery_insert(filter, keys, COUNT, NULL, NULL));
  OK(bloomery_save(filter, path_of("file.bloom"), NULL));
  OK(bloomery_load(path_of("file.bloom"), NULL, 0, NULL, &loaded));
  OK(bloomery_map(path_of("file.bloom"), NULL, &mapped));
  OK(bloomery_encode(mapped, NULL, &bytes, &size));
  OK(bloomery_encode(loaded, "bloomery", &again, &again_size));
  CHECK(size == again_size && memcmp(bytes, again, size) == 0);
  OK(bloomery_decode(bytes, size, "auto", 0, NULL, &decoded));
  OK(bloomery_equal(decoded, mapped, &equal));
  CHECK(equal == 1 && found_in(mapped) == COUNT && found_in(loaded) == COUNT);
  OK(bloomery_get_info(mapped, &info));
  CHECK(info.mapped == 1 && info.bytes == size);
  OK(bloomery_verify(mapped));
  OK(bloomery_verify(loaded));
  REFUSED(BLOOMERY_UNSUPPORTED, "read-only", bloomery_insert(mapped, keys, 1, NULL, NULL));
  REFUSED(BLOOMERY_UNSUPPORTED, "read-only", bloomery_remove(mapped, keys, 1, NULL, NULL));
  REFUSED(BLOOMERY_UNSUPPORTED, "read-only", bloomery_merge(mapped, loaded));
  REFUSED(BLOOMERY_UNSUPPORTED, "read-only", bloomery_clear(mapped));
  REFUSED(BLOOMERY_TOO_LARGE, "limit", bloomery_decode(bytes, size, NULL, 100, NULL, &none));
  CHECK(none == NULL);
  REFUSED(BLOOMERY_TOO_LARGE, "file.bloom", bloomery_load(path_of("file.bloom"), NULL, 100, NULL, &none));
  REFUSED(BLOOMERY_IO, "nothing", bloomery_load(path_of("nothing"), NULL, 0, NULL, &none));
  REFUSED(BLOOMERY_IO, "nothing", bloomery_map(path_of("nothing"), NULL, &none));
  CHECK(bloomery_decode(bytes, size - 1, NULL, 0, NULL, &none) == BLOOMERY_TRUNCATED);
  ((char *)bytes)[size - 1] ^= 1;
  CHECK(bloomery_decode(bytes, size, NULL, 0, NULL, &none) == BLOOMERY_MALFORMED && none == NULL);
  REFUSED(BLOOMERY_IO, "/nowhere", bloomery_save(filter, "/nowhere/file", NULL));
  REFUSED(BLOOMERY_UNSUPPORTED, "guava", bloomery_save(filter, path_of("x"), "guava"));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "bloomery::remote", bloomery_load("https://ann:pw@host/f.bloom", NULL, 0, NULL, &none));
  CHECK(none == NULL && strstr(bloomery_last_error(), "pw") == NULL);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "bloomery::remote", bloomery_map("HTTP://host/f.bloomset", NULL, &none));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "web address", bloomery_save(filter, "http://host/f.bloom", NULL));
  REFUSED(BLOOMERY_IO, "httpx://host", bloomery_load("httpx://host/f.bloom", NULL, 0, NULL, &none));
  bloomery_free_bytes(bytes);
  bloomery_free_bytes(again);
  bloomery_free(filter);
  bloomery_free(loaded);
  bloomery_free(mapped);
  bloomery_free(decoded);
}

static void test_secret(void) {
  bloomery_options options = options_for(NULL, NULL);
  bloomery_load_options secret = BLOOMERY_LOAD_OPTIONS_INIT;
  bloomery_filter *filter, *none;
  options.hash = "siphash";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret", bloomery_create(&options, &filter));
  CHECK(filter == NULL);
  options.secret_size = secret.secret_size = 11; /* of nothing */
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret is NULL, and its size is 11", bloomery_create(&options, &none));
  options.hash = NULL; /* not a filter without a secret in its place */
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret is NULL", bloomery_create(&options, &none));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret is NULL", bloomery_load(path_of("secret.bloom"), NULL, 0, &secret, &none));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret is NULL", bloomery_map(path_of("secret.bloom"), &secret, &none));
  options.hash = "siphash";
  options.secret = secret.secret = "only for us";
  options.secret_size = secret.secret_size = 11;
  OK(bloomery_create(&options, &filter));
  OK(bloomery_insert(filter, keys, COUNT, NULL, NULL));
  OK(bloomery_save(filter, path_of("secret.bloom"), NULL));
  bloomery_free(filter);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "secret", bloomery_load(path_of("secret.bloom"), NULL, 0, NULL, &none));
  OK(bloomery_map(path_of("secret.bloom"), &secret, &filter));
  CHECK(found_in(filter) == COUNT);
  bloomery_filter *copy;
  OK(bloomery_clone(filter, &copy));
  CHECK(found_in(copy) == COUNT);
  bloomery_free(copy);
  bloomery_free(filter);
  secret.secret = "another one";
  CHECK(bloomery_load(path_of("secret.bloom"), NULL, 0, &secret, &none) == BLOOMERY_MALFORMED);
}

/* Every format that can be made: created, filled, encoded, decoded, found. */
static void test_formats(void) {
  const char *const *name;
  int made_count = 0;
  for (name = bloomery_formats(); *name != NULL; ++name) {
    bloomery_options options = BLOOMERY_OPTIONS_INIT;
    bloomery_load_options load = BLOOMERY_LOAD_OPTIONS_INIT;
    bloomery_filter *filter, *again;
    uint32_t flags = 0;
    void *bytes;
    size_t size, found = 0;
    OK(bloomery_format_flags(*name, &flags));
    options.format = *name;
    if (strncmp(*name, "eventhorizon", 12) == 0) {
      options.bits = load.bits = 9600;
      options.probes = load.probes = 7;
    } else if (strcmp(*name, "ethereum") != 0) {
      options.keys = COUNT;
    }
    if (strcmp(*name, "go-bloom") == 0) {
      load.keys = COUNT;
      load.rate = options.rate = 0.01;
    }
    if ((flags & BLOOMERY_FORMAT_CREATED) == 0) {
      REFUSED(BLOOMERY_UNSUPPORTED, "cannot be made", bloomery_create(&options, &filter));
      continue;
    }
    OK(bloomery_create(&options, &filter));
    ++made_count;
    if (bloomery_insert(filter, keys, 100, NULL, NULL) == BLOOMERY_UNSUPPORTED) {
      bloomery_free(filter);
      continue; /* leveldb:block takes keys from a table */
    }
    OK(bloomery_encode(filter, NULL, &bytes, &size));
    OK(bloomery_decode(bytes, size, *name, 0, &load, &again));
    OK(bloomery_may_contain(again, keys, 100, NULL, &found));
    CHECK(found == 100);
    if ((flags & BLOOMERY_FORMAT_RECOGNIZED) != 0 && load.bits == 0) {
      bloomery_filter *guessed = NULL;
      const int code = bloomery_decode(bytes, size, NULL, 0, NULL, &guessed);
      CHECK(code == BLOOMERY_OK || strncmp(*name, "leveldb", 7) == 0);
      bloomery_free(guessed);
    }
    bloomery_free_bytes(bytes);
    bloomery_free(filter);
    bloomery_free(again);
  }
  CHECK(made_count >= 17);
}

/* Options that would have no effect are refused. */
static void test_options(void) {
  bloomery_filter *none = (bloomery_filter *)keys;
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_load_options load = BLOOMERY_LOAD_OPTIONS_INIT;
  struct {
    bloomery_options known;
    uint64_t added_later;
  } newer = {BLOOMERY_OPTIONS_INIT, 0};
  const char *const *formats;
  CHECK(bloomery_create(&options, &none) == BLOOMERY_INVALID_ARGUMENT && none == NULL);
  options.keys = 10;
  options.layout = "round";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "'round' is not a layout", bloomery_create(&options, &none));
  options.layout = "block";
  options.counter_bits = 4;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "counter_bits", bloomery_create(&options, &none));
  options.counter_bits = 0;
  options.format = "guava";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "option layout", bloomery_create(&options, &none));
  options.layout = NULL;
  options.bits = 5;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "sized by keys and bits", bloomery_create(&options, &none));
  options.bits = 0;
  options.format = "pickle";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "unknown format 'pickle'", bloomery_create(&options, &none));
  options.format = NULL;
  options.hash = "md5";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "'md5' is not a hash", bloomery_create(&options, &none));
  options.hash = NULL;
  options.funnel = "i128";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "'i128' is not a funnel", bloomery_create(&options, &none));
  options.funnel = NULL;
  options.user_data_size = 3;
  for (formats = bloomery_formats(); *formats != NULL; ++formats) {
    options.format = *formats;
    REFUSED(BLOOMERY_INVALID_ARGUMENT, "user_data is NULL, and its size is 3", bloomery_create(&options, &none));
  }
  options.format = NULL;
  options.user_data_size = 0;
  options.keys = (uint64_t)1 << 40;
  REFUSED(BLOOMERY_TOO_LARGE, "limit", bloomery_create(&options, &none));
  options.struct_size = 0;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "struct_size", bloomery_create(&options, &none));
  newer.known.struct_size = sizeof newer;
  newer.known.keys = 10;
  OK(bloomery_create(&newer.known, &none));
  bloomery_free(none);
  newer.added_later = 1;
  REFUSED(BLOOMERY_UNSUPPORTED, "upgrade", bloomery_create(&newer.known, &none));
  load.bits = 5;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "stores its size", bloomery_decode("BLOOMERY", 8, "bloomery", 0, &load, &none));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "not recognised", bloomery_decode("?", 1, NULL, 0, NULL, &none));
}

static void test_null(void) {
  bloomery_filter *filter = made(NULL, NULL), *none;
  bloomery_keys batch = BLOOMERY_KEYS_INIT;
  bloomery_key wrong = {NULL, 5};
  void *bytes;
  size_t size = 5;
  int answer = 5;
  char *json;
  uint32_t flags;
  bloomery_free(NULL);
  bloomery_free_bytes(NULL);
  CHECK(bloomery_create(NULL, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_create(NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_clone(NULL, &none) == BLOOMERY_INVALID_ARGUMENT && none == NULL);
  CHECK(bloomery_clone(filter, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_insert(NULL, keys, 1, NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "array of keys is NULL", bloomery_insert(filter, NULL, 1, NULL, NULL));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "NULL for its bytes", bloomery_insert(filter, &wrong, 1, NULL, NULL));
  CHECK(bloomery_insert_one(filter, NULL, 5, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_may_contain_one(NULL, "a", 1, &answer) == BLOOMERY_INVALID_ARGUMENT && answer == 5);
  OK(bloomery_insert(filter, NULL, 0, NULL, &size));
  CHECK(size == 0);
  OK(bloomery_may_contain(filter, NULL, 0, NULL, NULL));
  CHECK(bloomery_may_contain_keys(filter, NULL, NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "unknown type", bloomery_insert_keys(filter, &batch, NULL, NULL));
  batch.type = BLOOMERY_KEYS_OFFSETS32;
  batch.count = 1;
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "offsets", bloomery_insert_keys(filter, &batch, NULL, NULL));
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "integers", bloomery_insert_u64(filter, numbers, 1, NULL, NULL));
  CHECK(bloomery_merge(filter, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_equal(filter, filter, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_fold(NULL, 2, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_clear(NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_get_health(filter, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_get_info(NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_describe(filter, 0, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_describe(NULL, 0, &json) == BLOOMERY_INVALID_ARGUMENT && json == NULL);
  CHECK(bloomery_size(NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_format_flags(NULL, &flags) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_decode(NULL, 5, NULL, 0, NULL, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_decode(NULL, 0, NULL, 0, NULL, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_load(NULL, NULL, 0, NULL, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_map("", NULL, &none) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_save(filter, NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_encode(filter, NULL, NULL, &size) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(bloomery_encode(filter, "no format", &bytes, &size) == BLOOMERY_INVALID_ARGUMENT && bytes == NULL);
  CHECK(bloomery_verify(NULL) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(strcmp(bloomery_error_name(BLOOMERY_TOO_LARGE), "too large") == 0);
  CHECK(strcmp(bloomery_error_name(99), "unknown error") == 0);
  bloomery_free(filter);
}

/* The text of a JSON value is another key than the value: no answer is better than a wrong one. */
static void test_json_keys(const char *file) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *filter = NULL;
  uint8_t answers[COUNT];
  int answer = 0;
  options.keys = 10;
  options.funnel = "json";
  REFUSED(BLOOMERY_INVALID_ARGUMENT, "'json' is not a funnel", bloomery_create(&options, &filter));
  OK(bloomery_load(file, NULL, 0, NULL, &filter));
  REFUSED(BLOOMERY_UNSUPPORTED, "JSON values", bloomery_may_contain(filter, keys, COUNT, answers, NULL));
  REFUSED(BLOOMERY_UNSUPPORTED, "JSON values", bloomery_may_contain_one(filter, "1", 1, &answer));
  REFUSED(BLOOMERY_UNSUPPORTED, "JSON values", bloomery_insert(filter, keys, COUNT, NULL, NULL));
  bloomery_free(filter);
}

int main(int argc, char **argv) {
  const char *layouts[] = {"auto", "block", "lines", "classic", "counting", "scalable", "concurrent"};
  const char *hashes[] = {"xxh3-64", "xxh3", "aes", "siphash", NULL}, **hash;
  size_t i;
  if (argc != 3) return 2;
  folder = argv[1];
  for (i = 0; i < COUNT; ++i) {
    keys[i].data = texts[i];
    keys[i].size = (size_t)snprintf(texts[i], sizeof texts[i], "%u", (unsigned)i);
    numbers[i] = i * UINT64_C(0x1234567890);
  }
  CHECK(strcmp(bloomery_last_error(), "") == 0);
  for (i = 0; i < sizeof layouts / sizeof *layouts; ++i) {
    test_bytes(layouts[i]);
    test_numbers(layouts[i], "u64");
    test_numbers(layouts[i], "i64");
    for (hash = hashes; *hash != NULL; ++hash) test_signed_numbers(layouts[i], *hash);
    test_two_filters(layouts[i], i != 4 && i != 5);
    test_files(layouts[i]);
  }
  test_narrow_numbers();
  test_arrow();
  test_counting();
  test_fold();
  test_health();
  test_secret();
  test_formats();
  test_options();
  test_null();
  test_json_keys(argv[2]);
  puts("every call");
  return 0;
}
