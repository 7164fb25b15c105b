#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "base/files/files.hpp"
#include "compiler/kernels/registry.hpp"
#include "tools/cli/app.hpp"
#include "tools/cli/command_tree.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/man_page.hpp"
#include "tools/reference/markdown.hpp"
#include "tools/reference/pages.hpp"

namespace trnsim::reference {
namespace {

std::string type_of(const CLI::Option& option) {
    if (option.get_expected_min() == 0) return "";  // a flag
    const std::string type = option.get_type_name();
    return type.find("UINT") != std::string::npos ? "whole number" : "text";
}

// Returns options and words of a command; help and hidden ones are left out.
std::vector<Row> option_rows(const CLI::App& app) {
    std::vector<Row> rows;
    for (const CLI::Option* option : app.get_options()) {
        if (option == app.get_help_ptr() || option->get_group().empty()) continue;
        std::string doc = option->get_description();
        if (option->get_required()) doc += "; required";
        if (option->get_items_expected_max() > 1) doc += "; may be repeated";
        rows.push_back({code(option->get_name(option->get_positional(), true)), type_of(*option),
                        option->get_default_str(), std::move(doc)});
    }
    return rows;
}

std::string value_of(const kernels::ArgumentInfo& argument) {
    using enum kernels::ArgumentKind;
    switch (argument.kind) {
        case Count:
            return "whole number from 1";
        case Number:
            return "number from 0";
        case Dtype:
            return "floating-point type";
        case AnyDtype:
            return "type";
        case Choice:
            return std::string(argument.choices);
    }
    return "";
}

std::string kernel_arguments() {
    std::vector<Row> rows;
    for (const kernels::Kernel& kernel : kernels::kernels()) {
        for (const kernels::ArgumentInfo& argument : kernel.arguments) {
            rows.push_back({code(kernel.name), code(fmt::format("--{}", argument.name)), value_of(argument),
                            std::string(argument.fallback), std::string(argument.doc)});
        }
    }
    return "Arguments of the kernels; those without a default have to be given. `trnsim kernel list` shows "
           "inputs "
           "and outputs, too.\n\n" +
           table({"kernel", "argument", "value", "default", "meaning"}, rows);
}

// Describes a command and the commands below it.
std::string describe(const CLI::App& app, const std::string& path) {
    const std::string name = path + " " + app.get_name();
    std::string text;
    const auto below = cli::commands_below(app);
    if (below.empty()) {
        text = fmt::format("### {}\n\n{}.\n\n", name, app.get_description());
        const std::vector<Row> rows = option_rows(app);
        if (!rows.empty()) text += table({"option", "value", "default", "meaning"}, rows);
        if (name == "trnsim kernel build") {
            text += kernel_arguments();
        } else if (!app.get_footer().empty()) {
            text += block(app.get_footer());
        }
    }
    for (const CLI::App* sub : below) text += describe(*sub, name);
    return text;
}

// Returns the help text of the script, between its marks.
std::string script_help(const std::filesystem::path& script) {
    constexpr std::string_view Begin = "<<'TXT'\n", End = "\nTXT\n";
    const auto bytes = files::read(script);
    const std::string text(bytes.begin(), bytes.end());
    const std::size_t begin = text.find(Begin), end = text.find(End);
    if (begin == std::string::npos || end == std::string::npos)
        throw std::runtime_error(fmt::format("{}: found no help text", script.string()));
    return text.substr(begin + Begin.size(), end - begin - Begin.size());
}

}  // namespace

std::string command_line_page(const std::filesystem::path& root) {
    const cli::Environment environment{
        .out = std::cout, .err = std::cerr, .machine = {}, .open = {}, .again = {}};
    int status = 0;
    CLI::App app("", "trnsim");
    cli::declare_commands(app, cli::commands(), environment, status);
    std::string text =
        "## The script\n\n`./trnsim` in the root of the repository builds what is missing, then runs "
        "the program:\n\n" +
        block(script_help(root / "trnsim")) +
        "## The program\n\n`build/release/bin/trnsim`, or `./trnsim`. Every command takes `--help`. Exit "
        "status: 0 done, 1 a simulation found an error, 2 bad usage, bad input or a file that cannot be "
        "written, 128 + N ended by signal N (by SIGINT after SIGTERM).\n\n";
    for (const CLI::App* sub : std::as_const(app).get_subcommands([](const CLI::App*) { return true; }))
        text += describe(*sub, "trnsim");
    std::vector<Row> rows;
    for (const cli::VariableInfo& variable : cli::environment_variables())
        rows.push_back({code(variable.name), variable.doc});
    return text + "## Environment\n\n" + table({"variable", "meaning"}, rows);
}

std::string manual_page() {
    const cli::Environment environment{
        .out = std::cout, .err = std::cerr, .machine = {}, .open = {}, .again = {}};
    int status = 0;
    cli::Verbosity verbosity = cli::Verbosity::Normal;
    CLI::App app("", "trnsim");
    cli::declare_commands(app, cli::commands(), environment, status);
    cli::declare_verbosity(app, verbosity);
    return cli::man_page(app, TRNSIM_VERSION);
}

}  // namespace trnsim::reference
