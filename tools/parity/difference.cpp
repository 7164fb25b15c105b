#include "tools/parity/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <system_error>
#include <utility>

#include "base/files/files.hpp"
#include "base/text/shell.hpp"
#include "testbench/parity/folder.hpp"
#include "testbench/parity/shrink.hpp"
#include "tools/command/command.hpp"

namespace trnsim::parity {
namespace {

std::string folder_name(const std::string& subject) {
    std::string name = subject;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
    return name;
}

std::vector<std::string> run_arguments(const std::filesystem::path& folder, const Subject& subject,
                                       const std::string& fidelity) {
    std::vector<std::string> arguments{"run",
                                       folder / KernelFile,
                                       "--config",
                                       folder / ConfigFile,
                                       "--no-check",
                                       "--fidelity",
                                       fidelity,
                                       "--wave",
                                       folder / (fidelity + ".fst"),
                                       "--seed",
                                       std::to_string(subject.rounding.seed),
                                       fmt::format("--stochastic-rounding={}", subject.rounding.stochastic)};
    for (const auto& [name, array] : subject.inputs)
        arguments.insert(arguments.end(),
                         {"--input", fmt::format("{}={}", name, input_file(folder, name).string())});
    return arguments;
}

}  // namespace

Subject shrink_difference(const Subject& subject, const Agreement& found,
                          const std::vector<MakeSubject>& parts, const Compare& compare) {
    const Ways ways = ways_of(found);
    const auto differs = [&](const Subject& candidate) {
        try {
            return ways.share(ways_of(compare(candidate)));
        } catch (const std::exception&) {
            return false;
        }
    };
    const auto shrunk = [&](Subject least) {
        Subject candidate = least;
        least.package = shrink(std::move(least.package), [&](const neff::Package& package) {
            candidate.package = package;
            return differs(candidate);
        });
        return least;
    };
    for (const MakeSubject& make : parts) {
        Subject part = make();
        if (differs(part)) return shrunk(std::move(part));
    }
    return differs(subject) ? shrunk(subject) : subject;
}

std::filesystem::path keep_difference(const std::filesystem::path& into, const Subject& whole,
                                      const Subject& shrunk, const std::vector<std::string>& lines,
                                      const command::Environment& environment) {
    std::filesystem::path folder = into / folder_name(whole.name);
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        throw files::Error(fmt::format("{}: cannot be made: {}", folder.string(), failure.message()));
    write_subject(folder, shrunk);
    std::string text = fmt::format("{}: {} of {} instructions, {} of {} transfers\n\n", shrunk.name,
                                   instructions_of(shrunk.package), instructions_of(whole.package),
                                   shrunk.package.transfers.size(), whole.package.transfers.size());
    for (const std::string& line : lines) text += fmt::format("    {}\n", line);
    text += fmt::format("\nAgain:\n\n    trnsim parity {}\n    trnsim disasm {}\n",
                        text::shell_path(folder.string()), text::shell_path((folder / KernelFile).string()));
    for (const char* fidelity : {"rtl", "fast"}) {
        const std::vector<std::string> arguments = run_arguments(folder, shrunk, fidelity);
        std::string command = "trnsim";
        for (const std::string& argument : arguments) command += " " + text::shell_word(argument);
        text += fmt::format("    {}\n", command);
        const int status = environment.again(arguments);
        if (status != command::Success && status != command::SimulationError)
            environment.err << fmt::format("trnsim: {}: the {} wave cannot be recorded\n", folder.string(),
                                           fidelity);
    }
    files::write(folder / "difference.txt", text);
    return folder;
}

}  // namespace trnsim::parity
