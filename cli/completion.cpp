// SPDX-License-Identifier: MIT
/// Writes scripts of shells from the verbs and options that CLI11 knows.
#include "completion.hpp"

#include "../optim/optim.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace frisket::cli {

namespace {

const char* const completion_examples = R"(Examples:
  frisket completion bash > ~/.local/share/bash-completion/completions/frisket
  frisket completion zsh >> ~/.zshrc
  frisket completion fish > ~/.config/fish/completions/frisket.fish)";

/// Words that may follow a verb: its own verbs, its options, and the steps if it has a positional STEP.
std::vector<std::string> words_after(const CLI::App& verb) {
    std::vector<std::string> words;
    for (const CLI::App* inner : verb.get_subcommands({})) words.push_back(inner->get_name());
    for (const CLI::Option* option : verb.get_options()) {
        for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
        if (option->get_positional() && option->get_lnames().empty() && option->get_name() == "STEP")
            for (const std::string_view rule : optim::rule_names()) words.emplace_back(rule);
    }
    return words;
}

std::string joined_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

void print_bash(const CLI::App& app) {
    std::cout << "_frisket() {\n    local words\n    if ((COMP_CWORD == 1)); then\n        words='"
              << joined_words(words_after(app)) << "'\n    else\n        case ${COMP_WORDS[1]} in\n";
    for (const CLI::App* verb : app.get_subcommands({}))
        std::cout << "            " << verb->get_name() << ") words='" << joined_words(words_after(*verb))
                  << "' ;;\n";
    std::cout << "        esac\n    fi\n"
                 "    COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
                 "complete -o default -F _frisket frisket\n";
}

void print_fish(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands({})) {
        std::cout << "complete -c frisket -n __fish_use_subcommand -a " << verb->get_name() << " -d '"
                  << verb->get_description() << "'\n";
        for (const std::string& word : words_after(*verb)) {
            const bool is_option = word.starts_with("--");
            std::cout << "complete -c frisket -n '__fish_seen_subcommand_from " << verb->get_name()
                      << (is_option ? "' -l " : "' -a ") << word.substr(is_option ? 2 : 0) << "\n";
        }
    }
}

}  // namespace

void add_completion(CLI::App& app) {
    CLI::App* const verb = app.add_subcommand("completion", "print a script that completes words in a shell");
    verb->footer(completion_examples);
    const auto shell = std::make_shared<std::string>();
    verb->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb->callback([shell, &app] {
        if (*shell == "fish") return print_fish(app);
        if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
        print_bash(app);
    });
}

}  // namespace frisket::cli
