#include "tools/sweep/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/member_names.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/target.hpp"
#include "runtime/session/for_ranks.hpp"

namespace trnsim::sweep {

std::optional<Obstacle> obstacle_of(const config::Config& config, const trial::OwnKernel* own) {
    if (const auto violation = config::check_rules(config)) {
        const config::Field& field = *config::find_field(violation->key);
        return Obstacle{std::string(violation->rule),
                        fmt::format("{}: found '{}', expected {}", violation->key,
                                    config::format_field(field, config), violation->expected)};
    }
    if (own == nullptr || own->is_program()) return std::nullopt;
    neff::Package package;
    package.name = own->name;
    package.target = own->target;
    try {
        loader::check_target(package, config);
        return std::nullopt;
    } catch (const loader::Error& error) {
        return Obstacle{"target", error.what()};
    }
}

const TriedKernel& TriedKernels::find(const std::string& kernel,
                                      const std::map<std::string, std::string>& arguments,
                                      const config::Config& config) {
    const auto target = target::of(config);
    std::string key = kernel;
    for (const auto& [name, value] : arguments) key += fmt::format(" {}={}", name, value);
    for (const neff::TargetField& field : neff::TargetFields)
        key += fmt::format(" {}={}", field.name, field.get(target));
    const auto [at, is_new] = kernels_.try_emplace(key);
    if (is_new) {
        try {
            at->second.ranks = neff::ranks_of(kernels::build_kernel(kernel, arguments, target));
        } catch (const std::runtime_error& error) {
            at->second.error = error.what();
        }
    }
    return at->second;
}

const TriedKernel& TriedKernels::find(const std::filesystem::path& container) {
    const auto [at, is_new] = kernels_.try_emplace(container.string());
    if (is_new) at->second.ranks = neff::ranks_of(neff::read(container));
    return at->second;
}

std::optional<Obstacle> obstacle_of_ranks(std::uint32_t ranks, const std::optional<config::Server>& server) {
    constexpr const char* Name = "ranks";
    if (!server)
        return Obstacle{Name,
                        fmt::format("found a kernel with collectives of {} ranks, expected the key server "
                                    "with one that has as many cores",
                                    ranks)};
    try {
        runtime::for_ranks(*server, ranks);
        return std::nullopt;
    } catch (const std::runtime_error& error) {
        return Obstacle{Name, error.what()};
    }
}

std::vector<Cause> causes_of(const Settings& axes, const std::function<bool(const Settings&)>& there) {
    std::vector<Cause> causes;
    const auto without = [](Settings settings, const std::string& key) {
        std::erase_if(settings, [&](const auto& setting) { return setting.first == key; });
        return settings;
    };
    for (const auto& [key, text] : axes)
        if (!there(without(axes, key))) causes.push_back({key, text});
    if (!causes.empty() || there({})) return causes;
    Settings left = axes;
    for (const auto& [key, text] : axes) {
        if (!there(left)) break;
        causes.push_back({key, text});
        left = without(left, key);
    }
    std::erase_if(causes, [&](const Cause& cause) {  // those that need not go
        Settings back = left;
        back.emplace_back(cause.axis, cause.value);
        return !there(back);
    });
    return causes;
}

namespace {

// Returns "point 4", or "8 points (4 to 7, 12 to 15)".
std::string numbers_of(const std::vector<std::size_t>& points) {
    constexpr std::size_t Most = 4;  // ranges that are shown
    if (points.size() == 1) return fmt::format("point {}", points[0]);
    std::string ranges;
    std::size_t count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t first = points[i];
        while (i + 1 < points.size() && points[i + 1] == points[i] + 1) ++i;
        const std::size_t last = points[i];
        if (++count > Most) continue;
        ranges += ranges.empty() ? "" : ", ";
        ranges += last == first ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
    }
    return fmt::format("{} points ({}{})", points.size(), ranges, count > Most ? ", ..." : "");
}

}  // namespace

std::vector<Impossible> impossible_points(const Plan& plan) {
    struct Group {
        const Point* first;
        std::vector<std::size_t> points{};
    };
    std::vector<Group> groups;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        const Point& point = plan.points[i];
        if (point.impossible.empty()) continue;
        auto group = std::ranges::find_if(groups, [&](const Group& other) {
            return other.first->impossible == point.impossible && other.first->causes == point.causes;
        });
        if (group == groups.end()) group = groups.insert(groups.end(), {&point});
        group->points.push_back(i);
    }
    std::vector<Impossible> all;
    for (const Group& group : groups) {
        const config::Location& place = group.first->place;
        all.push_back({fmt::format("{}:{}:{}: {} cannot be: {}", place.file, place.line, place.column,
                                   numbers_of(group.points), group.first->impossible),
                       group.points.size()});
    }
    return all;
}

}  // namespace trnsim::sweep
