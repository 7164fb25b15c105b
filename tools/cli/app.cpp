#include "tools/cli/app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <stdexcept>

#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

// Errors of the command line parser say "run with --help" on further lines; one line is what a user gets.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Throws for a word that stands where a command belongs and is none.
void check_commands(CLI::App& app, const std::vector<std::string>& arguments) {
    CLI::App* at = &app;
    for (const std::string& word : arguments) {
        const std::vector<CLI::App*> known = at->get_subcommands({});
        if (known.empty() || word.starts_with('-')) return;
        const auto next =
            std::ranges::find_if(known, [&word](CLI::App* sub) { return sub->get_name() == word; });
        if (next == known.end()) {
            std::string names;
            for (const CLI::App* sub : known) names += " " + sub->get_name();
            throw std::runtime_error(fmt::format("no command '{}'; there are:{}", word, names));
        }
        at = *next;
    }
}

std::string list_variables() {
    std::string text = "Environment:";
    for (const VariableInfo& variable : environment_variables())
        text += fmt::format("\n  {:<34} {}", variable.name, variable.doc);
    return text;
}

// What the parser would take for a value: nothing at all, or for a whole number what has a sign (it wraps),
// is too large (it becomes the largest) or begins with 0 (another base).
std::string refuse_text(std::string& text) {
    return text.empty() ? "found nothing, expected a value" : "";
}

std::string refuse_number(std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return fmt::format("found '{}', expected a whole number", text);
    text = std::to_string(value);
    return "";
}

// Every value is looked at before it is used.
void check_values(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        if (option->get_expected_max() == 0) continue;  // a flag
        const bool number = option->get_type_name().find("UINT") != std::string::npos;
        option->transform(CLI::Validator(number ? refuse_number : refuse_text, ""));
    }
    for (CLI::App* below : app.get_subcommands({})) check_values(*below);
}

}  // namespace

void declare_commands(CLI::App& app, const Environment& environment, int& status) {
    for (const Command& command : commands())
        command.declare(*app.add_subcommand(command.name, command.doc), environment, status);
    check_values(app);
}

int run(const std::vector<std::string>& arguments, const Environment& environment) {
    CLI::App app("trnsim: RTL-level model of a Trainium-class accelerator", "trnsim");
    app.set_version_flag("--version", "trnsim " TRNSIM_VERSION);
    app.require_subcommand(1);
    app.footer(list_variables());
    int status = Success;
    declare_commands(app, environment, status);
    try {
        check_commands(app, arguments);
        std::vector<std::string> reversed(arguments.rbegin(),
                                          arguments.rend());  // the order the parser wants
        app.parse(reversed);
        return status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return app.exit(error, environment.out, environment.err);  // --help, --version
        }
        environment.err << fmt::format("trnsim: {}\n", first_line(error.what()));
    } catch (const std::exception& error) {
        environment.err << fmt::format("trnsim: {}\n", error.what());
    }
    return BadInput;
}

}  // namespace trnsim::cli
