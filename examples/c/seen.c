/* Writes the lines of standard input into a filter, or looks them up in one.
 *   seen write FILE KEYS RATE LAYOUT < records
 *   seen read FILE < records              prints 1 or 0 per record, then the filter's verdict
 * cc -std=c99 seen.c -o seen $(pkg-config --cflags --libs bloomery-c) */
#define _POSIX_C_SOURCE 200809L
#include <bloomery/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code) {
  if (code == BLOOMERY_OK) return;
  fprintf(stderr, "seen: %s\n", bloomery_last_error());
  exit(2);
}

/* All lines of standard input, in one allocation each. */
static bloomery_key *read_lines(size_t *count) {
  bloomery_key *keys = NULL;
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  for (*count = 0; (size = getline(&line, &room, stdin)) > 0; ++*count) {
    if (line[size - 1] == '\n') --size;
    keys = realloc(keys, (*count + 1) * sizeof *keys);
    keys[*count].data = line;
    keys[*count].size = (size_t)size;
    line = NULL;
  }
  return keys;
}

int main(int argc, char **argv) {
  size_t count, i;
  bloomery_filter *filter;
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  if (argc < 3) return 2;
  bloomery_key *keys = read_lines(&count);
  if (strcmp(argv[1], "write") == 0 && argc == 6) {
    bloomery_options options = BLOOMERY_OPTIONS_INIT;
    options.keys = strtoull(argv[3], NULL, 10);
    options.rate = strtod(argv[4], NULL);
    options.layout = argv[5];
    check(bloomery_create(&options, &filter));
    check(bloomery_insert(filter, keys, count, NULL, NULL));
    check(bloomery_save(filter, argv[2], NULL));
  } else {
    uint8_t *answers = malloc(count + 1);
    check(bloomery_load(argv[2], NULL, 0, NULL, &filter));
    check(bloomery_may_contain(filter, keys, count, answers, NULL));
    check(bloomery_get_health(filter, &health));
    for (i = 0; i < count; ++i) printf("%d\n", answers[i]);
    printf("%s\n", health.verdict == BLOOMERY_VERDICT_OK ? "ok" : "not ok");
  }
  bloomery_free(filter);
  return 0;
}
