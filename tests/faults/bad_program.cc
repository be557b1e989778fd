// Replaces a file in ways that are wrong on purpose, and one that is right: what the sweeps must
// catch. usage: bad_program MODE FILE TEXT
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace {

int complain(const char* what) {
  std::perror(what);
  return 2;
}

// Right, but for what the mode leaves away.
int replace(std::string_view mode, const std::string& file, std::string_view text) {
  const std::string temporary = mode == "in-place" ? file : file + ".new";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return complain("open");
  ssize_t written = 0;
  while (written < static_cast<ssize_t>(text.size())) {
    const ssize_t part = ::write(fd, text.data() + written, text.size() - written);
    if (part < 0 && mode != "unchecked-write") {
      if (mode != "leftover") ::unlink(temporary.c_str());
      return mode == "silent" ? 2 : complain("write");
    }
    if (part <= 0 || mode == "short-write") break;
    written += part;
  }
  if (mode != "no-sync" && ::fsync(fd) != 0 && mode != "unchecked-sync") {
    ::unlink(temporary.c_str());
    return complain("fsync");
  }
  ::close(fd);
  if (mode == "in-place") return 0;
  if (::rename(temporary.c_str(), file.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return complain("rename");
  }
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY);
  if (mode != "no-folder-sync" && (folder < 0 || ::fsync(folder) != 0)) return complain("folder");
  ::close(folder);
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) return 64;
  const std::string_view mode = arguments[1];
  const std::size_t size = std::strlen(arguments[3]);
  char* copy = static_cast<char*>(std::malloc(size + 1));
  if (copy == nullptr && mode != "unchecked-malloc") {
    if (mode == "lost-without-memory") return 0;
    return complain("malloc");
  }
  std::memcpy(copy, arguments[3], size + 1);
  const int code = replace(mode, arguments[2], {copy, size});
  std::free(copy);
  return code;
} catch (const std::bad_alloc&) {
  return complain("new");
}
