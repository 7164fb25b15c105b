#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "arch/config/folders.hpp"
#include "arch/config/link_shape.hpp"
#include "arch/config/nearest.hpp"
#include "arch/config/schema.hpp"
#include "arch/config/server_schema.hpp"
#include "arch/config/units.hpp"
#include "base/text/printable.hpp"
#include "base/time/time.hpp"
#include "compiler/kernels/registry.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/fidelity.hpp"
#include "tools/sweep/axis_values.hpp"
#include "tools/sweep/filter.hpp"
#include "tools/sweep/metrics.hpp"
#include "tools/sweep/rules.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::sweep {
namespace {

using config::Document;
using config::fail;
using config::Location;

constexpr std::string_view Base = "base", ServerKey = "server", FidelityKey = "fidelity",
                           RoundingKey = "rounding", PerturbKey = "perturb", ZipKey = "zip",
                           Container = "neff", Program = "program";
const std::vector<std::string> TopKeys{"name",       "base",  "fidelity", "seed",    "check",
                                       "time_limit", "axes",  "kernels",  "filter",  "metrics",
                                       "rounding",   "trace", "wave",     "perturb", "server"};

std::string mismatch(const std::string& key, const std::string& found, const std::string& expected) {
    return fmt::format("{}: found '{}', expected {}", key, found, expected);
}

std::vector<std::string> argument_names(const kernels::Kernel& kernel) {
    std::vector<std::string> names;
    for (const kernels::ArgumentInfo& info : kernel.arguments) names.emplace_back(info.name);
    return names;
}

std::vector<std::string> argument_names(const KernelCases& cases) {
    return cases.own ? std::vector<std::string>{} : argument_names(kernels::find_kernel(cases.kernel));
}

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : document_(path, "a sweep file") {
        sweep_.file = path;
        sweep_.name = path.stem().string();
    }

    Sweep read() {
        std::map<std::string, YAML::Node> nodes;
        std::map<std::string, Location> places;
        document_.entries(document_.root(), "", TopKeys,
                          [&](const std::string& key, const YAML::Node& node, const Location& where) {
                              nodes.emplace(key, node);
                              places.emplace(key, where);
                          });
        for (const char* key : {"base", "kernels"}) {
            if (!nodes.contains(key))
                fail({document_.file()}, rule::Missing, fmt::format("{}: found nothing, expected it", key));
        }
        using Read = void (Reader::*)(const YAML::Node&, const Location&);
        // Reads kernels before axes, and both before filters, because later parts use names of earlier ones.
        const std::vector<std::pair<const char*, Read>> steps{
            {"name", &Reader::name},
            {"base", &Reader::base},
            {"server", &Reader::server},
            {"fidelity", &Reader::fidelity},
            {"seed", &Reader::seed},
            {"check", &Reader::check},
            {"time_limit", &Reader::time_limit},
            {"rounding", &Reader::rounding},
            {"trace", &Reader::trace},
            {"wave", &Reader::wave},
            {"perturb", &Reader::perturb},
            {"kernels", &Reader::kernels},
            {"axes", &Reader::axes},
            {"filter", &Reader::filters},
            {"metrics", &Reader::metrics},
        };
        for (const auto& [key, step] : steps)
            if (nodes.contains(key)) (this->*step)(nodes.at(key), places.at(key));
        if (sweep_.metrics.empty()) sweep_.metrics = default_metrics(!sweep_.server.empty());
        return std::move(sweep_);
    }

  private:
    std::string scalar(const std::string& key, const YAML::Node& node, const Location& where) const {
        if (!node.IsScalar())
            fail(where, config::RuleValue,
                 fmt::format("{}: found {}, expected a value", key, config::kind(node)));
        return node.Scalar();
    }
    // Returns the items of a list that is not empty.
    void items(const std::string& key, const YAML::Node& node, const Location& where) const {
        if (!node.IsSequence())
            fail(where, rule::List, fmt::format("{}: found {}, expected a list", key, config::kind(node)));
        if (node.size() == 0)
            fail(where, rule::Empty, fmt::format("{}: found an empty list, expected entries", key));
    }

    void name(const YAML::Node& node, const Location& where) {
        sweep_.name = scalar("name", node, where);
        config::Config scratch;
        if (const auto mistake = config::parse_field(*config::find_field("name"), sweep_.name, scratch))
            fail(where, rule::Name, mismatch("name", sweep_.name, mistake->expected));
    }
    void base(const YAML::Node& node, const Location& where) {
        sweep_.base = checked_base(scalar("base", node, where), where);
    }
    std::string checked_base(const std::string& text, const Location& where) const {
        try {
            config::load(base_of(sweep_.file, text));
        } catch (const config::Error& error) {
            fail(where, rule::Base, fmt::format("base: {}", error.what()));
        }
        return text;
    }
    void server(const YAML::Node& node, const Location& where) {
        sweep_.server = checked_server(scalar("server", node, where), where);
    }
    std::string checked_server(const std::string& text, const Location& where) const {
        try {
            tlm::load_server(base_of(sweep_.file, text));
        } catch (const config::Error& error) {
            fail(where, rule::Server, fmt::format("server: {}", error.what()));
        }
        return text;
    }
    // Checks a value by itself; if it does not fit the rest of a server, the point becomes impossible.
    static std::string checked_server_value(const config::ServerField& field, const PlacedValue& value) {
        const YAML::Node node(value.text);
        if (field.key == "topology") {
            if (!config::parse_link_shape(node))
                fail(value.place, rule::AxisValue,
                     mismatch(std::string(field.key), value.text, std::string(config::LinkShapeType)));
            return value.text;
        }
        config::Server scratch;
        if (const auto mistake = config::read_field(field, node, scratch))
            fail(value.place, rule::AxisValue,
                 mismatch(std::string(field.key), value.text, mistake->expected));
        return value.text;
    }
    void fidelity(const YAML::Node& node, const Location& where) {
        sweep_.fidelity = checked_fidelity(scalar("fidelity", node, where), where);
    }
    static std::string checked_fidelity(const std::string& text, const Location& where) {
        if (!runtime::fidelity_of(text))
            fail(where, rule::Fidelity, mismatch("fidelity", text, "rtl or fast"));
        return text;
    }
    void seed(const YAML::Node& node, const Location& where) {
        const std::string text = scalar("seed", node, where);
        const auto value = config::parse_quantity(text, config::Quantity::Count);
        if (!value) fail(where, rule::Seed, mismatch("seed", text, "a whole number"));
        sweep_.seed = *value;
    }
    void check(const YAML::Node& node, const Location& where) {
        sweep_.check = truth("check", rule::Check, node, where);
    }
    void trace(const YAML::Node& node, const Location& where) {
        sweep_.trace = truth("trace", rule::Trace, node, where);
    }
    void wave(const YAML::Node& node, const Location& where) {
        sweep_.wave = truth("wave", rule::Wave, node, where);
    }
    bool truth(const std::string& key, std::string_view rule, const YAML::Node& node,
               const Location& where) const {
        const std::string text = scalar(key, node, where);
        if (text != "true" && text != "false")
            fail(where, rule, mismatch(key, text, std::string("true or false")));
        return text == "true";
    }
    void rounding(const YAML::Node& node, const Location& where) {
        sweep_.rounding = checked_rounding(scalar("rounding", node, where), where);
    }
    static std::string checked_rounding(const std::string& text, const Location& where) {
        if (text != Nearest && text != Stochastic)
            fail(where, rule::Rounding,
                 mismatch("rounding", text, fmt::format("{} or {}", Nearest, Stochastic)));
        return text;
    }
    void perturb(const YAML::Node& node, const Location& where) {
        sweep_.perturb = checked_perturb(scalar("perturb", node, where), where);
    }
    std::string checked_perturb(const std::string& text, const Location& where) const {
        if (text != None && !sweep_.server.empty())
            fail(where, rule::Perturb, mismatch("perturb", text, "none, as there is a server"));
        if (text != None && !config::parse_seed(text))
            fail(where, rule::Perturb, mismatch("perturb", text, "a whole number below 2^32, or none"));
        return text;
    }
    void time_limit(const YAML::Node& node, const Location& where) {
        const std::string text = scalar("time_limit", node, where);
        const auto value = config::parse_quantity(text, config::Quantity::Time);
        if (!value || *value == 0)
            fail(where, rule::TimeLimit, mismatch("time_limit", text, "a time such as '60 s'"));
        sweep_.time_limit = static_cast<double>(*value) / FsPerSecond;
    }

    void kernels(const YAML::Node& node, const Location& where) {
        items("kernels", node, where);
        std::vector<std::string> names;
        for (const kernels::Kernel& kernel : kernels::kernels()) names.emplace_back(kernel.name);
        names.insert(names.end(), {std::string(Container), std::string(Program)});
        for (const YAML::Node& item : node) {
            const Location place = document_.place(item);
            if (!item.IsMap() || item.size() != 1)
                fail(
                    place, rule::Entry,
                    fmt::format(
                        "kernels: found {}, expected one kernel, such as 'matmul: {{ M: 64, K: 64, N: 64 }}'",
                        item.IsMap() ? "a mapping of several keys" : config::kind(item)));
            document_.entries(
                item, "kernels", names,
                [&](const std::string& kernel, const YAML::Node& arguments, const Location& at) {
                    if (kernel == Container || kernel == Program) {
                        own_kernels(kernel, arguments, at);
                    } else {
                        kernel_cases(kernel, arguments, place, at);
                    }
                });
        }
    }
    std::string label_of(const std::string& section, const YAML::Node& node, const Location& where) const {
        const std::string key = fmt::format("{}.{}", section, LabelKey), text = scalar(key, node, where);
        if (text.empty() || text != text::printable(text))
            fail(where, rule::Label,
                 mismatch(key, text::printable(text), std::string("a name of printable characters")));
        return text;
    }
    void kernel_cases(const std::string& name, const YAML::Node& node, const Location& place,
                      const Location& at) {
        const std::string section = "kernels." + name;
        if (!node.IsMap())
            fail(at, config::RuleMapping,
                 fmt::format("{}: found {}, expected a mapping of keys", section, config::kind(node)));
        KernelCases cases{.kernel = name, .place = place};
        std::vector<std::string> keys = argument_names(kernels::find_kernel(name));
        keys.emplace_back(LabelKey);
        document_.entries(node, section, keys,
                          [&](const std::string& argument, const YAML::Node& value, const Location& where) {
                              if (argument == LabelKey) {
                                  cases.label = label_of(section, value, where);
                                  return;
                              }
                              Axis axis{argument, {}};
                              for (PlacedValue& one : axis_values(document_, value, where,
                                                                  fmt::format("{}.{}", section, argument),
                                                                  config::Quantity::Count)) {
                                  axis.values.push_back(std::move(one.text));
                                  axis.places.push_back(one.place);
                              }
                              cases.arguments.push_back(std::move(axis));
                          });
        sweep_.kernels.push_back(std::move(cases));
    }

    // Reads `neff: FILE` or a list of files, or `program: [./gen, word, ...]`.
    void own_kernels(const std::string& key, const YAML::Node& node, const Location& at) {
        const std::string section = "kernels." + key;
        std::vector<std::pair<std::string, Location>> words;
        if (node.IsSequence()) {
            items(section, node, at);
            for (const YAML::Node& item : node) {
                const Location place = document_.place(item);
                words.emplace_back(scalar(section, item, place), place);
            }
        } else {
            words.emplace_back(scalar(section, node, at), at);
        }
        const std::filesystem::path folder = sweep_.file.parent_path();
        if (key == Program) {
            std::vector<std::string> texts;
            texts.reserve(words.size());
            for (const auto& [text, place] : words) texts.push_back(text);
            add_own(section, at, [&] { return trial::own_program(texts, folder); });
        } else {
            for (const auto& [text, place] : words)
                add_own(section, place, [&, &file = text] { return trial::own_container(folder / file); });
        }
    }
    template <typename Make>
    void add_own(const std::string& section, const Location& place, const Make& make) {
        try {
            const auto own = std::make_shared<const trial::OwnKernel>(make());
            sweep_.kernels.push_back({.kernel = own->name, .own = own, .place = place});
        } catch (const std::runtime_error& error) {
            fail(place, rule::OwnKernel, fmt::format("{}: {}", section, error.what()));
        }
    }

    // Returns the possible names of an axis.
    std::vector<std::string> axis_keys() const {
        std::vector<std::string> keys{std::string(Base), std::string(ServerKey), std::string(FidelityKey),
                                      std::string(RoundingKey), std::string(PerturbKey)};
        for (const config::Field& field : config::schema()) keys.emplace_back(field.key);
        for (const config::ServerField& field : config::server_schema())
            if (is_server_axis(field.key)) keys.emplace_back(field.key);
        for (const KernelCases& cases : sweep_.kernels) {
            for (const std::string& name : argument_names(cases)) {
                const std::string key = std::string(ArgumentPrefix) + name;
                if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
            }
        }
        return keys;
    }

    void axes(const YAML::Node& node, const Location& where) {
        items("axes", node, where);
        std::vector<std::string> valid = axis_keys();
        valid.emplace_back(ZipKey);
        for (const YAML::Node& item : node) {
            if (!item.IsMap() || item.size() != 1)
                fail(document_.place(item), rule::Entry,
                     fmt::format(
                         "axes: found {}, expected one axis, such as 'hbm.bandwidth: [100 GB/s, 200 GB/s]'",
                         item.IsMap() ? "a mapping of several keys" : config::kind(item)));
            document_.entries(item, "", valid,
                              [&](const std::string& key, const YAML::Node& values, const Location& at) {
                                  if (key == ZipKey) {
                                      zip(values, at);
                                  } else {
                                      sweep_.axes.push_back({axis(key, values, at)});
                                  }
                              });
        }
    }
    void zip(const YAML::Node& node, const Location& at) {
        if (!node.IsMap())
            fail(at, config::RuleMapping,
                 fmt::format("axes.zip: found {}, expected a mapping of keys", config::kind(node)));
        Zip group;
        document_.entries(
            node, "", axis_keys(),
            [&](const std::string& key, const YAML::Node& values, const Location& where) {
                group.push_back(axis(key, values, where));
                if (group.back().values.size() != group[0].values.size())
                    fail(where, rule::ZipLength,
                         fmt::format("axes.zip: found {} values of {}, expected {}, as many as of {}",
                                     group.back().values.size(), key, group[0].values.size(), group[0].key));
            });
        if (group.empty()) fail(at, rule::Empty, "axes.zip: found no axes, expected some");
        sweep_.axes.push_back(std::move(group));
    }

    Axis axis(const std::string& key, const YAML::Node& node, const Location& where) {
        if (!axes_.insert(key).second)
            fail(where, rule::AxisTwice, fmt::format("axes: found {} twice, expected one axis of it", key));
        if (sweep_.server.empty() && (key == ServerKey || is_server_axis(key)))
            fail(where, rule::Server, fmt::format("axes: found {}, expected it beside the key server", key));
        const config::Field* field = config::find_field(key);
        Axis axis{key, {}};
        for (const PlacedValue& value : axis_values(document_, node, where, key, quantity_of(key, field))) {
            axis.values.push_back(checked_value(key, field, value));
            axis.places.push_back(value.place);
        }
        if (key.starts_with(ArgumentPrefix)) check_argument(key, where);
        return axis;
    }
    static const config::ServerField* server_field_of(const std::string& key) {
        const auto field = std::ranges::find(config::server_schema(), key, &config::ServerField::key);
        return is_server_axis(key) ? &*field : nullptr;
    }
    static std::optional<config::Quantity> quantity_of(const std::string& key, const config::Field* field) {
        if (key.starts_with(ArgumentPrefix)) return config::Quantity::Count;
        if (const config::ServerField* server_field = server_field_of(key)) {
            const auto* number = std::get_if<config::ServerNumber>(&server_field->value);
            return number == nullptr ? std::nullopt : std::optional(number->quantity);
        }
        const auto* number = field == nullptr ? nullptr : std::get_if<config::Number>(&field->value);
        if (number == nullptr) return std::nullopt;
        return number->quantity;
    }
    std::string checked_value(const std::string& key, const config::Field* field,
                              const PlacedValue& value) const {
        if (key == Base) return checked_base(value.text, value.place);
        if (key == FidelityKey) return checked_fidelity(value.text, value.place);
        if (key == RoundingKey) return checked_rounding(value.text, value.place);
        if (key == PerturbKey) return checked_perturb(value.text, value.place);
        if (key == ServerKey) return checked_server(value.text, value.place);
        if (const config::ServerField* server_field = server_field_of(key))
            return checked_server_value(*server_field, value);
        config::Config scratch;
        if (field != nullptr) {
            if (const auto mistake = config::parse_field(*field, value.text, scratch))
                fail(value.place, rule::AxisValue, mismatch(key, value.text, mistake->expected));
        }
        return value.text;
    }
    void check_argument(const std::string& key, const Location& where) const {
        const std::string argument = key.substr(ArgumentPrefix.size());
        for (const KernelCases& cases : sweep_.kernels) {
            const auto names = argument_names(cases);
            if (std::ranges::find(names, argument) == names.end())
                fail(where, rule::AxisKey,
                     fmt::format(
                         "axes: found {}, expected an argument of every kernel; {} has none of that name",
                         key, cases.kernel));
        }
    }

    void filters(const YAML::Node& node, const Location& where) {
        if (node.IsScalar()) return filter(node, where);
        items("filter", node, where);
        for (const YAML::Node& item : node) filter(item, document_.place(item));
    }
    void filter(const YAML::Node& node, const Location& where) {
        std::vector<std::string> known = axis_keys();
        known.emplace_back("kernel");
        known.emplace_back(LabelKey);
        sweep_.filters.push_back(
            read_filter(node, scalar("filter", node, where), where, known, !sweep_.server.empty()));
    }

    void metrics(const YAML::Node& node, const Location& where) {
        items("metrics", node, where);
        const std::vector<std::string> known = metric_names();
        for (const YAML::Node& item : node) {
            const std::string name = scalar("metrics", item, document_.place(item));
            if (std::ranges::find(known, name) == known.end())
                fail(document_.place(item), rule::Metric,
                     fmt::format("metrics: unknown metric '{}', expected one like '{}'", name,
                                 config::nearest(name, known)));
            if (std::ranges::find(sweep_.metrics, name) != sweep_.metrics.end())
                fail(document_.place(item), rule::ValueTwice,
                     fmt::format("metrics: found '{}' twice, expected every value once", name));
            sweep_.metrics.push_back(name);
        }
    }

    Document document_;
    Sweep sweep_;
    std::set<std::string> axes_;
};

}  // namespace

Sweep read_sweep(const std::filesystem::path& path) {
    return Reader(path).read();
}

bool is_server_axis(std::string_view key) {
    return key.starts_with("links.") || key == "topology";
}

std::vector<std::string> all_rules() {
    return {rule::All.begin(), rule::All.end()};
}

std::string base_of(const std::filesystem::path& file, const std::string& text) {
    return config::is_path(text) ? (file.parent_path() / text).string() : text;
}

}  // namespace trnsim::sweep
