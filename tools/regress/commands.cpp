#include "tools/regress/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <set>

#include "arch/config/folders.hpp"
#include "base/time/time.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::regress {
namespace {

std::string path_of(const Evidence& evidence, const std::string& rest) {
    return evidence.stem.string() + rest;
}

// Returns a configuration of the list in a form that is valid in any folder.
std::string config_of(const Case& one, const std::filesystem::path& list) {
    if (!config::is_path(one.config)) return one.config;
    return std::filesystem::absolute(sweep::base_of(list, one.config)).lexically_normal().string();
}

std::string inputs_of(const Case& one, const Evidence& evidence) {
    if (!one.random) return fmt::format("--random-inputs {}", one.seed);
    const std::string beginning = evidence.stem.filename().string() + "-";
    std::set<std::string> inputs;
    for (const auto& entry : std::filesystem::directory_iterator(evidence.stem.parent_path())) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".npy" && name.starts_with(beginning))
            inputs.insert(fmt::format("--input {}={}", name.substr(beginning.size()), entry.path().string()));
    }
    return fmt::format("{}", fmt::join(inputs, " "));
}

// Returns "TRNSIM_CORE_PATH=FOLDER ", for a command that must not take another core.
std::string with_core(const std::filesystem::path& core) {
    constexpr const char* Variable = "TRNSIM_CORE_PATH";
    const char* present = std::getenv(Variable);
    const std::string folder = !core.empty() ? core.string() : present == nullptr ? "" : present;
    return folder.empty() ? "" : fmt::format("{}={} ", Variable, folder);
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

}  // namespace trnsim::regress
