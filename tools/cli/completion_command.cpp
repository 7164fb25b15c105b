// trnsim completion
#include <memory>
#include <stdexcept>

#include "tools/cli/commands.hpp"
#include "tools/cli/completion.hpp"

namespace trnsim::cli {

void declare_completion(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    const auto add = [&](const char* shell, const char* doc, std::string (*script)(const CLI::App&)) {
        app.add_subcommand(shell, doc).callback([app, &environment, script] {
            environment.out << script(app.parent());
        });
    };
    add("bash", "For bash: source <(trnsim completion bash)", bash_completion);
    add("zsh", "For zsh, a file _trnsim in a folder of $fpath", zsh_completion);
}

}  // namespace trnsim::cli
