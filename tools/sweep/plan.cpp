#include "tools/sweep/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "arch/config/server_schema.hpp"
#include "arch/config/units.hpp"
#include "compiler/kernels/registry.hpp"
#include "model/system/load_server.hpp"
#include "tools/sweep/obstacles.hpp"
#include "tools/sweep/rules.hpp"

namespace trnsim::sweep {
namespace {

// What axes vary that are neither a key of the configuration nor a kernel's argument.
struct OtherName {
    std::string_view name, doc;
};
constexpr std::array OtherNames{
    OtherName{"base", "configuration that the point is a variant of"},
    OtherName{"server", "whose chips have the configuration"},
    OtherName{"fidelity", "model of the core"},
    OtherName{"rounding", "how narrowing writes round unless the instruction says otherwise"},
    OtherName{"perturb", "seed of random delays and stalls"},
};
constexpr std::array<const char*, 5> BaseUnits{"", "B", "Hz", "B/s", "fs"};  // by config::Quantity

std::optional<double> plain_number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Returns the value of a configuration's key.
Setting setting_of(const config::Field& field, const config::Config& config) {
    Setting setting{config::format_field(field, config), std::nullopt};
    config::Config copy = config;  // the accessors are for reading and writing
    if (const auto* number = std::get_if<config::Number>(&field.value)) {
        setting.number = static_cast<double>(number->of(copy));
    } else if (const auto* fraction = std::get_if<config::Fraction>(&field.value)) {
        const config::Ratio ratio = fraction->of(copy);
        setting.number = static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
    }
    return setting;
}

const config::ServerField* find_server_field(std::string_view key) {
    const auto found = std::ranges::find(config::server_schema(), key, &config::ServerField::key);
    return found == config::server_schema().end() || !is_server_axis(key) ? nullptr : &*found;
}

std::string unit_of(const std::string& key) {
    if (const config::ServerField* field = find_server_field(key)) {
        const auto* number = std::get_if<config::ServerNumber>(&field->value);
        return number == nullptr ? "" : BaseUnits[static_cast<std::size_t>(number->quantity)];
    }
    const config::Field* field = config::find_field(key);
    const auto* number = field == nullptr ? nullptr : std::get_if<config::Number>(&field->value);
    return number == nullptr ? "" : BaseUnits[static_cast<std::size_t>(number->quantity)];
}

// Returns the description of an argument in the kernels; with the names of the kernels when they differ.
std::string doc_of_argument(const std::vector<KernelCases>& kernels, const std::string& argument) {
    std::map<std::string_view, std::set<std::string>> docs;  // descriptions, and the kernels that have each
    for (const KernelCases& cases : kernels) {
        if (cases.own) continue;
        for (const kernels::ArgumentInfo& info : kernels::find_kernel(cases.kernel).arguments)
            if (info.name == argument) docs[info.doc].insert(cases.kernel);
    }
    if (docs.size() == 1) return std::string(docs.begin()->first);
    std::string text;
    for (const auto& [doc, names] : docs)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", fmt::join(names, ", "), doc);
    return text;
}

// Returns every combination of the values; the last zip advances fastest.
std::vector<Settings> combinations(const std::vector<Zip>& zips) {
    std::vector<Settings> all{{}};
    for (const Zip& zip : zips) {
        std::vector<Settings> longer;
        for (const Settings& settings : all) {
            for (std::size_t i = 0; i < zip[0].values.size() && longer.size() <= MaxPoints; ++i) {
                longer.push_back(settings);
                for (const Axis& axis : zip) longer.back().emplace_back(axis.key, axis.values[i]);
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<Settings> argument_combinations(const KernelCases& cases) {
    std::vector<Zip> zips;
    for (const Axis& axis : cases.arguments)
        zips.push_back({{std::string(ArgumentPrefix) + axis.key, axis.values}});
    return combinations(zips);
}

class Planner {
  public:
    Planner(const Sweep& sweep, bool build_kernels) : sweep_(sweep), build_kernels_(build_kernels) {}

    Plan make() {
        const std::vector<Settings> axes = combinations(sweep_.axes);
        for (const KernelCases& cases : sweep_.kernels) {
            for (const Settings& arguments : argument_combinations(cases)) {
                for (const Settings& settings : axes) add(cases, arguments, settings);
            }
        }
        if (plan_.points.empty()) {
            config::fail(
                {sweep_.file.string()}, rule::FilterAll,
                fmt::format("filter: all {} points are taken out, expected one to stay", plan_.filtered));
        }
        name_variables();
        return std::move(plan_);
    }

  private:
    // Settings of the sweep file and its axes that are no keys of the configuration.
    struct Names {
        std::string base, server;
        std::vector<std::string> settings;  // settings of the server, "KEY=VALUE"
    };

    Names names_of(const Settings& axes) const {
        Names names{sweep_.base, sweep_.server, {}};
        for (const auto& [key, text] : axes) {
            if (key == "base") names.base = text;
            if (key == "server") names.server = text;
            if (is_server_axis(key)) names.settings.push_back(fmt::format("{}={}", key, text));
        }
        return names;
    }

    // How a point runs, as texts of the sweep file.
    struct Run {
        std::string fidelity, rounding, perturb;
    };

    Run run_of(const Settings& axes) const {
        Run run{sweep_.fidelity, sweep_.rounding, sweep_.perturb};
        for (const auto& [key, text] : axes) {
            if (key == "fidelity") run.fidelity = text;
            if (key == "rounding") run.rounding = text;
            if (key == "perturb") run.perturb = text;
        }
        return run;
    }

    // Returns the axes that choose the server.
    static Settings server_axes(Settings axes) {
        std::erase_if(axes,
                      [](const auto& axis) { return axis.first != "server" && !is_server_axis(axis.first); });
        return axes;
    }

    void add(const KernelCases& cases, const Settings& arguments, const Settings& axes) {
        Point point;
        point.kernel = cases.kernel;
        point.label = cases.label;
        point.own = cases.own;
        const Names names = names_of(axes);
        const Run run = run_of(axes);
        point.fidelity = runtime::fidelity_of(run.fidelity).value();
        point.stochastic = run.rounding == Stochastic;
        point.perturb = config::parse_seed(run.perturb);
        point.config = loaded(names.base);
        for (const Settings* settings : {&arguments, &axes}) {
            for (const auto& [key, text] : *settings) {
                if (key.starts_with(ArgumentPrefix)) {
                    point.arguments[key.substr(ArgumentPrefix.size())] = text;
                } else if (const config::Field* field = config::find_field(key)) {
                    config::parse_field(*field, text, point.config);
                }
            }
        }
        point.argument_text = argument_text(cases, point.arguments);
        if (!names.server.empty()) set_server(point, names, axes);
        if (!stays(point, names)) {
            ++plan_.filtered;
            return;
        }
        find_obstacle(point, cases, arguments, axes);
        point.place = point.causes.empty()
                          ? cases.place
                          : place_of(cases, point.causes.front().axis, point.causes.front().value);
        for (Cause& cause : point.causes) {
            if (const config::Field* field = config::find_field(cause.axis))
                cause.value = config::format_field(*field, point.config);
        }
        add_causes(point);
        names_.push_back(names);
        plan_.points.push_back(std::move(point));
        if (plan_.points.size() > MaxPoints) {
            config::fail({sweep_.file.string()}, rule::Points,
                         fmt::format("expected at most {} points", MaxPoints));
        }
    }

    // Adds the causes that the reason does not name: "..., because of dma.engines 1 and dma.rings 8".
    static void add_causes(Point& point) {
        std::string causes;
        for (const Cause& cause : point.causes) {
            const bool is_argument = cause.axis.starts_with(ArgumentPrefix);
            const std::string name =
                is_argument ? named_argument(cause.axis.substr(ArgumentPrefix.size()), cause.value)
                            : cause.axis;
            if (point.impossible.find(name) == std::string::npos)
                causes += fmt::format("{}{} {}", causes.empty() ? "" : " and ", cause.axis, cause.value);
        }
        if (!causes.empty()) point.impossible += ", because of " + causes;
    }

    // Returns an argument as errors of kernels name it.
    static std::string named_argument(const std::string& name, const std::string& value) {
        return fmt::format("{} = '{}'", name, value);
    }

    // Calls visit(key, axis) for each axis and for each argument of a kernel, until it returns true.
    template <typename Visit>
    void visit_axes(const KernelCases& cases, const Visit& visit) const {
        for (const Zip& zip : sweep_.axes)
            for (const Axis& axis : zip)
                if (visit(axis.key, axis)) return;
        for (const Axis& axis : cases.arguments)
            if (visit(std::string(ArgumentPrefix) + axis.key, axis)) return;
    }

    // Returns the place of a value in the sweep file.
    config::Location place_of(const KernelCases& cases, const std::string& key,
                              const std::string& value) const {
        config::Location place = cases.place;
        visit_axes(cases, [&](const std::string& name, const Axis& axis) {
            const auto found = std::ranges::find(axis.values, value);
            if (name != key || found == axis.values.end()) return false;
            place = axis.places.at(static_cast<std::size_t>(found - axis.values.begin()));
            return true;
        });
        return place;
    }

    // An argument with several values which settings leave out; nothing if there is none.
    struct Missing {
        std::string key;
        const std::vector<std::string>* values;
    };
    std::optional<Missing> missing_argument(const KernelCases& cases, const Settings& settings) const {
        std::optional<Missing> missing;
        visit_axes(cases, [&](const std::string& key, const Axis& axis) {
            const auto is_it = [&](const auto& setting) { return setting.first == key; };
            if (!key.starts_with(ArgumentPrefix) || std::ranges::any_of(settings, is_it)) return false;
            missing = {key, &axis.values};
            return true;
        });
        return missing;
    }

    // Sets what keeps a point from being, and its causes among the axes and the arguments with several values.
    void find_obstacle(Point& point, const KernelCases& cases, const Settings& arguments,
                       const Settings& axes) {
        Settings varied = axes, fixed;
        for (const auto& setting : arguments) {
            const auto has_it = [&](const Axis& axis) {
                return ArgumentPrefix.size() + axis.key.size() == setting.first.size() &&
                       setting.first.ends_with(axis.key) && axis.values.size() > 1;
            };
            (std::ranges::any_of(cases.arguments, has_it) ? varied : fixed).push_back(setting);
        }
        const auto obstacle_with = [&](Settings settings) {
            settings.insert(settings.begin(), fixed.begin(), fixed.end());
            return obstacle_of(cases, settings);
        };
        const auto obstacle = obstacle_with(varied);
        if (!obstacle) return;
        point.impossible = obstacle->reason;
        point.causes = causes_of(varied, [&](const Settings& left) {
            const auto other = obstacle_with(left);
            return other && other->name == obstacle->name;
        });
    }

    // Returns the obstacle of a point with some settings. The others have the values of the base; arguments,
    // which have none there, any value with which there is no obstacle.
    std::optional<Obstacle> obstacle_of(const KernelCases& cases, const Settings& settings) {
        const config::Config config = with(loaded(names_of(settings).base), settings);
        if (auto obstacle = sweep::obstacle_of(config, cases.own.get())) return obstacle;
        const Run run = run_of(settings);
        if (run.fidelity == runtime::name_of(runtime::Fidelity::Fast) && run.perturb != None)
            return Obstacle{
                "perturb", fmt::format("perturb: found '{}', expected none with fidelity fast", run.perturb)};
        if (!build_kernels_ || (cases.own && cases.own->is_program())) return std::nullopt;
        if (const auto missing = missing_argument(cases, settings)) {
            std::optional<Obstacle> obstacle;
            for (const std::string& value : *missing->values) {
                Settings with_value = settings;
                with_value.emplace_back(missing->key, value);
                obstacle = obstacle_of(cases, with_value);
                if (!obstacle) break;
            }
            return obstacle;
        }
        std::map<std::string, std::string> arguments;
        for (const auto& [key, text] : settings)
            if (key.starts_with(ArgumentPrefix)) arguments[key.substr(ArgumentPrefix.size())] = text;
        const TriedKernel& tried =
            cases.own ? tried_.find(cases.own->file) : tried_.find(cases.kernel, arguments, config);
        if (!tried.error.empty()) return Obstacle{"kernel", tried.error};
        const Names names = names_of(settings);
        if (!tried.ranks) return std::nullopt;
        if (names.server.empty()) return obstacle_of_ranks(*tried.ranks, std::nullopt);
        const Loaded& server = loaded_server(names);
        return server.server ? obstacle_of_ranks(*tried.ranks, server.server) : std::nullopt;
    }

    // Returns a configuration with the settings that are keys of it.
    static config::Config with(config::Config config, const Settings& settings) {
        for (const auto& [key, text] : settings) {
            if (const config::Field* field = config::find_field(key))
                config::parse_field(*field, text, config);
        }
        return config;
    }

    std::string argument_text(const KernelCases& cases,
                              const std::map<std::string, std::string>& arguments) const {
        if (cases.own) return cases.own->arguments;
        try {
            return kernels::Arguments(cases.kernel, kernels::find_kernel(cases.kernel).arguments, arguments)
                .text();
        } catch (const kernels::ArgumentError& error) {
            const std::string_view what = error.what();
            config::Location place = cases.place;
            for (const auto& [name, value] : arguments)
                if (what.find(named_argument(name, value)) != std::string_view::npos)
                    place = place_of(cases, std::string(ArgumentPrefix) + name, value);
            config::fail(place, rule::Argument, fmt::format("kernels: {}", what));
        }
    }

    const config::Config& loaded(const std::string& base) {
        const auto [at, is_new] = configs_.try_emplace(base);
        if (is_new) at->second = config::load(base_of(sweep_.file, base));
        return at->second;
    }

    struct Loaded {
        std::optional<config::Server> server;
        std::string rule, impossible;  // the broken rule; empty if there is a server
        bool has_causes = false;       // whether they have been looked for
        std::vector<Cause> causes{};
    };

    // Returns the server without causes.
    Loaded load_server(const std::string& name, const std::vector<std::string>& settings) const {
        try {
            return {tlm::load_server(base_of(sweep_.file, name), settings), "", ""};
        } catch (const config::Error& error) {
            // A value of an axis, as a setting, is the place of its error, which has its key as well.
            std::string what = error.what();
            for (const std::string& setting : settings)
                if (what.starts_with(setting + ": ")) what = what.substr(setting.size() + 2);
            return {std::nullopt, error.rule, what};
        }
    }

    // Returns the server of some settings, which is loaded once, without causes.
    Loaded& loaded_server(const Names& names) {
        const auto [at, is_new] = servers_.try_emplace({names.server, names.settings});
        if (is_new) at->second = load_server(names.server, names.settings);
        return at->second;
    }

    void set_server(Point& point, const Names& names, const Settings& axes) {
        Loaded& found = loaded_server(names);
        if (!found.server && !found.has_causes) {
            found.has_causes = true;
            found.causes = causes_of(server_axes(axes), [&](const Settings& left) {
                const Loaded& other = loaded_server(names_of(left));
                return !other.server && other.rule == found.rule;
            });
        }
        point.server = found.server;
        point.impossible = found.impossible;
        point.causes = found.causes;
        if (!point.server) return;
        point.server->chip = point.config;
        point.server->chip_name = names.base;
    }

    // Returns the value of a name in filters and results; its text is empty if the point has no value.
    static Setting setting(const Point& point, const Names& names, const std::string& name) {
        if (name == "kernel") return {point.kernel, std::nullopt};
        if (name == LabelKey) return {point.label, std::nullopt};
        if (name == "base") return {names.base, std::nullopt};
        if (name == "server") return {names.server, std::nullopt};
        if (const config::ServerField* field = find_server_field(name))
            return setting_of_server(*field, point, names);
        if (name == "fidelity") return {std::string(runtime::name_of(point.fidelity)), std::nullopt};
        if (name == "rounding") return {point.stochastic ? Stochastic : Nearest, std::nullopt};
        if (name == "perturb") {
            if (!point.perturb) return {None, std::nullopt};
            return {fmt::format("{}", *point.perturb), static_cast<double>(*point.perturb)};
        }
        if (const config::Field* field = config::find_field(name)) return setting_of(*field, point.config);
        const auto found = point.arguments.find(name.substr(ArgumentPrefix.size()));
        if (found == point.arguments.end()) return {};
        return {found->second, plain_number(found->second)};
    }

    static Setting setting_of_server(const config::ServerField& field, const Point& point,
                                     const Names& names) {
        const auto* number = std::get_if<config::ServerNumber>(&field.value);
        if (number != nullptr && point.server) {
            config::Server copy = *point.server;  // the accessors are for reading and writing
            const std::uint64_t value = number->of(copy);
            return {config::format_server_number(field.key, value), static_cast<double>(value)};
        }
        for (const std::string& text : names.settings)
            if (text.starts_with(fmt::format("{}=", field.key)))
                return {text.substr(field.key.size() + 1), plain_number(text.substr(field.key.size() + 1))};
        return {};
    }

    bool stays(const Point& point, const Names& names) const {
        for (const Filter& filter : sweep_.filters) {
            const auto lookup = [&](const std::string& name) -> std::optional<Value> {
                if (name == LabelKey) return Value(point.label);  // empty without one
                const Setting found = setting(point, names, name);
                if (found.number) return Value(*found.number);
                if (found.text.empty()) return std::nullopt;
                return Value(found.text);
            };
            const auto refuse = [&](std::size_t offset, const std::string& what) {
                config::Location place = filter.place;
                place.column += static_cast<int>(offset);
                config::fail(place, rule::FilterValue, fmt::format("filter: {}", what));
            };
            try {
                const auto value = filter.expression.evaluate(lookup);
                if (!value) continue;
                const bool* truth = std::get_if<bool>(&*value);
                if (truth == nullptr) refuse(0, "found a number or a text, expected a truth value");
                if (!*truth) return false;
            } catch (const ExpressionError& error) {
                refuse(error.offset, error.what());
            }
        }
        return true;
    }

    void name_variables() {
        std::vector<std::string> names;
        const auto add_name = [&names](const std::string& name) {
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        };
        for (const Zip& zip : sweep_.axes)
            for (const Axis& axis : zip) add_name(axis.key);
        add_name("kernel");
        if (std::ranges::any_of(plan_.points, [](const Point& point) { return !point.label.empty(); }))
            add_name(std::string(LabelKey));
        std::map<std::string, std::set<std::string>> values;
        for (const Point& point : plan_.points)
            for (const auto& [name, text] : point.arguments) values[name].insert(text);
        for (const auto& [name, texts] : values)
            if (texts.size() > 1) add_name(std::string(ArgumentPrefix) + name);
        for (const std::string& name : names) plan_.variables.push_back(variable(name));
        for (std::size_t i = 0; i < plan_.points.size(); ++i)
            for (const std::string& name : names)
                plan_.points[i].settings.push_back(setting(plan_.points[i], names_[i], name));
    }

    Variable variable(const std::string& name) {
        Variable variable{.name = name, .unit = unit_of(name), .doc = {}, .source = {}, .base = {}};
        if (name == "kernel" || name == LabelKey || name.starts_with(ArgumentPrefix)) {
            variable.source = "kernel";
            variable.doc = name == "kernel" ? "what ran"
                           : name == LabelKey
                               ? "name of the case in the sweep file"
                               : doc_of_argument(sweep_.kernels, name.substr(ArgumentPrefix.size()));
            return variable;
        }
        Point base;
        base.fidelity = runtime::fidelity_of(sweep_.fidelity).value();
        base.stochastic = sweep_.rounding == Stochastic;
        base.perturb = config::parse_seed(sweep_.perturb);
        base.config = loaded(sweep_.base);
        const Names names{sweep_.base, sweep_.server, {}};
        if (!names.server.empty()) set_server(base, names, {});
        variable.base = setting(base, names, name).text;
        if (const config::ServerField* server = find_server_field(name)) {
            variable.source = "server";
            variable.doc = server->doc;
            return variable;
        }
        const config::Field* field = config::find_field(name);
        variable.source = field == nullptr ? "sweep file" : "configuration";
        variable.doc =
            field == nullptr ? std::ranges::find(OtherNames, name, &OtherName::name)->doc : field->doc;
        return variable;
    }

    const Sweep& sweep_;
    bool build_kernels_;
    TriedKernels tried_;
    Plan plan_;
    std::vector<Names> names_;  // by point
    std::map<std::string, config::Config> configs_;
    std::map<std::pair<std::string, std::vector<std::string>>, Loaded> servers_;  // by name and settings
};

}  // namespace

Plan make_plan(const Sweep& sweep, bool build_kernels) {
    return Planner(sweep, build_kernels).make();
}

}  // namespace trnsim::sweep
