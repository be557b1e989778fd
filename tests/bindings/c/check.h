/* Checks of the C tests: a failed one prints where and ends the program. */
#ifndef BLOOMERY_TESTS_CHECK_H_
#define BLOOMERY_TESTS_CHECK_H_
#include <bloomery/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: %s is false (last error: %s)\n", __FILE__, __LINE__, #condition, \
              bloomery_last_error());                                                          \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)
#define OK(call) CHECK((call) == BLOOMERY_OK)
/* The call fails with this code, and the sentence has these words. */
#define REFUSED(code, words, call)                    \
  do {                                                \
    CHECK((call) == (code));                          \
    CHECK(strstr(bloomery_last_error(), words) != 0); \
  } while (0)

#endif
