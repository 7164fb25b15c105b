#include "tools/cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>
#include <vector>

#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

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

// The kind of word that completes a value.
enum class Value : std::uint8_t { Files, Configuration, Server, Kernel };

Value value_of(const CLI::App& app, const CLI::Option& option) {
    const std::string name = option.get_name(true, true);
    if (name.find("--config") != std::string::npos && app.get_name() == "nccom-test") return Value::Server;
    if (name.find("--config") != std::string::npos || name == "config") return Value::Configuration;
    if (name == "kernel" && app.get_name() == "build") return Value::Kernel;
    return Value::Files;
}

// Visits every command with its words, such as "kernel build".
void visit(const CLI::App& app, const std::string& words,
           const std::function<void(const CLI::App&, const std::string&)>& each) {
    each(app, words);
    for (const CLI::App* sub : commands_below(app))
        visit(*sub, words.empty() ? sub->get_name() : words + " " + sub->get_name(), each);
}

// Puts a text into single quotes of a shell.
std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// Escapes a text for the brackets of zsh's _arguments.
std::string in_brackets(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

constexpr std::string_view BashFunction = R"sh(
_trnsim_configurations() { trnsim config list 2>/dev/null | cut -d' ' -f1; }
_trnsim_servers() { trnsim config servers 2>/dev/null | cut -d' ' -f1; }
_trnsim_kernels() { trnsim kernel list 2>/dev/null | sed -n 's/^\([a-z_0-9]*\):.*/\1/p'; }

_trnsim() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=trnsim word i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ " ${_trnsim_commands[$path]} " == *" $word "* ]] && path+=" $word"
    done
    if [[ $path == 'trnsim nccom-test' && $previous == --config ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_trnsim_servers)" -f -- "$current")
    elif [[ $previous == --config ]] || [[ " ${_trnsim_names[$path]} " == *' config '* && $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_trnsim_configurations)" -f -- "$current")
    elif [[ " ${_trnsim_values[$path]} " == *" $previous "* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_trnsim_options[$path]}" -- "$current")
    elif [[ -n ${_trnsim_commands[$path]} ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_trnsim_commands[$path]}" -- "$current")
    elif [[ $path == 'trnsim kernel build' ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_trnsim_kernels)" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _trnsim trnsim
)sh";

constexpr std::string_view ZshFunction = R"sh(
_trnsim_configurations() {
    local -a names=(${(f)"$(trnsim config list 2>/dev/null | cut -d' ' -f1)"})
    _alternative "configurations:configuration:compadd -a names" 'files:file:_files -g "*.y(a|)ml"'
}
_trnsim_servers() {
    local -a names=(${(f)"$(trnsim config servers 2>/dev/null | cut -d' ' -f1)"})
    _alternative "servers:server:compadd -a names" 'files:file:_files -g "*.y(a|)ml"'
}
_trnsim_kernels() {
    local -a names=(${(f)"$(trnsim kernel list 2>/dev/null | sed -n 's/^\([a-z_0-9]*\):.*/\1/p')"})
    compadd -a names
}

_trnsim "$@"
)sh";

// Returns an entry "a b c" in quotes, for an associative array.
std::string entry(const std::string& path, const std::vector<std::string>& words) {
    return fmt::format("    [{}]={}\n", in_quotes(path), in_quotes(fmt::format("{}", fmt::join(words, " "))));
}

std::string table(const char* name, const std::string& entries) {
    return fmt::format("declare -gA {}=(\n{})\n", name, entries);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
    std::string commands, options, values, names;
    visit(app, app.get_name(), [&](const CLI::App& command, const std::string& path) {
        std::vector<std::string> below, flags, with_value, positional;
        for (const CLI::App* sub : commands_below(command)) below.push_back(sub->get_name());
        for (const CLI::Option* option : options_of(command)) {
            for (const std::string& name : names_of(*option)) {
                flags.push_back(name);
                if (takes_value(*option)) with_value.push_back(name);
            }
            if (option->get_positional()) positional.push_back(option->get_name(true));
        }
        commands += entry(path, below);
        options += entry(path, flags);
        values += entry(path, with_value);
        names += entry(path, positional);
    });
    return "# Completion of trnsim for bash: source <(trnsim completion bash)\n" +
           table("_trnsim_commands", commands) + table("_trnsim_options", options) +
           table("_trnsim_values", values) + table("_trnsim_names", names) + std::string(BashFunction);
}

std::string zsh_completion(const CLI::App& app) {
    std::string functions;
    visit(app, "", [&](const CLI::App& command, const std::string& path) {
        std::string name = "_trnsim" + (path.empty() ? "" : "_" + path);
        for (char& c : name)
            if (c == ' ' || c == '-') c = '_';
        const auto action = [&](const CLI::Option& option) {
            switch (value_of(command, option)) {
                case Value::Configuration:
                    return "_trnsim_configurations";
                case Value::Server:
                    return "_trnsim_servers";
                case Value::Kernel:
                    return "_trnsim_kernels";
                case Value::Files:
                    break;
            }
            return "_files";
        };
        std::string specs;
        for (const CLI::Option* option : options_of(command)) {
            const std::string doc = in_brackets(option->get_description());
            for (const std::string& flag : names_of(*option)) {
                const std::string value =
                    takes_value(*option) ? fmt::format(":value:{}", action(*option)) : "";
                specs +=
                    fmt::format(" \\\n        {}", in_quotes(fmt::format("*{}[{}]{}", flag, doc, value)));
            }
            if (option->get_positional())
                specs +=
                    fmt::format(" \\\n        {}",
                                in_quotes(fmt::format(":{}:{}", option->get_name(true), action(*option))));
        }
        const auto below = commands_below(command);
        if (below.empty()) {
            functions += fmt::format("{}() {{\n    _arguments -s{}\n}}\n", name, specs);
            return;
        }
        std::string described, cases;
        for (const CLI::App* sub : below) {
            described +=
                fmt::format(" {}", in_quotes(fmt::format("{}:{}", sub->get_name(), sub->get_description())));
            std::string inner = name + "_" + sub->get_name();
            cases += fmt::format("        {}) {} ;;\n", sub->get_name(), inner);
        }
        functions += fmt::format(
            "{}() {{\n    local line state\n    _arguments -C{} '1:command:->command' "
            "'*::argument:->argument'\n"
            "    case $state in\n    command) local -a commands=({} ); _describe command commands ;;\n"
            "    argument) case $line[1] in\n{}    esac ;;\n    esac\n}}\n",
            name, specs, described, cases);
    });
    return "#compdef trnsim\n# Completion of trnsim for zsh: trnsim completion zsh > "
           "\"${fpath[1]}/_trnsim\"\n" +
           functions + std::string(ZshFunction);
}

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
