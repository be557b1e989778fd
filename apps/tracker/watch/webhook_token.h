// The token that a notification must carry.
#pragma once
#include <filesystem>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

struct WebhookToken {
  std::string text;
  std::filesystem::path file;  // that holds it
  bool is_new = false;         // made by this call: its user has not seen it yet
};

// The content of a file, without blanks around it. kInvalidArgument if there is none.
Result<WebhookToken> read_webhook_token(const std::filesystem::path& file);
// The one in a tracker's state folder; made at random, readable by its owner only, where there is
// none. Precondition: the caller owns the tracker.
Result<WebhookToken> webhook_token_of(const std::filesystem::path& state_folder);

// Takes as long for a wrong token as for the right one.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace bloomery::tracker
