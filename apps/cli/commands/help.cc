// bloomery help: the help of a command, or a page on a topic.
#include "apps/cli/shell/help.h"

#include <iostream>
#include <memory>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/near_miss.h"
#include "apps/cli/shell/topics.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string topic_list() {
  std::string list = "\nTopics of 'bloomery help TOPIC':\n";
  constexpr std::size_t kNameColumns = 30;
  for (const HelpTopic& topic : help_topics()) {
    const std::string padding(kNameColumns - std::min(kNameColumns, topic.name.size()), ' ');
    list += message("  ", topic.name, padding, topic.summary, "\n");
  }
  return list;
}

int no_such_topic(const CommandLine& program, const std::string& word) {
  std::vector<std::string> known;
  for (const auto& command : program.commands()) known.push_back(command->name());
  for (const HelpTopic& topic : help_topics()) known.emplace_back(topic.name);
  complain(message("there is no help on '", word, "'", suggestion(word, known)), kExitUsage);
  std::cerr << "Try 'bloomery help'.\n";
  return kExitUsage;
}

// `words`: a topic, a command, or a group and its command.
int print_help(const CommandLine& program, const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cout << help_text(program) << topic_list();
    return kExitSuccess;
  }
  if (const HelpTopic* topic = find_topic(words.front()); topic != nullptr && words.size() == 1) {
    std::cout << topic->text;
    return kExitSuccess;
  }
  const CommandLine* command = &program;
  for (const std::string& word : words) {
    const CommandLine* inner = command->find_command(word);
    if (inner == nullptr) return no_such_topic(*command, word);
    command = inner;
  }
  std::cout << help_text(*command);
  return kExitSuccess;
}

}  // namespace

void attach_help(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery help query        the same as bloomery query --help\n"
      "  bloomery help eth logs     a command of a group\n"
      "  bloomery help exit-codes   a topic: exit-codes, formats, keys, redis or units\n");
  auto words = std::make_shared<std::vector<std::string>>();
  subcommand.add_list("TOPIC", *words,
                      "A command, or one of exit-codes, formats, keys, redis and units");
  subcommand.action([&subcommand, words, &session] {
    session.exit_code = print_help(*subcommand.parent(), *words);
  });
}

}  // namespace bloomery::cli
