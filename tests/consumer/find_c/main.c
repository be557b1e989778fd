#include <bloomery/c.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *filter = NULL;
  int answer = 0;
  options.keys = 100;
  if (bloomery_create(&options, &filter) != BLOOMERY_OK) return 1;
  if (bloomery_insert_one(filter, "apple", 5, NULL) != BLOOMERY_OK) return 2;
  if (bloomery_may_contain_one(filter, "apple", 5, &answer) != BLOOMERY_OK || answer != 1) return 3;
  bloomery_free(filter);
  printf("%s\n", bloomery_version());
  return strcmp(bloomery_version(), "0.2.0") == 0 ? 0 : 4;
}
