#include "tools/cli/man_page.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string_view>

#include "tools/cli/command_tree.hpp"
#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

// Escapes characters that roff would interpret in the text of a manual page.
std::string roff(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
            result += "\\&";
            result += c;
        } else {
            result += c;
        }
    }
    return result;
}

// Lists the options of a command, without --help.
std::string option_list(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : options_of(command)) {
        if (option == command.get_help_ptr()) continue;
        const std::string name = option->get_name(option->get_positional(), true);
        std::string doc = option->get_description();
        if (option->get_required()) doc += "; required";
        if (!option->get_default_str().empty()) doc += fmt::format("; default {}", option->get_default_str());
        text +=
            fmt::format(".TP\n.B {}{}\n{}\n", roff(name),
                        takes_value(*option) && !option->get_positional() ? " \\fIvalue\\fR" : "", roff(doc));
    }
    return text;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
    std::string text = fmt::format(
        ".TH TRNSIM 1 \"\" \"trnsim {}\" \"User commands\"\n"
        ".SH NAME\ntrnsim \\- RTL\\-level model of a Trainium\\-class accelerator\n"
        ".SH SYNOPSIS\n.B trnsim\n.I command\n[\\fIoptions\\fR]\n.SH OPTIONS\n{}.SH COMMANDS\n",
        version, option_list(app));
    visit(app, "", [&](const CLI::App& command, const std::string& path) {
        if (path.empty() || !commands_below(command).empty()) return;
        text += fmt::format(".SS trnsim {}\n{}.\n{}", roff(path), roff(command.get_description()),
                            option_list(command));
    });
    text += ".SH ENVIRONMENT\n";
    for (const VariableInfo& variable : environment_variables())
        text += fmt::format(".TP\n.B {}\n{}\n", roff(variable.name), roff(variable.doc));
    return text +
           ".SH EXIT STATUS\n0 done, 1 a simulation found an error, 2 bad usage, bad input or a file that "
           "cannot be written, 130 ended by SIGINT or SIGTERM.\n";
}

}  // namespace trnsim::cli
