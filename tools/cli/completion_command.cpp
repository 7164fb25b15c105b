// trnsim completion
#include <memory>

#include "completion_scripts.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/completion.hpp"

namespace trnsim::cli {

void declare_completion(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    for (const CompletionScript& script : CompletionScripts)
        app.add_subcommand(script.shell, script.doc).callback([&environment, &script] {
            environment.out << script.text;
        });
    // The scripts ask with a sign before each word, so that none is empty or looks like an option.
    auto words = std::make_shared<std::vector<std::string>>();
    Subcommand answer = app.add_subcommand("answer", "Complete the last of these words, each after a =");
    answer.hidden();
    answer.add_option("words", *words, "A command line from the program's name on");
    answer.callback([app, words, &environment] {
        std::vector<std::string> plain;
        for (const std::string& word : *words) plain.push_back(word.substr(word.starts_with('=') ? 1 : 0));
        environment.out << to_text(complete(app.parent(), plain));
    });
}

}  // namespace trnsim::cli
