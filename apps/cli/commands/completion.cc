#include "apps/cli/shell/completion.h"

#include <iostream>
#include <memory>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {

void attach_completion(CommandLine& subcommand, Session&) {
  subcommand.examples(
      "Examples:\n"
      "  source <(bloomery completion bash)\n"
      "  bloomery completion zsh > ~/.zfunc/_bloomery\n"
      "  bloomery completion fish > ~/.config/fish/completions/bloomery.fish\n");
  auto shell = std::make_shared<std::string>();
  subcommand.add_option("SHELL", *shell, "The shell to write a script for")
      ->required()
      ->choices({"bash", "zsh", "fish"});
  subcommand.action([&subcommand, shell] {
    const CompletedCommand program = completed_command(*subcommand.parent());
    if (*shell == "bash") std::cout << bash_completion(program);
    if (*shell == "zsh") std::cout << zsh_completion(program);
    if (*shell == "fish") std::cout << fish_completion(program);
  });
}

}  // namespace bloomery::cli
