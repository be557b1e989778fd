// A row of bits that checks every index: which seats of a hall are taken.
#include "bloomery/filter/classic/bitmap.h"

#include <cstdio>

int main() {
  bloomery::Bitmap seats{500};
  for (const std::uint64_t seat : {7, 8, 499}) {
    if (auto taken = seats.set(seat); !taken) return 1;
  }
  if (auto freed = seats.remove(8); !freed) return 1;
  std::printf("taken: %d, free: %d\n", static_cast<int>(seats.count()),
              static_cast<int>(seats.size() - seats.count()));
  std::printf("seat 8: %s\n", *seats.get(8) ? "taken" : "free");
  if (const auto beyond = seats.get(500); !beyond)
    std::printf("%s\n", beyond.error().message.c_str());
}
