#include "apps/input/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

// A file that is gone, by name and descriptor, with the object; who has it mapped keeps its bytes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder) : name_{folder + "/bloomery.XXXXXX"} {
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::unlink(name_.c_str());
    ::close(descriptor_);
  }
  bool is_there() const { return descriptor_ >= 0; }
  const std::string& name() const { return name_; }
  bool write(ByteView bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace

Result<MappedFile> spool(Input& input) {
  const char* wanted = std::getenv("TMPDIR");
  const std::string folder = wanted != nullptr && *wanted != '\0' ? wanted : "/tmp";
  const auto failed = [&] {
    return Error{ErrorCode::kIo, message(input.name(), ": cannot write a temporary copy to ",
                                         folder, ": ", std::strerror(errno))};
  };
  const TemporaryFile file{folder};
  if (!file.is_there()) return failed();
  std::vector<std::byte> buffer(std::size_t{256} << 10);
  for (;;) {
    const auto got = input.read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    if (!file.write(ByteView{buffer}.first(*got))) return failed();
  }
  return MappedFile::open(file.name());
}

}  // namespace bloomery::input
