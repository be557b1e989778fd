// What a hostile program could send to the watcher's socket, and what a broken watcher could
// answer: every decode, and the queue of fanotify, whose bytes come from the kernel.
#include <cstdlib>

#include "apps/tracker/events/exports.h"
#include "apps/tracker/events/fanotify_events.h"
#include "apps/tracker/events/regions.h"
#include "apps/tracker/watch/protocol.h"

namespace {

using namespace bloomery;
using namespace bloomery::tracker;

// A decoded message is encoded to the same bytes, and decoded again.
template <class Decode>
void try_decode(Decode decode, ByteView bytes) {
  const auto heard = decode(bytes);
  if (!heard) return;
  const auto said = encode(*heard);
  const auto again = decode(said);
  if (!again || encode(*again) != said) std::abort();
}

struct LookingSink final : FanotifySink {
  void event(const FanotifyEvent& event) override {
    seen += event.folder.size() + event.name.size();
    for (const char c : event.folder) seen += static_cast<unsigned char>(c);
    for (const char c : event.name) seen += static_cast<unsigned char>(c);
    for (const char c : event.file) seen += static_cast<unsigned char>(c);
    if (event.folder.empty() && event.file.empty()) std::abort();
  }
  void overflow() override { ++seen; }
  void unreadable() override { ++seen; }
  std::size_t seen = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  if (size >= kFrameHeadBytes) (void)decode_frame_head(input.first(kFrameHeadBytes), 1 << 20);
  (void)decode_frame_head(input, 1 << 20);
  try_decode(decode_mark_call, input);
  try_decode(decode_query_call, input);
  try_decode(decode_cycle_request, input);
  try_decode(decode_cycle_answer, input);
  try_decode(decode_paths, input);
  try_decode(decode_status, input);
  (void)decode_refusal(input);
  LookingSink sink;
  decode_fanotify_events(input, sink);
  for (const std::string& path : parse_exports(text_of(input)))
    if (!path.starts_with('/')) std::abort();
  (void)regions_of(std::vector<std::string>{"/", "/a"}, parse_mounts(text_of(input)));
  return 0;
}
