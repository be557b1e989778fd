// Where there is no HTTP server to build with.
#include "apps/tracker/watch/webhook.h"

namespace bloomery::tracker {

Result<std::unique_ptr<Webhook>> Webhook::start(Watcher&, WebhookOptions) {
  return Error{ErrorCode::kUnsupported,
               "--webhook: this program was built without Boost.Beast and nlohmann_json"};
}

}  // namespace bloomery::tracker
