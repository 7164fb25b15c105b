#include "tools/cli/command_tree.hpp"

#include <CLI/CLI.hpp>

namespace trnsim::cli {

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
    std::vector<const CLI::App*> below;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!sub->get_group().empty()) below.push_back(sub);
    return below;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    std::vector<const CLI::Option*> options;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty()) options.push_back(option);
    return options;
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

bool takes_value(const CLI::Option& option) {
    return option.get_expected_min() > 0;
}

void visit(const CLI::App& app, const std::string& words,
           const std::function<void(const CLI::App&, const std::string&)>& each) {
    each(app, words);
    for (const CLI::App* sub : commands_below(app))
        visit(*sub, words.empty() ? sub->get_name() : words + " " + sub->get_name(), each);
}

}  // namespace trnsim::cli
