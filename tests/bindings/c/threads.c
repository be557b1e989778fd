/* Many threads fill and query one concurrent filter: no key is lost, and its file equals that of one thread. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, PER_THREAD = 20000 };

static bloomery_filter *shared;

static void *work(void *argument) {
  const uint64_t first = *(const uint64_t *)argument * PER_THREAD;
  uint64_t i, batch[100];
  size_t found, j;
  for (i = 0; i < PER_THREAD; i += 100) {
    for (j = 0; j < 100; ++j) batch[j] = first + i + j;
    OK(bloomery_insert_u64(shared, batch, 100, NULL, NULL));
    OK(bloomery_may_contain_u64(shared, batch, 100, NULL, &found));
    CHECK(found == 100);
    CHECK(bloomery_insert_u64(shared, NULL, 1, NULL, NULL) == BLOOMERY_INVALID_ARGUMENT);
    CHECK(strstr(bloomery_last_error(), "NULL") != NULL); /* this thread's own */
  }
  return NULL;
}

int main(void) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *alone;
  pthread_t threads[THREADS];
  uint64_t numbers[THREADS], i;
  int equal = 0;
  options.keys = THREADS * PER_THREAD;
  options.funnel = "u64";
  OK(bloomery_create(&options, &alone));
  options.layout = "concurrent";
  OK(bloomery_create(&options, &shared));
  for (i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(strcmp(bloomery_last_error(), "") == 0);
  for (i = 0; i < THREADS * PER_THREAD; ++i) OK(bloomery_insert_u64(alone, &i, 1, NULL, NULL));
  OK(bloomery_equal(alone, shared, &equal));
  CHECK(equal == 1);
  bloomery_free(alone);
  bloomery_free(shared);
  puts("no key lost");
  return 0;
}
