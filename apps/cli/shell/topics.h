// The pages of `bloomery help TOPIC` that are about no single command.
#pragma once
#include <span>
#include <string_view>

namespace bloomery::cli {

struct HelpTopic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};

std::span<const HelpTopic> help_topics();
const HelpTopic* find_topic(std::string_view name);  // null if there is none

}  // namespace bloomery::cli
