#include "tools/regress/commands.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "arch/config/folders.hpp"
#include "base/text/shell.hpp"
#include "base/time/time.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::regress {
namespace {

std::string path_of(const Evidence& evidence, const std::string& rest) {
    return text::shell_path(evidence.stem.string() + rest);
}

std::string whole_path(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
}

// Returns a configuration of the list in a form that is valid in any folder.
std::string config_of(const Case& one, const std::filesystem::path& list) {
    if (!config::is_path(one.config)) return text::shell_word(one.config);
    return text::shell_path(whole_path(sweep::base_of(list, one.config)));
}

std::string inputs_of(const Case& one, const Evidence& evidence) {
    if (!one.random) return fmt::format("--random-inputs {}", one.seed);
    const std::string beginning = evidence.stem.filename().string() + "-";
    std::set<std::string> words;
    for (const auto& entry : std::filesystem::directory_iterator(evidence.stem.parent_path())) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".npy" && name.starts_with(beginning))
            words.insert(
                text::shell_word(fmt::format("{}={}", name.substr(beginning.size()), entry.path().string())));
    }
    std::string inputs;
    for (const std::string& word : words) inputs += (inputs.empty() ? "--input " : " --input ") + word;
    return inputs;
}

// Returns "TRNSIM_CORE_PATH=FOLDER ", for a command that must not take another core.
std::string with_core(const std::filesystem::path& core) {
    constexpr const char* Variable = "TRNSIM_CORE_PATH";
    const char* present = std::getenv(Variable);
    const std::string folder = !core.empty() ? core.string() : present == nullptr ? "" : present;
    return folder.empty() ? "" : fmt::format("{}={} ", Variable, text::shell_word(folder));
}

}  // namespace

Commands commands_of(const Case& one, const std::filesystem::path& list, const Evidence& evidence,
                     const std::filesystem::path& core) {
    const auto command = [&](const char* name, const char* option) {
        return with_core(core) +
               fmt::format(
                   "trnsim {} {} --config {} {}{} --seed {} --stochastic-rounding={} --random-memory {}",
                   name, path_of(evidence, ".neff"), config_of(one, list), option, inputs_of(one, evidence),
                   one.seed, one.stochastic, one.seed);
    };
    std::string run = command("run", "--check ");
    if (one.perturb) run += fmt::format(" --perturb {}", *one.perturb);
    if (one.max_time != 0)
        run += fmt::format(" --max-time {}ns", static_cast<double>(one.max_time) / FsPerNs);
    std::string show = fmt::format("trnsim wave {} --view {} --at {}", path_of(evidence, ".fst"),
                                   evidence.view, evidence.place);
    if (evidence.lane) show += fmt::format(" --lane {}", *evidence.lane);
    return {run, show, command("profile", "")};
}

std::string build_command(const Case& one, const std::filesystem::path& list,
                          const std::filesystem::path& kernel, const std::filesystem::path& config) {
    const std::string output = text::shell_path(whole_path(kernel));
    if (one.own && one.own->is_program()) {
        std::string command;
        for (const std::string& word : one.own->words) command += text::shell_word(word) + " ";
        const std::filesystem::path folder = one.own->folder.empty() ? "." : one.own->folder;
        return fmt::format("cd {} && {}-o {} --config {}", text::shell_path(whole_path(folder)), command,
                           output, text::shell_path(whole_path(config)));
    }
    if (one.own || one.random) return "";
    std::string command = "trnsim kernel build " + text::shell_word(one.subject);
    for (const auto& [name, value] : one.arguments)
        command += " --arg " + text::shell_word(fmt::format("{}={}", name, value));
    return fmt::format("{} --config {} -o {}", command, config_of(one, list), output);
}

std::string accept_command(const std::filesystem::path& list, const std::filesystem::path& folder) {
    return with_core("") + fmt::format("trnsim regress {} -o {} --update-baseline",
                                       text::shell_path(whole_path(list)),
                                       text::shell_path(whole_path(folder)));
}

}  // namespace trnsim::regress
