// Reader and writer of RDB fields through the server. The writer has the members that
// formats/redis/redisbloom_rdb.h needs.
#pragma once
#include <memory>

#include "apps/redis/server/redis_api.h"
#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

struct ServerText {  // owned, from LoadStringBuffer
  struct Free {
    void operator()(char* loaded) const { api.Free(loaded); }
  };
  std::size_t size = 0;
  std::unique_ptr<char, Free> text = {};
};

// The server remembers a failed read (kHandlesIoErrors), and every value after it is zero.
class ServerReader {
 public:
  explicit ServerReader(Io* io) : io_{io} {}

  std::uint64_t unsigned_value() { return api.LoadUnsigned(io_); }
  double double_value() { return api.LoadDouble(io_); }
  ServerText string_value() {
    ServerText loaded;
    loaded.text.reset(api.LoadStringBuffer(io_, &loaded.size));
    if (loaded.text == nullptr) loaded.size = 0;
    return loaded;
  }
  bool failed() const { return api.IsIOError(io_) != 0; }
  Error error() const { return {ErrorCode::kTruncated, "the value ends before its last member"}; }

 private:
  Io* io_;
};

class ServerWriter {
 public:
  explicit ServerWriter(Io* io) : io_{io} {}

  void unsigned_value(std::uint64_t value) { api.SaveUnsigned(io_, value); }
  void double_value(double value) { api.SaveDouble(io_, value); }
  void string_value(ByteView bytes) {
    // Redis 6.2 reads a short string as a number first, and an empty one too.
    api.SaveStringBuffer(io_, bytes.empty() ? "" : bloomery::text_of(bytes).data(), bytes.size());
  }

 private:
  Io* io_;
};

}  // namespace bloomery::redis_module
