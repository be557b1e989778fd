#include "apps/cli/shell/standard_output.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <streambuf>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

int first_failure = 0;

// Hands everything to the stream's own buffer, and looks at errno where that fails.
class RememberingBuffer final : public std::streambuf {
 public:
  RememberingBuffer() : inner_{std::cout.rdbuf(this)} {}
  RememberingBuffer(const RememberingBuffer&) = delete;
  RememberingBuffer& operator=(const RememberingBuffer&) = delete;
  ~RememberingBuffer() override { std::cout.rdbuf(inner_); }  // which is flushed later

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const int_type put = inner_->sputc(traits_type::to_char_type(c));
    remember(traits_type::eq_int_type(put, traits_type::eof()));
    return put;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::streamsize put = inner_->sputn(text, size);
    remember(put != size);
    return put;
  }
  int sync() override {
    const int synced = inner_->pubsync();
    remember(synced != 0);
    return synced;
  }

 private:
  static void remember(bool failed) {
    if (failed && first_failure == 0) first_failure = errno;
  }
  std::streambuf* inner_;
};

}  // namespace

void remember_output_failure() { static const RememberingBuffer kBuffer; }

std::string output_failure() {
  return message("standard output: cannot write: ",
                 std::strerror(first_failure != 0 ? first_failure : errno));
}

}  // namespace bloomery::cli
