// A filter on a web server, by the component remote: consumer ADDRESS TOKEN. Prints an answer for
// each of two keys.
#include <bloomery/remote/block.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace {

int report(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return 1;
}

int query(const std::string& address, const std::string& token) {
  bloomery::RemoteOptions remote;
  remote.headers = {"Authorization: Bearer " + token};
  auto file = bloomery::RemoteFile::open(address, remote);
  if (!file) return report(file.error().message);
  auto filter = bloomery::RemoteBlock::open(std::move(*file), {});
  if (!filter) return report(filter.error().message);

  const std::array keys{bloomery::bytes_of("apple"), bloomery::bytes_of("other 0")};
  std::array<std::uint8_t, keys.size()> answers{};
  const auto answered = filter->may_contain_batch(keys, answers);
  if (!answered) return report(answered.error().message);
  std::printf("%d %d\n", answers[0], answers[1]);
  return 0;
}

}  // namespace

int main(int, char** argv) { return query(argv[1], argv[2]); }
