// Must not compile: the key has no funnel, and the error says how to write one.
#include "bloomery/bloomery.h"

struct Point {
  int x;
  int y;
};
bloomery::Filter<Point> points({.keys = 10, .false_positive_rate = 0.01});
