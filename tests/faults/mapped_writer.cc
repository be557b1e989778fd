// Inserts batches of keys into a mapped filter, and says after each that it is synced.
// usage: mapped_writer FILTER KEYS-OF-A-BATCH BATCHES
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bloomery/formats/native/mapped_block.h"

namespace {

int complain(const bloomery::Error& error) {
  std::fprintf(stderr, "mapped_writer: %s\n", error.message.c_str());
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 64;
  auto filter = bloomery::MappedBlock::open(arguments[1], {});
  if (!filter) return complain(filter.error());
  const int keys = std::atoi(arguments[2]);
  for (int batch = 0; batch < std::atoi(arguments[3]); ++batch) {
    for (int i = 0; i < keys; ++i) {
      const std::string key = "new-" + std::to_string(batch * keys + i);
      filter->insert(bloomery::bytes_of(key));
    }
    if (auto synced = filter->sync(); !synced) return complain(synced.error());
    const std::string line = "synced " + std::to_string(batch + 1) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return 2;
  }
  if (auto closed = filter->close(); !closed) return complain(closed.error());
  return 0;
}
