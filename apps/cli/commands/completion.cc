#include "apps/cli/shell/completion.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/help.h"

namespace bloomery::cli {

void attach_completion(CLI::App& subcommand, Session&) {
  set_examples(subcommand,
               "Examples:\n"
               "  source <(bloomery completion bash)\n"
               "  bloomery completion zsh > ~/.zfunc/_bloomery\n"
               "  bloomery completion fish > ~/.config/fish/completions/bloomery.fish\n");
  auto shell = std::make_shared<std::string>();
  subcommand.add_option("SHELL", *shell, "The shell to write a script for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("bash|zsh|fish");
  subcommand.callback([&subcommand, shell] {
    const CompletedCommand program = completed_command(*subcommand.get_parent());
    if (*shell == "bash") std::cout << bash_completion(program);
    if (*shell == "zsh") std::cout << zsh_completion(program);
    if (*shell == "fish") std::cout << fish_completion(program);
  });
}

}  // namespace bloomery::cli
