#include "tools/cli/app.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <stdexcept>

#include "arch/config/nearest.hpp"
#include "base/text/printable.hpp"
#include "model/processes/run.hpp"
#include "tools/cli/commands.hpp"

namespace trnsim::cli {
namespace {

// Keeps the first line of an error; those of the command line parser say "run with --help" on further lines.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
    const std::string meant = config::meant(word, names);
    return meant.empty() ? "" : fmt::format(", did you mean '{}'?", meant);
}

// Describes the words that the parser could not place, in the order given: "trnsim run: no option '--inptu',
// did you mean '--input'?, no option '--x'".
std::string describe_extras(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* at = &app;
    std::string path = app.get_name();
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        path += " " + at->get_name();
    }
    std::vector<std::string> names;
    for (const CLI::App* level = at; level != nullptr; level = level->get_parent()) {
        for (const CLI::Option* option : level->get_options()) {
            if (option->get_group().empty()) continue;
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
            for (const std::string& name : option->get_snames()) names.push_back("-" + name);
        }
    }
    std::vector<std::string> extras = app.remaining(true), said;
    for (const std::string& word : arguments) {
        const auto found = std::ranges::find(extras, word);
        if (found == extras.end()) continue;
        extras.erase(found);
        const std::string name = word.substr(0, word.find('='));
        said.push_back(name.starts_with('-')
                           ? fmt::format("no option '{}'{}", name, did_you_mean(name, names))
                           : fmt::format("'{}' was not expected", word));
    }
    return fmt::format("{}: {}", path, fmt::join(said, ", "));
}

// Commands of the Neuron SDK begin with "neuron"; the launcher script says the same.
std::string hint_of(const std::string& word) {
    return word.starts_with("neuron") ? ", docs/arriving.md says what is here in place of it" : "";
}

// Returns the command that the words name. Throws for a word at the place of a command that is none.
const CLI::App& find_command(CLI::App& app, const std::vector<std::string>& arguments) {
    CLI::App* at = &app;
    for (const std::string& word : arguments) {
        const std::vector<CLI::App*> known = at->get_subcommands({});
        if (known.empty() || word.starts_with('-')) break;
        const auto next =
            std::ranges::find_if(known, [&word](CLI::App* sub) { return sub->get_name() == word; });
        if (next == known.end()) {
            std::vector<std::string> names;
            for (const CLI::App* sub : known) {
                if (!sub->get_group().empty()) names.push_back(sub->get_name());
            }
            throw std::runtime_error(fmt::format("no command '{}'{}{}; there are: {}", word,
                                                 did_you_mean(word, names), hint_of(word),
                                                 fmt::join(names, " ")));
        }
        at = *next;
    }
    return *at;
}

// Throws for a list with an empty part, such as 0,,1, which the parser would leave out.
void check_lists(const CLI::App& command, const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::size_t sign = arguments[i].find('=');
        const std::string name = arguments[i].substr(0, sign);
        const CLI::Option* option = name.starts_with("--") ? command.get_option_no_throw(name) : nullptr;
        if (option == nullptr || option->get_delimiter() == '\0') continue;
        if (sign == std::string::npos && i + 1 == arguments.size()) continue;
        const std::string list = sign == std::string::npos ? arguments[i + 1] : arguments[i].substr(sign + 1);
        const std::string ended = option->get_delimiter() + list + option->get_delimiter();
        if (ended.find(std::string(2, option->get_delimiter())) != std::string::npos)
            throw std::runtime_error(fmt::format("{}: found '{}', expected a value on each side of '{}'",
                                                 name, list, option->get_delimiter()));
    }
}

// Whole numbers are checked before they are converted, so one that cannot be converted is too large for its
// option, which has 32 bits: "Could not convert: --iters = 99999999999".
std::string describe_conversion(const std::string& text) {
    constexpr std::string_view Beginning = "Could not convert: ", Sign = " = ";
    const std::size_t sign = text.find(Sign);
    if (!text.starts_with(Beginning) || sign == std::string::npos) return text;
    return fmt::format("{}: found '{}', expected whole numbers from 0 to {}",
                       text.substr(Beginning.size(), sign - Beginning.size()),
                       text.substr(sign + Sign.size()), std::numeric_limits<std::uint32_t>::max());
}

std::string list_variables() {
    std::string text = "Environment:";
    for (const VariableInfo& variable : environment_variables())
        text += fmt::format("\n  {:<34} {}", variable.name, variable.doc);
    return text;
}

// Refuse texts that the parser would take for a value: an empty one, and for a whole number one with a sign
// (it wraps) or too large (it becomes the largest). Leading zeros (another base) are removed.
std::string refuse_text(std::string& text) {
    return text.empty() ? "found nothing, expected a value" : "";
}

std::string refuse_number(std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
        return fmt::format("found '{}', expected a whole number below 2^64", text);
    if (error != std::errc() || end != text.data() + text.size())
        return fmt::format("found '{}', expected a whole number", text);
    text = std::to_string(value);
    return "";
}

// Makes the parser check every value before it is used.
void check_values(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) {
        if (option->get_expected_max() == 0) continue;  // a flag
        const bool number = option->get_type_name().find("UINT") != std::string::npos;
        option->transform(CLI::Validator(number ? refuse_number : refuse_text, ""));
    }
    for (CLI::App* below : app.get_subcommands({})) check_values(*below);
}

}  // namespace

void declare_verbosity(CLI::App& app, Verbosity& verbosity) {
    const auto flag = [&](const char* names, Verbosity value, const char* doc) {
        CLI::Option* option = app.add_flag_callback(
            names,
            [&verbosity, value] {
                if (verbosity != Verbosity::Normal && verbosity != value)
                    throw CLI::ExcludesError("--quiet", "--verbose");
                verbosity = value;
            },
            doc);
        if (app.get_parent() != nullptr) option->group("");  // the help of the program shows them
    };
    flag("-q,--quiet", Verbosity::Quiet, "Print results and errors only, no summary; also after a command");
    flag("-v,--verbose", Verbosity::Verbose, "Say where things come from, too; also after a command");
    for (CLI::App* below : app.get_subcommands({})) declare_verbosity(*below, verbosity);
}

void declare_commands(CLI::App& app, std::span<const Command> commands, const Environment& environment,
                      int& status) {
    for (const Command& command : commands)
        command.declare(Subcommand(*app.add_subcommand(command.name, command.doc)), environment, status);
    check_values(app);
}

int run(std::span<const Command> commands, const std::vector<std::string>& arguments,
        const Environment& given) {
    Environment environment = given;
    CLI::App app("trnsim: RTL-level model of a Trainium-class accelerator", "trnsim");
    app.set_version_flag("--version", "trnsim " TRNSIM_VERSION);
    app.require_subcommand(1);
    app.footer(list_variables());
    int status = Success;
    declare_commands(app, commands, environment, status);
    declare_verbosity(app, environment.verbosity);
    try {
        check_lists(find_command(app, arguments), arguments);
        std::vector<std::string> reversed(arguments.rbegin(),
                                          arguments.rend());  // the parser wants this order
        app.parse(reversed);
        return status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return app.exit(error, environment.out, environment.err);  // --help, --version
        }
        const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
        environment.err << fmt::format(
            "trnsim: {}\n", text::shortened(extras ? describe_extras(app, arguments)
                                                   : describe_conversion(first_line(error.what()))));
    } catch (const tlm::processes::Failure& failure) {
        environment.err << fmt::format("trnsim: {}\n", text::shortened(failure.what()));
        return SimulationError;
    } catch (const std::filesystem::filesystem_error& error) {
        environment.err << fmt::format("trnsim: {}\n",
                                       text::message(error.path1().string() + ": " + error.code().message()));
    } catch (const std::exception& error) {
        environment.err << fmt::format("trnsim: {}\n", text::shortened(error.what()));
    }
    return BadInput;
}

}  // namespace trnsim::cli
