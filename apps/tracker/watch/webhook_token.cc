#include "apps/tracker/watch/webhook_token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "apps/tracker/events/files.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

Error failed(const std::filesystem::path& file, std::string_view what) {
  return {ErrorCode::kIo, message(file.string(), ": ", what, ": ", std::strerror(errno))};
}

Result<std::string> random_token() {
  std::array<unsigned char, 32> bytes{};
  for (std::size_t filled = 0; filled < bytes.size();) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{ErrorCode::kIo, message("no random bytes for a token: ", std::strerror(errno))};
    filled += static_cast<std::size_t>(got);
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// Under another name first: a file that is there is whole.
Status write_private(const std::filesystem::path& file, std::string_view text) {
  const std::string made = file.string() + ".new";
  ::unlink(made.c_str());
  const Descriptor out{::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!out.valid()) return failed(made, "cannot be made");
  const std::string line = message(text, "\n");
  const ssize_t written = ::write(out.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) || ::fsync(out.get()) != 0)
    return failed(made, "cannot be written");
  if (::rename(made.c_str(), file.c_str()) != 0) return failed(file, "cannot be made");
  return ok();
}

}  // namespace

Result<WebhookToken> read_webhook_token(const std::filesystem::path& file) {
  constexpr std::uint64_t kLongestToken = 4096;
  const auto bytes = read_file(file, {.max_bytes = kLongestToken});
  if (!bytes) return bytes.error();
  const std::string_view text = text_of(*bytes);
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos)
    return Error{ErrorCode::kInvalidArgument, message(file.string(), ": holds no token")};
  return WebhookToken{
      .text = std::string{text.substr(first, text.find_last_not_of(kBlanks) - first + 1)},
      .file = file};
}

Result<WebhookToken> webhook_token_of(const std::filesystem::path& state_folder) {
  const std::filesystem::path file = state_folder / kWebhookTokenFile;
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) || unknown) return read_webhook_token(file);
  auto text = random_token();
  if (!text) return text.error();
  if (auto written = write_private(file, *text); !written) return written.error();
  return WebhookToken{.text = std::move(*text), .file = file, .is_new = true};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^
                  (b.empty() ? 0U : static_cast<unsigned char>(b[i % b.size()]));
  return difference == 0;
}

}  // namespace bloomery::tracker
