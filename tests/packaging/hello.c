/* What a program in C does with the installed library: "1 0" is right. */
#include <bloomery/c.h>
#include <stdio.h>
int main(void) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *seen = NULL;
  bloomery_key keys[] = {{"apple", 5}, {"plum", 4}};
  uint8_t answers[2];
  options.keys = 1000;
  options.rate = 0.01;
  if (bloomery_create(&options, &seen) || bloomery_insert(seen, keys, 1, NULL, NULL) ||
      bloomery_may_contain(seen, keys, 2, answers, NULL))
    return 1;
  printf("%d %d\n", answers[0], answers[1]);
  bloomery_free(seen);
  return 0;
}
