#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "testbench/config/nearest.hpp"
#include "testbench/config/units.hpp"
#include "testbench/kernels/registry.hpp"
#include "testbench/regress/list.hpp"
#include "testbench/regress/rules.hpp"
#include "testbench/sweep/sweep.hpp"

namespace trnsim::regress {
namespace {

using config::fail;
using config::Place;

constexpr double FsPerSecond = 1e15, DefaultTimeLimit = 60;
constexpr std::size_t MaxCases = 100'000;
const std::vector<std::string> TopKeys{"name", "config",       "seed",     "rounding", "time_limit",
                                       "tags", "every_kernel", "coverage", "tests"};
const std::vector<std::string> TestKeys{"kernel",   "arguments", "config", "seed",
                                        "rounding", "tags",      "expect", "time_limit"};
const std::string Nearest = "nearest", Stochastic = "stochastic", Pass = "pass";

// What the list says for all tests, and a test for itself.
struct Settings {
    std::vector<std::string> configs;
    std::vector<std::string> seeds{"1"};
    std::vector<std::string> roundings{Nearest};
    std::vector<std::string> tags;
    double time_limit = DefaultTimeLimit;
    std::string expect;
};

struct Argument {
    std::string name;
    std::vector<std::string> values;
};

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : document_(path, "a regression list") {
        list_.file = path;
        list_.name = path.stem().string();
    }

    List read() {
        YAML::Node tests;
        std::optional<Place> every_kernel;
        Settings common;
        document_.entries(document_.root(), "", TopKeys,
                          [&](const std::string& key, const YAML::Node& node, const Place& where) {
                              if (key == "tests") {
                                  check_items(key, node, where);
                                  tests.reset(node);
                              } else if (key == "every_kernel") {
                                  if (flag(key, node, where)) every_kernel = where;
                              } else if (key == "coverage") {
                                  list_.coverage = list_.file.parent_path() / scalar(key, node, where);
                              } else if (key == "name") {
                                  list_.name = scalar(key, node, where);
                              } else {
                                  setting(common, key, node, where);
                              }
                          });
        if (!tests.IsSequence()) fail({document_.file()}, rule::Missing, "tests: found nothing, expected it");
        for (const YAML::Node& item : tests) test(item, common);
        if (every_kernel) check_kernels(*every_kernel);
        return std::move(list_);
    }

  private:
    static std::string scalar(const std::string& key, const YAML::Node& node, const Place& where) {
        if (!node.IsScalar())
            fail(where, config::RuleValue,
                 fmt::format("{}: found {}, expected a value", key, config::kind(node)));
        return node.Scalar();
    }
    static bool flag(const std::string& key, const YAML::Node& node, const Place& where) {
        const std::string text = scalar(key, node, where);
        if (text != "true" && text != "false") mismatch(where, rule::Flag, key, text, "true or false");
        return text == "true";
    }
    static void check_items(const std::string& key, const YAML::Node& node, const Place& where) {
        if (!node.IsSequence())
            fail(where, rule::List, fmt::format("{}: found {}, expected a list", key, config::kind(node)));
        if (node.size() == 0)
            fail(where, rule::Empty, fmt::format("{}: found an empty list, expected entries", key));
    }
    [[noreturn]] static void mismatch(const Place& where, std::string_view broken, const std::string& key,
                                      const std::string& found, std::string_view expected) {
        fail(where, broken, fmt::format("{}: found '{}', expected {}", key, found, expected));
    }

    // A value or a list of different ones, each checked by `check(text, place)`.
    template <typename Check>
    std::vector<std::string> values(const std::string& key, const YAML::Node& node, const Place& where,
                                    const Check& check) const {
        std::vector<std::string> all;
        const auto add = [&](const YAML::Node& item, const Place& place) {
            all.push_back(scalar(key, item, place));
            check(all.back(), place);
            if (std::ranges::count(all, all.back()) > 1)
                fail(place, rule::ValueTwice,
                     fmt::format("{}: found '{}' twice, expected every value once", key, all.back()));
        };
        if (node.IsScalar()) {
            add(node, where);
        } else {
            check_items(key, node, where);
            for (const YAML::Node& item : node) add(item, document_.place(item));
        }
        return all;
    }

    void setting(Settings& settings, const std::string& key, const YAML::Node& node, const Place& where) {
        if (key == "config") {
            settings.configs = values(
                key, node, where, [&](const std::string& text, const Place& at) { load_config(text, at); });
        } else if (key == "seed") {
            settings.seeds = values(key, node, where, [&](const std::string& text, const Place& at) {
                const auto value = config::parse_quantity(text, config::Quantity::Count);
                if (!value || *value > std::numeric_limits<std::uint32_t>::max())
                    mismatch(at, rule::Seed, key, text, "a whole number below 2^32");
            });
        } else if (key == "rounding") {
            settings.roundings = values(key, node, where, [&](const std::string& text, const Place& at) {
                if (text != Nearest && text != Stochastic)
                    mismatch(at, rule::Rounding, key, text, "nearest or stochastic");
            });
        } else if (key == "tags") {
            settings.tags = values(key, node, where, [&](const std::string& text, const Place& at) {
                if (text.empty() || text.find_first_of(" ,") != std::string::npos)
                    mismatch(at, rule::Tag, key, text, "a word");
            });
        } else if (key == "time_limit") {
            const std::string text = scalar(key, node, where);
            const auto value = config::parse_quantity(text, config::Quantity::Time);
            if (!value || *value == 0) mismatch(where, rule::TimeLimit, key, text, "a time such as '60 s'");
            settings.time_limit = static_cast<double>(*value) / FsPerSecond;
        } else {
            const std::string text = scalar(key, node, where);
            if (text.empty()) mismatch(where, rule::Expect, key, text, "pass or part of an error's message");
            settings.expect = text == Pass ? "" : text;
        }
    }

    void load_config(const std::string& text, const Place& at) {
        if (list_.configs.contains(text)) return;
        try {
            list_.configs.emplace(text, config::load(sweep::base_of(list_.file, text)));
        } catch (const config::Error& error) {
            fail(at, rule::Config, fmt::format("config: {}", error.what()));
        }
    }

    void test(const YAML::Node& item, const Settings& common) {
        const Place place = document_.place(item);
        if (!item.IsMap())
            fail(place, config::RuleMapping,
                 fmt::format("tests: found {}, expected a mapping of keys", config::kind(item)));
        Settings settings = common;
        const kernels::Kernel* kernel = nullptr;
        YAML::Node given;
        Place given_at = place;
        document_.entries(item, "tests", TestKeys,
                          [&](const std::string& key, const YAML::Node& node, const Place& where) {
                              if (key == "kernel") {
                                  kernel = &find_kernel(scalar(key, node, where), where);
                              } else if (key == "arguments") {
                                  if (!node.IsMap())
                                      fail(where, config::RuleMapping,
                                           fmt::format("arguments: found {}, expected a mapping of keys",
                                                       config::kind(node)));
                                  given.reset(node);
                                  given_at = where;
                              } else if (key == "tags") {
                                  Settings own;
                                  setting(own, key, node, where);
                                  std::ranges::copy(own.tags, std::back_inserter(settings.tags));
                              } else {
                                  setting(settings, key, node, where);
                              }
                          });
        if (kernel == nullptr) fail(place, rule::Missing, "tests.kernel: found nothing, expected it");
        if (settings.configs.empty()) fail(place, rule::Missing, "tests.config: found nothing, expected it");
        const std::vector<Argument> arguments = read_arguments(*kernel, given);
        for (const auto& chosen : combinations(arguments)) {
            if (settings.expect.empty()) check_arguments(*kernel, chosen, given_at);
            for (const std::string& config : settings.configs)
                for (const std::string& seed : settings.seeds)
                    for (const std::string& rounding : settings.roundings)
                        add(*kernel, arguments, chosen, config, seed, rounding, settings, place);
        }
    }

    static const kernels::Kernel& find_kernel(const std::string& name, const Place& where) {
        std::vector<std::string> names;
        for (const kernels::Kernel& kernel : kernels::kernels()) names.emplace_back(kernel.name);
        if (std::ranges::find(names, name) == names.end())
            fail(where, rule::Kernel,
                 fmt::format("kernel: found '{}', expected one like '{}'", name,
                             config::nearest(name, names)));
        return kernels::find_kernel(name);
    }

    // In the order of the list.
    std::vector<Argument> read_arguments(const kernels::Kernel& kernel, const YAML::Node& given) const {
        std::vector<Argument> arguments;
        if (!given.IsMap()) return arguments;
        std::vector<std::string> names;
        for (const kernels::ArgumentInfo& info : kernel.arguments) names.emplace_back(info.name);
        document_.entries(
            given, "arguments", names,
            [&](const std::string& key, const YAML::Node& node, const Place& where) {
                arguments.push_back({key, values(key, node, where, [](const std::string&, const Place&) {})});
            });
        return arguments;
    }

    // The last argument advances fastest.
    static std::vector<std::map<std::string, std::string>> combinations(
        const std::vector<Argument>& arguments) {
        std::vector<std::map<std::string, std::string>> all(1);
        for (const Argument& argument : arguments) {
            std::vector<std::map<std::string, std::string>> longer;
            for (const auto& chosen : all) {
                for (const std::string& value : argument.values) {
                    longer.push_back(chosen);
                    longer.back()[argument.name] = value;
                }
            }
            all = std::move(longer);
        }
        return all;
    }

    static void check_arguments(const kernels::Kernel& kernel,
                                const std::map<std::string, std::string>& chosen, const Place& where) {
        try {
            kernels::Arguments(kernel.name, kernel.arguments, chosen);
        } catch (const kernels::ArgumentError& error) {
            fail(where, rule::Argument, fmt::format("arguments: {}", error.what()));
        }
    }

    void add(const kernels::Kernel& kernel, const std::vector<Argument>& arguments,
             const std::map<std::string, std::string>& chosen, const std::string& config,
             const std::string& seed, const std::string& rounding, const Settings& settings,
             const Place& place) {
        std::string text;
        for (const Argument& argument : arguments)
            text += fmt::format("{}{}={}", text.empty() ? "" : ",", argument.name, chosen.at(argument.name));
        Case one{.id = fmt::format("{}/{}/{}/seed={}/{}", kernel.name, text, config, seed, rounding),
                 .kernel = std::string(kernel.name),
                 .arguments = chosen,
                 .config = config,
                 .seed = static_cast<std::uint32_t>(*config::parse_quantity(seed, config::Quantity::Count)),
                 .stochastic = rounding == Stochastic,
                 .tags = settings.tags,
                 .time_limit = settings.time_limit,
                 .expect = settings.expect,
                 .place = place};
        if (!ids_.insert(one.id).second)
            fail(place, rule::Twice, fmt::format("tests: found {} twice, expected every test once", one.id));
        if (list_.cases.size() == MaxCases)
            fail(place, rule::Cases, fmt::format("tests: expected at most {} tests", MaxCases));
        list_.cases.push_back(std::move(one));
    }

    void check_kernels(const Place& where) const {
        std::string missing;
        for (const kernels::Kernel& kernel : kernels::kernels()) {
            const bool there = std::ranges::any_of(list_.cases, [&](const Case& one) {
                return one.kernel == kernel.name && one.expect.empty();
            });
            if (!there) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kernel.name);
        }
        if (!missing.empty())
            fail(where, rule::EveryKernel,
                 fmt::format("every_kernel: found no test of {}, expected one of every kernel", missing));
    }

    config::Document document_;
    List list_;
    std::set<std::string> ids_;
};

}  // namespace

List read_list(const std::filesystem::path& path) {
    return Reader(path).read();
}

std::span<const std::string_view> all_rules() {
    return rule::All;
}

void select(List& list, std::span<const std::string> tags, std::span<const std::string> configs) {
    const auto choose = [&list](std::span<const std::string> words, const char* option, const auto& has) {
        for (const std::string& word : words) {
            if (std::ranges::none_of(list.cases, [&](const Case& one) { return has(one, word); }))
                throw std::runtime_error(
                    fmt::format("{} {}: {} has no such test", option, word, list.file.string()));
        }
        if (words.empty()) return;
        std::erase_if(list.cases, [&](const Case& one) {
            return std::ranges::none_of(words, [&](const std::string& word) { return has(one, word); });
        });
    };
    choose(tags, "--tag", [](const Case& one, const std::string& tag) {
        return std::ranges::find(one.tags, tag) != one.tags.end();
    });
    choose(configs, "--config",
           [](const Case& one, const std::string& config) { return one.config == config; });
}

}  // namespace trnsim::regress
