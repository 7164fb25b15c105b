#include "tools/sweep/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/member_names.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/target.hpp"

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

std::optional<Obstacle> UnbuiltKernels::find(const std::string& kernel,
                                             const std::map<std::string, std::string>& arguments,
                                             const config::Config& config) {
    const auto target = target::of(config);
    std::string key = kernel;
    for (const auto& [name, value] : arguments) key += fmt::format(" {}={}", name, value);
    for (const neff::TargetField& field : neff::TargetFields)
        key += fmt::format(" {}={}", field.name, field.get(target));
    const auto [at, is_new] = errors_.try_emplace(key);
    if (is_new) {
        try {
            kernels::build_kernel(kernel, arguments, target);
        } catch (const std::runtime_error& error) {
            at->second = error.what();
        }
    }
    if (at->second.empty()) return std::nullopt;
    return Obstacle{"kernel", at->second};
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

std::vector<Impossible> impossible_points(const Plan& plan) {
    struct Group {
        const Point* first;
        std::size_t index, points = 0;  // of the first one; number
    };
    std::vector<Group> groups;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        const Point& point = plan.points[i];
        if (point.impossible.empty()) continue;
        auto group = std::ranges::find_if(groups, [&](const Group& other) {
            return other.first->impossible == point.impossible && other.first->causes == point.causes;
        });
        if (group == groups.end()) group = groups.insert(groups.end(), {&point, i});
        ++group->points;
    }
    std::vector<Impossible> all;
    for (const Group& group : groups) {
        std::string causes;
        for (const Cause& cause : group.first->causes)
            causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", cause.axis, cause.value);
        all.push_back(
            {fmt::format("{} cannot be: {}: {}",
                         group.points == 1 ? fmt::format("point {}", group.index)
                                           : fmt::format("{} points from {} on", group.points, group.index),
                         causes.empty() ? "its base" : causes, group.first->impossible),
             group.points});
    }
    return all;
}

}  // namespace trnsim::sweep
