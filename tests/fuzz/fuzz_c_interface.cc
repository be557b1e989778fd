// Calls of the C interface, chosen by the bytes of the input: a filter is decoded, loaded, mapped
// or created, then used, merged, folded, written and saved. What a call promises is checked: codes,
// outputs that stay NULL, keys that stay in.
#include <bloomery/c.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/base/scratch_folder.h"

namespace {

constexpr std::uint64_t kMaxBytes = 1 << 20;

// Takes bytes from the front; 0 once they are used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_{data}, size_{size} {}
  std::uint8_t byte() { return size_ == 0 ? std::uint8_t{0} : (--size_, *data_++); }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (int i = 0; i < 3; ++i) value = value << 8 | byte();
    return value;
  }
  bool empty() const { return size_ == 0; }
  const std::uint8_t* rest() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

void demand(bool condition) {
  if (!condition) std::abort();
}

// A call fails with a sentence, and never for a defect of the library.
int checked(int code) {
  demand(code >= BLOOMERY_OK && code <= BLOOMERY_NO_MEMORY);
  demand(code == BLOOMERY_OK || *bloomery_last_error() != '\0');
  return code;
}

std::size_t format_count() {
  std::size_t count = 0;
  while (bloomery_formats()[count] != nullptr) ++count;
  return count;
}

const char* funnel_of(Input& input) {
  static constexpr const char* kFunnels[] = {nullptr, "u64",   "i64", "i32",
                                             "bool",  "utf16", "f32", "none"};
  return kFunnels[input.byte() % std::size(kFunnels)];
}

bloomery_filter* created(Input& input) {
  static constexpr const char* kLayouts[] = {nullptr,    "block",    "lines",     "classic",
                                             "counting", "scalable", "concurrent"};
  static constexpr const char* kHashes[] = {nullptr, "xxh3", "aes", "mix", "siphash"};
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  options.max_bytes = kMaxBytes;
  options.format = bloomery_formats()[input.byte() % format_count()];
  options.layout = kLayouts[input.byte() % std::size(kLayouts)];
  options.hash = kHashes[input.byte() % std::size(kHashes)];
  options.funnel = funnel_of(input);
  const std::uint8_t sizes = input.byte();
  if ((sizes & 1) != 0) options.keys = input.number();
  if ((sizes & 2) != 0) options.rate = input.number() / 65536.0;
  if ((sizes & 4) != 0) options.bits = input.number();
  if ((sizes & 8) != 0) options.probes = input.byte();
  if ((sizes & 16) != 0) options.blocks = input.byte();
  if ((sizes & 32) != 0) options.counter_bits = input.byte();
  if ((sizes & 64) != 0) options.growth = input.byte();
  if ((sizes & 128) != 0) options.secret = "secret", options.secret_size = 6;
  bloomery_sizing sizing = BLOOMERY_SIZING_INIT;
  checked(bloomery_size(&options, &sizing));
  bloomery_filter* filter = nullptr;
  const int code = checked(bloomery_create(&options, &filter));
  demand((code == BLOOMERY_OK) == (filter != nullptr));
  return filter;
}

// The rest of the input as a file that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(const Input& input)
      : file_{::memfd_create("input", MFD_CLOEXEC)},
        is_written_{file_ >= 0 && ::write(file_, input.rest(), input.size()) ==
                                      static_cast<ssize_t>(input.size())} {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (file_ >= 0) ::close(file_);
  }
  bool is_written() const { return is_written_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
  bool is_written_;
};

bloomery_filter* decoded(Input& input) {
  bloomery_load_options options = BLOOMERY_LOAD_OPTIONS_INIT;
  const std::uint8_t which = input.byte();
  const char* format = which == 255 ? nullptr : bloomery_formats()[which % format_count()];
  options.funnel = funnel_of(input);
  const std::uint8_t given = input.byte();
  if ((given & 1) != 0) options.bits = input.number();
  if ((given & 2) != 0) options.probes = input.byte();
  if ((given & 4) != 0) options.keys = input.number();
  if ((given & 8) != 0) options.rate = input.byte() / 256.0;
  options.concurrent = (given & 16) != 0 ? 1 : 0;
  if ((given & 32) != 0) options.secret = "secret", options.secret_size = 6;
  bloomery_filter* filter = nullptr;
  int code = 0;
  if ((given & 64) != 0) {
    const MemoryFile file{input};
    if (!file.is_written()) return nullptr;
    // A mapped file stays mapped when its descriptor is closed.
    code = (given & 128) != 0
               ? bloomery_map(file.path().c_str(), &options, &filter)
               : bloomery_load(file.path().c_str(), format, kMaxBytes, &options, &filter);
  } else {
    code = bloomery_decode(input.rest(), input.size(), format, kMaxBytes, &options, &filter);
  }
  demand((checked(code) == BLOOMERY_OK) == (filter != nullptr));
  if (filter != nullptr) checked(bloomery_verify(filter));
  return filter;
}

// Keys stored in one of the ways of bloomery_keys; offsets may be nonsense, which is refused.
void use_keys(bloomery_filter* filter, Input& input) {
  const std::vector<std::uint8_t> data(input.rest(),
                                       input.rest() + std::min<std::size_t>(input.size(), 256));
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  std::uint8_t out[32];
  std::vector<std::int32_t> narrow(34);
  std::vector<std::int64_t> wide(34);
  std::vector<std::uint64_t> numbers(33);
  std::vector<bloomery_key> views(33);
  keys.type = input.byte() % 8U;
  keys.count = input.byte() % 32U;
  keys.offset = input.byte() % 2U;
  keys.width = input.byte() % 9U;
  const std::uint8_t mode = input.byte();
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const int step = (mode & 1) != 0 ? static_cast<std::int8_t>(input.byte()) : 3;
    wide[i] = narrow[i] = static_cast<std::int32_t>(i == 0 ? 0 : narrow[i - 1] + step);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::uint64_t{input.number()} << (mode % 41U);
    views[i] = {data.data(), std::min<std::size_t>(data.size(), i)};
  }
  std::uint8_t validity[8];
  std::memset(validity, mode, sizeof validity);
  if ((mode & 2) != 0) keys.validity = validity;
  keys.data_size = data.size();
  keys.offsets =
      keys.type == BLOOMERY_KEYS_OFFSETS32 ? static_cast<const void*>(narrow.data()) : wide.data();
  keys.data = data.data();
  if (keys.type == BLOOMERY_KEYS_BYTES) keys.data = views.data();
  if (keys.type == BLOOMERY_KEYS_U64 || keys.type == BLOOMERY_KEYS_I64) keys.data = numbers.data();
  if (keys.type == BLOOMERY_KEYS_FIXED && (keys.count + keys.offset) * keys.width > data.size())
    return;
  std::size_t count = 0;
  if (checked(bloomery_insert_keys(filter, &keys, out, &count)) == BLOOMERY_OK) {
    demand(count <= keys.count);
    std::size_t valid = 0;
    for (std::size_t i = 0; i < keys.count; ++i) {
      const std::size_t at = keys.offset + i;
      valid += keys.validity == nullptr || (validity[at / 8] >> (at % 8) & 1) != 0 ? 1 : 0;
    }
    if (checked(bloomery_may_contain_keys(filter, &keys, out, &count)) == BLOOMERY_OK)
      demand(count == valid);  // what went in is found
  }
  if ((mode & 4) != 0) checked(bloomery_remove_keys(filter, &keys, nullptr, &count));
}

bloomery_info info_of(const bloomery_filter* filter) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  demand(bloomery_get_info(filter, &info) == BLOOMERY_OK);
  return info;
}

void demand_equal(const bloomery_filter* filter, bloomery_filter* again) {
  int equal = 0;
  demand(bloomery_equal(filter, again, &equal) == BLOOMERY_OK && equal == 1);
  bloomery_free(again);
}

void check_round_trip(const bloomery_filter* filter) {
  void* bytes = nullptr;
  std::size_t size = 0;
  if (checked(bloomery_encode(filter, nullptr, &bytes, &size)) != BLOOMERY_OK) {
    demand(bytes == nullptr);
    return;
  }
  const bloomery_info info = info_of(filter);
  if (std::strcmp(info.format, "bloomery") == 0 && info.keyed == 0) {
    bloomery_filter* again = nullptr;
    demand(bloomery_decode(bytes, size, nullptr, 4 * kMaxBytes, nullptr, &again) == BLOOMERY_OK);
    demand_equal(filter, again);
  }
  bloomery_free_bytes(bytes);
}

// What is saved is loaded and mapped again.
void check_saved(const bloomery_filter* filter) {
  const bloomery::ScratchFolder folder;
  const std::string path = folder / "filter";
  if (checked(bloomery_save(filter, path.c_str(), nullptr)) != BLOOMERY_OK) {
    demand(folder.entries() == 0);
    return;
  }
  const bloomery_info info = info_of(filter);
  if (std::strcmp(info.format, "bloomery") != 0 || info.keyed != 0) return;
  bloomery_filter* again = nullptr;
  demand(bloomery_load(path.c_str(), nullptr, 4 * kMaxBytes, nullptr, &again) == BLOOMERY_OK);
  demand_equal(filter, again);
  if (checked(bloomery_map(path.c_str(), nullptr, &again)) != BLOOMERY_OK) return;
  demand(bloomery_verify(again) == BLOOMERY_OK);
  demand_equal(filter, again);
}

void use_two(bloomery_filter* filter, Input& input) {
  bloomery_filter* copy = nullptr;
  if (checked(bloomery_clone(filter, &copy)) != BLOOMERY_OK) return;
  int answer = 0;
  use_keys(copy, input);
  checked(bloomery_compatible(filter, copy, &answer));
  const int merged = checked(bloomery_merge(filter, copy));
  demand((merged == BLOOMERY_OK) == (answer == 1 && info_of(filter).mapped == 0));
  checked(bloomery_is_subset(filter, copy, &answer));
  checked(bloomery_intersect(filter, copy));
  bloomery_filter* folded = nullptr;
  checked(bloomery_fold(filter, input.byte(), &folded));
  bloomery_free(folded);
  bloomery_free(copy);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  bloomery_filter* filter = (input.byte() & 1) != 0 ? created(input) : decoded(input);
  if (filter == nullptr) return 0;
  for (int calls = 0; calls < 4 && !input.empty(); ++calls) {
    use_keys(filter, input);
    const std::uint8_t next = input.byte();
    bloomery_health health = BLOOMERY_HEALTH_INIT;
    if ((next & 1) != 0) checked(bloomery_get_health(filter, &health));
    char* json = nullptr;
    if ((next & 2) != 0) checked(bloomery_describe(filter, 0, &json));
    bloomery_free_bytes(json);
    if ((next & 4) != 0) check_round_trip(filter);
    if ((next & 8) != 0) use_two(filter, input);
    if ((next & 16) != 0) checked(bloomery_clear(filter));
    if ((next & 32) != 0) check_saved(filter);
  }
  bloomery_free(filter);
  return 0;
}
