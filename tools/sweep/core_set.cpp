#include "tools/sweep/core_set.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <vector>

#include "base/files/files.hpp"
#include "base/jobs/pool.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "tools/cores/cache.hpp"
#include "tools/cores/hash.hpp"
#include "tools/cores/others.hpp"

namespace trnsim::sweep {
namespace {

// Returns the hash of the core that the program finds by itself; empty if there is none. Another process
// looks for it, as a library that was loaded once stays loaded.
std::string rtl_hash_of_own(const std::string& parameters) {
    const jobs::Outcome outcome =
        jobs::run({.work = [&] { return tlm::load_core_model(parameters)->info().rtl_hash; }});
    return outcome.returned() ? outcome.text : "";
}

constexpr std::size_t ShownDigits = 16;  // of a hash

bool is_there(const PlannedCore& core) {
    return core.error.empty();
}

}  // namespace

CoreSet::CoreSet(std::span<const config::Config> configs) {
    if (configs.empty()) return;  // the sources of cores are not needed
    std::optional<cores::Cache> cache;
    if (cores::has_sources()) cache.emplace();
    for (const config::Config& config : configs) {
        const std::string parameters = config::rtl_parameters(config);
        const auto [at, is_new] = cores_.try_emplace(parameters);
        if (!is_new) continue;
        PlannedCore& core = at->second;
        core.config = config;
        const std::string own = rtl_hash_of_own(parameters);
        if (!cache) {  // a package has built cores alone
            core.rtl_hash = own;
            core.origin = cores::hash_of(own);
            if (own.empty()) core.error = "core not built";
            continue;
        }
        core.rtl_hash = cores::rtl_hash(cache->source(), config);
        core.origin = cache->origin(config);
        if (own == core.rtl_hash) continue;
        core.own = own;
        if (const auto folder = cache->find(config)) {
            core.folder = *folder;
        } else {
            core.error = "core not built";
        }
    }
}

const PlannedCore& CoreSet::of(const config::Config& config) const {
    return cores_.at(config::rtl_parameters(config));
}

std::vector<std::string> CoreSet::choices() const {
    constexpr std::size_t Most = 3;
    std::vector<std::string> lines;
    for (const auto& [parameters, core] : cores_) {
        if (core.rtl_hash.empty()) continue;
        std::vector<cores::OtherCore> others = cores::other_cores(core.config, core.rtl_hash);
        std::erase_if(others, [&](const cores::OtherCore& other) { return other.rtl_hash == core.own; });
        if (others.empty() && core.own.empty()) continue;
        std::string used = cores::describe(core.rtl_hash, others, Most);
        if (!core.own.empty())
            used += fmt::format("; not that of the program, RTL {}", core.own.substr(0, ShownDigits));
        lines.push_back(fmt::format("{}: {}{}", core.config.name, used,
                                    core.folder.empty() ? "" : "; used from " + core.folder.string()));
    }
    return lines;
}

std::size_t CoreSet::missing() const {
    std::size_t count = 0;
    for (const auto& [parameters, core] : cores_) count += !is_there(core);
    return count;
}

std::optional<double> CoreSet::last_build_seconds() const {
    return missing() == 0 || !cores::has_sources() ? std::nullopt : cores::Cache().last_build_seconds();
}

bool CoreSet::build_missing(std::size_t jobs, const std::filesystem::path& folder,
                            const std::function<bool(std::size_t)>& tick) {
    std::vector<PlannedCore*> missing;
    for (auto& [parameters, core] : cores_)
        if (!is_there(core)) missing.push_back(&core);
    if (missing.empty()) return true;
    const cores::Cache cache;
    std::filesystem::create_directories(logs(folder));
    const auto log_of = [&](const PlannedCore& core) {
        return logs(folder) / (core.rtl_hash.substr(0, 16) + ".log");
    };
    for (const PlannedCore* core : missing) std::filesystem::remove(log_of(*core));
    std::size_t ended = 0;
    return jobs::run_all(
        missing.size(),
        [&](std::size_t i) {
            return jobs::Job{
                .work = [&, core = missing[i]] { return cache.build(core->config, log_of(*core)).string(); }};
        },
        [&](std::size_t i, const jobs::Outcome& outcome) {
            ++ended;
            PlannedCore& core = *missing[i];
            core.built = outcome.returned();
            core.folder = outcome.returned() ? outcome.text : "";
            core.error.clear();
            if (outcome.returned()) return;
            const std::filesystem::path log = log_of(core);
            if (!std::filesystem::exists(log)) files::write(log, outcome.log);
            core.error = fmt::format("building the core: {} (see {})", outcome.text,
                                     log.lexically_relative(folder).string());
        },
        {.workers = jobs, .tick = [&] { return tick(ended); }});
}

}  // namespace trnsim::sweep
