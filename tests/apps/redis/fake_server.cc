#include "tests/apps/redis/fake_server.h"

#include <atomic>
#include <cctype>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/type.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/cuckoo/type.h"
#include "apps/redis/native/type.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/names.h"

namespace {

thread_local std::size_t left = SIZE_MAX;  // allocations until the one that fails
thread_local bool failed = false;
std::atomic<std::int64_t> live = 0;

bool fails_now() {
  if (left == SIZE_MAX || left-- > 0) return false;
  left = SIZE_MAX;
  return failed = true;
}

}  // namespace

void* operator new(std::size_t size) {
  if (fails_now()) throw std::bad_alloc{};
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return ++live, memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) --live;
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace bloomery::testing {
namespace {

using namespace redis_module;

// What a server allocates for itself does not fail here: a real one would end.
class Pause {
 public:
  Pause() : held_{left} { left = SIZE_MAX; }
  ~Pause() { left = held_; }

 private:
  std::size_t held_;
};

struct FakeIo {
  FakeServer::Fields fields;
  std::size_t at = 0;
  bool error = false;
};

FakeServer* current = nullptr;
std::map<std::string, CommandFunction>& commands() {
  static std::map<std::string, CommandFunction> all;
  return all;
}
std::map<std::string, std::unique_ptr<FakeServer::Type>>& types() {
  static std::map<std::string, std::unique_ptr<FakeServer::Type>> all;
  return all;
}

std::string& text(const String* string) {
  return *reinterpret_cast<std::string*>(const_cast<String*>(string));
}
String* as_string(std::string& value) { return reinterpret_cast<String*>(&value); }
const std::string& name(Key* key) { return *reinterpret_cast<std::string*>(key); }
FakeServer::Entry* entry(Key* key) {
  const auto found = current->keys.find(name(key));
  return found == current->keys.end() ? nullptr : &found->second;
}

void* counted(void* memory) {
  if (memory != nullptr) ++live;
  return memory;
}
void* try_alloc(std::size_t size) { return fails_now() ? nullptr : counted(std::malloc(size)); }
void* try_calloc(std::size_t count, std::size_t size) {
  return fails_now() ? nullptr : counted(std::calloc(count, size));
}
void* server_alloc(std::size_t size) { return counted(std::malloc(size)); }
void* server_calloc(std::size_t count, std::size_t size) {
  return counted(std::calloc(count, size));
}
void server_free(void* memory) {
  if (memory != nullptr) --live;
  std::free(memory);
}

int say(char kind, std::string_view value) {
  const Pause pause;
  current->replies.emplace_back(kind, value);
  return kOk;
}
int replicate(Context*, const char* command, const char* format, ...) {
  const Pause pause;
  FakeServer::Words words{command};
  std::va_list given;
  va_start(given, format);
  for (const char* kind = format; *kind != '\0'; ++kind) {
    if (*kind == 's') words.push_back(text(va_arg(given, String*)));
    if (*kind == 'c') words.emplace_back(va_arg(given, const char*));
    if (*kind == 'l') words.push_back(std::to_string(va_arg(given, long long)));
    if (*kind != 'v') continue;
    String** all = va_arg(given, String**);
    const auto size = va_arg(given, std::size_t);
    for (std::size_t i = 0; i < size; ++i) words.push_back(text(all[i]));
  }
  va_end(given);
  current->sent.push_back(std::move(words));
  return kOk;
}
void log_nothing(Context*, const char*, const char*, ...) {}
void log_io(Io*, const char*, const char*, ...) {}

FakeIo& io_of(Io* io) { return *reinterpret_cast<FakeIo*>(io); }
template <class T>
const T* next_field(Io* io) {
  FakeIo& from = io_of(io);
  if (from.at < from.fields.size())
    if (const T* value = std::get_if<T>(&from.fields[from.at])) return ++from.at, value;
  from.error = true;
  return nullptr;
}
template <class T>
void add_field(Io* io, T value) {
  const Pause pause;
  io_of(io).fields.emplace_back(std::move(value));
}

void bind_memory_and_replies() {
  api.Alloc = server_alloc;
  api.Calloc = server_calloc;
  api.TryAlloc = try_alloc;
  api.TryCalloc = try_calloc;
  api.Free = server_free;
  api.WrongArity = [](Context*) { return say('-', "arity"); };
  api.ReplyWithLongLong = [](Context*, long long) { return say(':', ""); };
  api.ReplyWithError = [](Context*, const char* error) { return say('-', error); };
  api.ReplyWithSimpleString = [](Context*, const char*) { return say('+', ""); };
  api.ReplyWithStringBuffer = [](Context*, const char*, std::size_t) { return say('$', ""); };
  api.ReplyWithNull = [](Context*) { return say('_', ""); };
  api.ReplyWithDouble = [](Context*, double) { return say(',', ""); };
  api.ReplyWithArray = [](Context*, long size) {
    const Pause pause;
    current->sizes.push_back(static_cast<std::size_t>(size));
    return say('*', "");
  };
  api.Log = log_nothing;
  api.LogIOError = log_io;
}

void bind_keys() {
  api.CreateCommand = [](Context*, const char* command, CommandFunction function, const char*, int,
                         int, int) {
    commands()[command] = function;
    return kOk;
  };
  api.CreateDataType = [](Context*, const char* type, int, TypeMethods* methods) {
    auto& held = types()[type];
    if (held == nullptr) held = std::make_unique<FakeServer::Type>();
    *held = {type, *methods};
    return reinterpret_cast<DataType*>(held.get());
  };
  api.IsKeysPositionRequest = [](Context*) { return 0; };
  api.GetContextFlags = [](Context*) { return current->flags; };
  api.OpenKey = [](Context*, String* key, int mode) -> Key* {
    if ((mode & kWrite) == 0 && !current->keys.contains(text(key))) return nullptr;
    return reinterpret_cast<Key*>(key);
  };
  api.CloseKey = [](Key*) {};
  api.KeyType = [](Key* key) { return entry(key) == nullptr ? kEmptyKey : 6; };
  api.ModuleTypeGetType = [](Key* key) {
    return reinterpret_cast<DataType*>(entry(key) == nullptr ? nullptr : entry(key)->type);
  };
  api.ModuleTypeGetValue = [](Key* key) {
    return entry(key) == nullptr ? nullptr : entry(key)->value;
  };
  api.DeleteKey = [](Key* key) {
    const Pause pause;
    if (auto* held = entry(key)) {
      held->type->methods.free(held->value);
      current->keys.erase(name(key));
    }
    return kOk;
  };
  api.ModuleTypeSetValue = [](Key* key, DataType* type, void* value) {
    const Pause pause;
    api.DeleteKey(key);
    current->keys[name(key)] = {reinterpret_cast<FakeServer::Type*>(type), value};
    return kOk;
  };
  api.CreateString = [](Context*, const char* from, std::size_t size) {
    const Pause pause;
    return reinterpret_cast<String*>(new std::string{from, size});
  };
  api.FreeString = [](Context*, String* string) { delete &text(string); };
  api.StringPtrLen = [](const String* string, std::size_t* size) {
    *size = text(string).size();
    return text(string).c_str();
  };
  api.GetRandomBytes = [](unsigned char* to, std::size_t size) { std::memset(to, 7, size); };
}

void bind_storage() {
  api.Replicate = replicate;
  api.ReplicateVerbatim = [](Context*) {
    const Pause pause;
    current->sent.push_back(*current->running);
    return kOk;
  };
  api.SignalModifiedKey = [](Context*, String*) { return kOk; };
  api.NotifyKeyspaceEvent = [](Context*, int, const char*, String*) { return kOk; };
  api.IsIOError = [](Io* io) { return io_of(io).error ? 1 : 0; };
  api.GetContextFromIO = [](Io*) -> Context* { return nullptr; };
  api.SaveUnsigned = [](Io* io, std::uint64_t value) { add_field(io, value); };
  api.SaveDouble = [](Io* io, double value) { add_field(io, value); };
  api.SaveStringBuffer = [](Io* io, const char* from, std::size_t size) {
    const Pause pause;
    add_field(io, std::string{from, size});
  };
  api.LoadUnsigned = [](Io* io) {
    const auto* value = next_field<std::uint64_t>(io);
    return value != nullptr ? *value : 0;
  };
  api.LoadDouble = [](Io* io) {
    const auto* value = next_field<double>(io);
    return value != nullptr ? *value : 0;
  };
  api.LoadStringBuffer = [](Io* io, std::size_t* size) -> char* {
    const auto* value = next_field<std::string>(io);
    if (value == nullptr) return nullptr;
    *size = value->size();
    auto* copy = static_cast<char*>(server_alloc(value->size() + 1));
    std::memcpy(copy, value->data(), value->size());
    return copy;
  };
}

// How many elements a reply has in all is known from its arrays.
bool is_complete(const FakeServer& server) {
  std::size_t expected = 1;
  std::size_t array = 0;
  for (const auto& [kind, value] : server.replies) {
    if (expected == 0) return false;
    --expected;
    if (kind == '*') expected += server.sizes[array++];
  }
  return expected == 0;
}

}  // namespace

FailNth::FailNth(std::size_t n) {
  failed = false;
  left = n;
}
FailNth::~FailNth() { left = SIZE_MAX; }
bool FailNth::happened() { return failed; }
std::int64_t live_allocations() { return live; }

FakeServer::FakeServer(int with_flags) : flags{with_flags} {
  current = this;
  if (!commands().empty()) return;
  api = {};
  bind_memory_and_replies();
  bind_keys();
  bind_storage();
  set_prefix("");
  register_bloom_commands(nullptr);
  register_bloom_type(nullptr);
  register_native_type(nullptr);
  register_cuckoo_commands(nullptr);
  register_cuckoo_type(nullptr);
  register_settings(nullptr, {});
}

FakeServer::~FakeServer() {
  for (auto& [key, held] : keys) held.type->methods.free(held.value);
}

FakeServer::Reply FakeServer::run(const Words& words) {
  Reply reply;
  std::vector<String*> given;
  std::string command;
  {
    const Pause pause;
    current = this;
    replies.clear();
    sizes.clear();
    sent.clear();
    running = &words;
    for (const std::string& word : words)
      given.push_back(as_string(const_cast<std::string&>(word)));
    for (const char c : words[0]) command += static_cast<char>(std::tolower(c));
  }
  commands().at(command)(nullptr, given.data(), static_cast<int>(given.size()));
  const Pause pause;
  reply.complete = is_complete(*this);
  for (const auto& [kind, value] : replies) {
    reply.errors += kind == '-' ? 1 : 0;
    reply.text += kind + value + " ";
  }
  reply.is_error = replies.size() == 1 && replies[0].first == '-';
  return reply;
}

std::map<std::string, FakeServer::Fields> FakeServer::state() {
  current = this;
  std::map<std::string, Fields> all;
  for (const auto& [key, held] : keys) {
    FakeIo io;
    held.type->methods.rdb_save(reinterpret_cast<Io*>(&io), held.value);
    io.fields.emplace_back(held.type->name);
    all[key] = std::move(io.fields);
  }
  return all;
}

bool FakeServer::restore(const std::string& key, const std::string& like, const Fields& fields,
                         int encoding) {
  FakeIo io;
  Type* type = nullptr;
  {
    const Pause pause;
    current = this;
    io.fields = fields;
    type = types().at(like).get();
  }
  void* value = type->methods.rdb_load(reinterpret_cast<Io*>(&io), encoding);
  const Pause pause;
  if (value != nullptr) keys[key] = {type, value};
  return value != nullptr;
}

bool FakeServer::copy(const std::string& from, const std::string& to) {
  current = this;
  const Entry& held = keys.at(from);
  void* value = held.type->methods.copy(nullptr, nullptr, held.value);
  const Pause pause;
  if (value != nullptr) keys[to] = {held.type, value};
  return value != nullptr;
}

}  // namespace bloomery::testing
