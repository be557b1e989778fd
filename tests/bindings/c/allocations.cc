// Every allocation of every call fails once: the call returns BLOOMERY_NO_MEMORY and its filter
// stays as it was, or it succeeds because it could do without. Nothing crashes, leaks past the
// handle or throws.
#include <bloomery/c.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

long countdown = -1;  // allocations that still succeed; negative: all do
long asked = 0;

bool refuses() {
  ++asked;
  if (countdown < 0) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  countdown = -1;  // one fails, those after it succeed
  return true;
}

}  // namespace

// The C library's functions, as the shared library calls them; operator new stands on malloc.
extern "C" void* malloc(std::size_t size) { return refuses() ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(std::size_t count, std::size_t size) {
  return refuses() ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  return refuses() ? nullptr : __libc_realloc(old, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return refuses() ? nullptr : __libc_memalign(alignment, size);
}

namespace {

[[noreturn]] void stop(const char* what, const std::string& call, long at) {
  std::fprintf(stderr, "%s: %s, allocation %ld (last error: %s)\n", what, call.c_str(), at,
               bloomery_last_error());
  std::exit(1);
}

bloomery_filter* made(const char* layout, const char* format = nullptr) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  options.keys = 20'000;
  options.layout = layout;
  options.format = format;
  bloomery_filter* filter = nullptr;
  if (bloomery_create(&options, &filter) != BLOOMERY_OK) stop("cannot create", layout, 0);
  return filter;
}

std::vector<bloomery_key> keys;
std::vector<std::string> texts;

std::size_t found_in(const bloomery_filter* filter) {
  std::size_t found = 0;
  if (bloomery_may_contain(filter, keys.data(), keys.size(), nullptr, &found) != BLOOMERY_OK)
    stop("cannot look up", "", 0);
  return found;
}

// Runs the call with its first allocation refused, then its second, until one run needs no more.
long sweep(const std::string& name, const std::function<int()>& call) {
  for (long at = 0;; ++at) {
    countdown = at;
    const int code = call();
    const bool failed = countdown < 0;  // the refusal happened
    countdown = -1;
    if (!failed) {
      if (code != BLOOMERY_OK) stop("fails with all its memory", name, at);
      return at;
    }
    if (code != BLOOMERY_OK && code != BLOOMERY_NO_MEMORY && code != BLOOMERY_IO)
      stop("another error than out of memory", name, at);
    if (code == BLOOMERY_NO_MEMORY && std::strstr(bloomery_last_error(), "memory") == nullptr)
      stop("another sentence", name, at);
  }
}

long sweep_layout(const char* layout, const std::string& folder) {
  long faults = 0;
  bloomery_filter* filter = nullptr;
  const auto again = [&](int code) {
    bloomery_free(filter);
    filter = nullptr;
    return code;
  };
  const std::string path = folder + "/allocations.bloom";
  faults += sweep("create", [&] {
    bloomery_options options = BLOOMERY_OPTIONS_INIT;
    options.keys = 20'000;
    options.layout = layout;
    return again(bloomery_create(&options, &filter));
  });
  filter = made(layout);
  bloomery_filter* other = made(layout);
  const std::vector<bloomery_key> half{keys.begin(), keys.begin() + 100};
  bloomery_insert(other, half.data(), half.size(), nullptr, nullptr);
  faults += sweep("insert", [&] {
    return bloomery_insert(filter, keys.data(), keys.size(), nullptr, nullptr);
  });
  if (found_in(filter) != keys.size()) stop("a key is lost", layout, 0);
  faults += sweep("merge", [&] { return bloomery_merge(other, filter); });
  if (found_in(other) != keys.size()) stop("a key is lost by a merge", layout, 0);
  faults += sweep("save", [&] { return bloomery_save(filter, path.c_str(), nullptr); });
  faults += sweep("encode", [&] {
    void* bytes = nullptr;
    std::size_t size = 0;
    const int code = bloomery_encode(filter, nullptr, &bytes, &size);
    if ((code == BLOOMERY_OK) != (bytes != nullptr)) stop("bytes and code differ", layout, 0);
    bloomery_free_bytes(bytes);
    return code;
  });
  faults += sweep("describe", [&] {
    char* json = nullptr;
    const int code = bloomery_describe(filter, 0, &json);
    bloomery_free_bytes(json);
    return code;
  });
  bloomery_filter* made_anew = nullptr;
  const auto new_filter = [&](int code) {
    if ((code == BLOOMERY_OK) != (made_anew != nullptr)) stop("filter and code differ", layout, 0);
    if (code == BLOOMERY_OK && found_in(made_anew) != keys.size()) stop("a key is lost", layout, 0);
    bloomery_free(made_anew);
    made_anew = nullptr;
    return code;
  };
  faults += sweep("load", [&] {
    return new_filter(bloomery_load(path.c_str(), nullptr, 0, nullptr, &made_anew));
  });
  faults +=
      sweep("map", [&] { return new_filter(bloomery_map(path.c_str(), nullptr, &made_anew)); });
  faults += sweep("clone", [&] { return new_filter(bloomery_clone(filter, &made_anew)); });
  faults += sweep("equal", [&] {
    int answer = 0;
    return bloomery_equal(filter, other, &answer);
  });
  faults += sweep("an error", [&] {
    const int code = bloomery_load("/nowhere/at all", nullptr, 0, nullptr, &made_anew);
    return code == BLOOMERY_IO ? BLOOMERY_OK : code;
  });
  faults += sweep("clear", [&] { return bloomery_clear(filter); });
  if (found_in(filter) != 0) stop("a key stays", layout, 0);
  bloomery_free(filter);
  bloomery_free(other);
  return faults;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int i = 0; i < 5000; ++i) texts.push_back("key " + std::to_string(i));
  for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
  long faults = 0;
  for (const char* layout : {"block", "lines", "classic", "counting", "scalable", "concurrent"})
    faults += sweep_layout(layout, argv[1]);
  std::printf("%ld allocations failed\n", faults);
  return faults > 100 ? 0 : 1;
}
