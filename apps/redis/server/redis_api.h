// The module interface of Redis and Valkey, as far as we call it. A server hands out its functions
// by name when it loads a module, so no header of it is needed to build, and one binary serves
// every release: what an older server lacks is null.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bloomery::redis_module {

// Opaque to us, each behind a pointer.
struct Context;
struct String;
struct Key;
struct Command;
struct DataType;
struct Io;
struct Digest;
struct InfoContext;
struct DefragContext;
struct ServerInfo;

inline constexpr int kOk = 0;
inline constexpr int kError = 1;
inline constexpr int kApiVersion = 1;

inline constexpr int kRead = 1 << 0;  // modes of OpenKey
inline constexpr int kWrite = 1 << 1;
inline constexpr int kEmptyKey = 0;  // what KeyType answers

inline constexpr int kHandlesIoErrors = 1 << 0;  // SetModuleOptions
inline constexpr int kSignalsItself = 1 << 1;
inline constexpr int kLoadsBesideOldData = 1 << 2;

inline constexpr int kFlagReplica = 1 << 3;      // GetContextFlags
inline constexpr int kFlagReplicated = 1 << 12;  // what runs was sent by the primary
inline constexpr int kFlagLoading = 1 << 13;
inline constexpr int kFlagResp3 = 1 << 22;

inline constexpr int kNotifyGeneric = 1 << 2;
inline constexpr int kNotifyModule = 1 << 13;
inline constexpr unsigned kConfigDefault = 0;
inline constexpr unsigned kConfigUnprefixed = 1 << 9;  // Redis 8

struct ServerEvent {
  std::uint64_t id;
  std::uint64_t data_version;
};
using EventFunction = void (*)(Context*, ServerEvent, std::uint64_t subevent, void* data);
using CommandFunction = int (*)(Context*, String**, int);
using InfoFunction = void (*)(InfoContext*, int for_crash_report);
using ConfigGet = String* (*)(const char* name, void* data);
using ConfigSet = int (*)(const char* name, String* value, void* data, String** error);
using ConfigApply = int (*)(Context*, void* data, String** error);

// A server reads as many members as `version` promises; 3 is known since Redis 6.2 and has all we
// need.
struct TypeMethods {
  std::uint64_t version = 3;
  void* (*rdb_load)(Io*, int encoding) = nullptr;
  void (*rdb_save)(Io*, void* value) = nullptr;
  void (*aof_rewrite)(Io*, String* key, void* value) = nullptr;
  std::size_t (*mem_usage)(const void* value) = nullptr;
  void (*digest)(Digest*, void* value) = nullptr;
  void (*free)(void* value) = nullptr;
  int (*aux_load)(Io*, int encoding, int when) = nullptr;
  void (*aux_save)(Io*, int when) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void* value) = nullptr;
  void (*unlink)(String* key, const void* value) = nullptr;
  void* (*copy)(String* from, String* to, const void* value) = nullptr;
  int (*defrag)(DefragContext*, String* key, void** value) = nullptr;
};

// What COMMAND DOCS and COMMAND INFO say. Arrays end with an element of zeros.
enum class ArgumentType : int {
  kString,
  kInteger,
  kDouble,
  kKey,
  kPattern,
  kUnixTime,
  kPureToken,
  kOneOf,
  kBlock
};
inline constexpr int kOptionalArgument = 1 << 0;
inline constexpr int kRepeatedArgument = 1 << 1;

struct Argument {
  const char* name = nullptr;
  ArgumentType type = ArgumentType::kString;
  int key_spec_index = -1;
  const char* token = nullptr;
  const char* summary = nullptr;
  const char* since = nullptr;
  int flags = 0;
  const char* deprecated_since = nullptr;
  Argument* parts = nullptr;
  const char* display_text = nullptr;
};
struct HistoryEntry {
  const char* since = nullptr;
  const char* changes = nullptr;
};

inline constexpr std::uint64_t kKeyReadOnly = 1 << 0;
inline constexpr std::uint64_t kKeyReadWrite = 1 << 1;
inline constexpr std::uint64_t kKeyAccess = 1 << 4;
inline constexpr std::uint64_t kKeyUpdate = 1 << 5;
inline constexpr std::uint64_t kKeyInsert = 1 << 6;
inline constexpr std::uint64_t kKeyDelete = 1 << 7;  // of what the value holds

struct KeySpec {
  const char* notes = nullptr;
  std::uint64_t flags = 0;
  int begin_search = 0;  // 2: at an index
  union Begin {
    struct {
      int position;
    } index;
    struct {
      const char* word;
      int start_from;
    } keyword;
  } begin = {};
  int find_keys = 0;  // 2: a range; 3: as many as a word says
  union Find {
    struct {
      int last_key;
      int key_step;
      int limit;
    } range;
    struct {
      int number_at;  // this and the next are counted from where the search began
      int first_key;
      int key_step;
    } counted;
  } find = {};
};
struct CommandInfoVersion {
  int version = 1;
  std::size_t history_entry_bytes = sizeof(HistoryEntry);
  std::size_t key_spec_bytes = sizeof(KeySpec);
  std::size_t argument_bytes = sizeof(Argument);
};
struct CommandInfo {
  const CommandInfoVersion* version = nullptr;
  const char* summary = nullptr;
  const char* complexity = nullptr;
  const char* since = nullptr;
  HistoryEntry* history = nullptr;
  const char* tips = nullptr;
  int arity = 0;
  KeySpec* key_specs = nullptr;
  Argument* arguments = nullptr;
};

// Every function by the server's own name: result, name, parameters. The first list is in each
// server since 6.2; of the second list some may be missing.
#define BLOOMERY_REDIS_NEEDED(FUNCTION)                                                 \
  FUNCTION(void*, Alloc, (std::size_t))                                                 \
  FUNCTION(void*, Calloc, (std::size_t, std::size_t))                                   \
  FUNCTION(void, Free, (void*))                                                         \
  FUNCTION(int, CreateCommand,                                                          \
           (Context*, const char*, CommandFunction, const char*, int, int, int))        \
  FUNCTION(void, SetModuleAttribs, (Context*, const char*, int, int))                   \
  FUNCTION(int, IsModuleNameBusy, (const char*))                                        \
  FUNCTION(void, SetModuleOptions, (Context*, int))                                     \
  FUNCTION(void, Log, (Context*, const char*, const char*, ...))                        \
  FUNCTION(int, IsKeysPositionRequest, (Context*))                                      \
  FUNCTION(void, KeyAtPos, (Context*, int))                                             \
  FUNCTION(int, WrongArity, (Context*))                                                 \
  FUNCTION(int, ReplyWithLongLong, (Context*, long long))                               \
  FUNCTION(int, ReplyWithError, (Context*, const char*))                                \
  FUNCTION(int, ReplyWithSimpleString, (Context*, const char*))                         \
  FUNCTION(int, ReplyWithArray, (Context*, long))                                       \
  FUNCTION(int, ReplyWithStringBuffer, (Context*, const char*, std::size_t))            \
  FUNCTION(int, ReplyWithNull, (Context*))                                              \
  FUNCTION(int, ReplyWithDouble, (Context*, double))                                    \
  FUNCTION(Key*, OpenKey, (Context*, String*, int))                                     \
  FUNCTION(void, CloseKey, (Key*))                                                      \
  FUNCTION(int, KeyType, (Key*))                                                        \
  FUNCTION(DataType*, ModuleTypeGetType, (Key*))                                        \
  FUNCTION(void*, ModuleTypeGetValue, (Key*))                                           \
  FUNCTION(int, ModuleTypeSetValue, (Key*, DataType*, void*))                           \
  FUNCTION(int, DeleteKey, (Key*))                                                      \
  FUNCTION(void, GetRandomBytes, (unsigned char*, std::size_t))                         \
  FUNCTION(DataType*, CreateDataType, (Context*, const char*, int, TypeMethods*))       \
  FUNCTION(String*, CreateString, (Context*, const char*, std::size_t))                 \
  FUNCTION(void, FreeString, (Context*, String*))                                       \
  FUNCTION(const char*, StringPtrLen, (const String*, std::size_t*))                    \
  FUNCTION(int, GetContextFlags, (Context*))                                            \
  FUNCTION(int, Replicate, (Context*, const char*, const char*, ...))                   \
  FUNCTION(int, ReplicateVerbatim, (Context*))                                          \
  FUNCTION(int, SignalModifiedKey, (Context*, String*))                                 \
  FUNCTION(int, NotifyKeyspaceEvent, (Context*, int, const char*, String*))             \
  FUNCTION(int, IsIOError, (Io*))                                                       \
  FUNCTION(Context*, GetContextFromIO, (Io*))                                           \
  FUNCTION(void, LogIOError, (Io*, const char*, const char*, ...))                      \
  FUNCTION(void, SaveUnsigned, (Io*, std::uint64_t))                                    \
  FUNCTION(std::uint64_t, LoadUnsigned, (Io*))                                          \
  FUNCTION(void, SaveDouble, (Io*, double))                                             \
  FUNCTION(double, LoadDouble, (Io*))                                                   \
  FUNCTION(void, SaveStringBuffer, (Io*, const char*, std::size_t))                     \
  FUNCTION(char*, LoadStringBuffer, (Io*, std::size_t*))                                \
  FUNCTION(void, EmitAOF, (Io*, const char*, const char*, ...))                         \
  FUNCTION(void, DigestAddLongLong, (Digest*, long long))                               \
  FUNCTION(void, DigestAddStringBuffer, (Digest*, const char*, std::size_t))            \
  FUNCTION(void, DigestEndSequence, (Digest*))                                          \
  FUNCTION(int, RegisterInfoFunc, (Context*, InfoFunction))                             \
  FUNCTION(int, InfoAddSection, (InfoContext*, const char*))                            \
  FUNCTION(int, InfoAddFieldULongLong, (InfoContext*, const char*, unsigned long long)) \
  FUNCTION(void*, DefragAlloc, (DefragContext*, void*))

#define BLOOMERY_REDIS_PROBED(FUNCTION)                                                      \
  FUNCTION(void*, TryAlloc, (std::size_t))                                                   \
  FUNCTION(void*, TryCalloc, (std::size_t, std::size_t))                                     \
  FUNCTION(int, ReplyWithBool, (Context*, int))                                              \
  FUNCTION(int, ReplyWithMap, (Context*, long))                                              \
  FUNCTION(Command*, GetCommand, (Context*, const char*))                                    \
  FUNCTION(int, SetCommandInfo, (Command*, const CommandInfo*))                              \
  FUNCTION(int, AddACLCategory, (Context*, const char*))                                     \
  FUNCTION(int, SetCommandACLCategories, (Command*, const char*))                            \
  FUNCTION(int, GetServerVersion, ())                                                        \
  FUNCTION(int, RedactClientCommandArgument, (Context*, int))                                \
  FUNCTION(const String*, GetKeyNameFromIO, (Io*))                                           \
  FUNCTION(long long, GetAbsExpire, (Key*))                                                  \
  FUNCTION(int, SetAbsExpire, (Key*, long long))                                             \
  FUNCTION(ServerInfo*, GetServerInfo, (Context*, const char*))                              \
  FUNCTION(void, FreeServerInfo, (Context*, ServerInfo*))                                    \
  FUNCTION(unsigned long long, ServerInfoGetFieldUnsigned, (ServerInfo*, const char*, int*)) \
  FUNCTION(int, LoadConfigs, (Context*))                                                     \
  FUNCTION(int, SubscribeToServerEvent, (Context*, ServerEvent, EventFunction))              \
  FUNCTION(                                                                                  \
      int, RegisterStringConfig,                                                             \
      (Context*, const char*, const char*, unsigned, ConfigGet, ConfigSet, ConfigApply, void*))

struct Api {
#define BLOOMERY_REDIS_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  BLOOMERY_REDIS_NEEDED(BLOOMERY_REDIS_MEMBER)
  BLOOMERY_REDIS_PROBED(BLOOMERY_REDIS_MEMBER)
#undef BLOOMERY_REDIS_MEMBER
  bool is_valkey = false;
};
extern Api api;  // bound once, by the server's thread, before anything else runs

// The name of the first function that the server should have and lacks; null when all are there.
const char* bind_api(Context* context);

}  // namespace bloomery::redis_module
