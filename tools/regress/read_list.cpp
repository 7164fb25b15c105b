#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "arch/config/files_of.hpp"
#include "arch/config/nearest.hpp"
#include "arch/config/units.hpp"
#include "arch/target/target.hpp"
#include "base/time/time.hpp"
#include "compiler/kernels/registry.hpp"
#include "tools/regress/list.hpp"
#include "tools/regress/rules.hpp"
#include "tools/regress/subject.hpp"
#include "tools/regress/values.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::regress {
namespace {

using config::fail;
using config::Location;

constexpr double DefaultTimeLimit = 60;
constexpr std::size_t MaxCases = 100'000;
const std::vector<std::string> TopKeys{
    "name",     "config", "seed",         "rounding", "perturb",          "time_limit",
    "max_time", "tags",   "every_kernel", "coverage", "coverage_minimum", "tests"};
const std::vector<std::string> TestKeys{"kernel", "neff",       "program",  "arguments", "aim",
                                        "config", "seed",       "rounding", "perturb",   "tags",
                                        "expect", "time_limit", "max_time"};
const std::string Nearest = "nearest", Stochastic = "stochastic", Pass = "pass", All = "all", None = "none";

// Settings of the list for all tests, or of one test.
struct Settings {
    std::vector<std::string> configs;
    std::vector<std::string> seeds{"1"};
    std::vector<std::string> roundings{Nearest};
    std::vector<std::string> perturbs{None};
    std::vector<std::string> tags;
    double time_limit = DefaultTimeLimit;
    std::uint64_t max_time = 0;
    std::string expect;
};

// What a test runs under.
struct Conditions {
    const std::string &config, &seed, &rounding, &perturb;
};

// One entry of `tests`.
struct Entry {
    Location place;
    Settings settings;
    std::optional<Subject> subject{};
    YAML::Node arguments{};
    Location arguments_at = place;
    std::vector<std::string> aim{};  // groups of the list's plan, or "all"
};

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : document_(path, "a regression list") {
        list_.file = path;
        list_.name = path.stem().string();
    }

    List read() {
        YAML::Node tests;
        std::optional<Location> every_kernel;
        Settings common;
        document_.entries(document_.root(), "", TopKeys,
                          [&](const std::string& key, const YAML::Node& node, const Location& where) {
                              if (key == "tests") {
                                  check_items(key, node, where);
                                  tests.reset(node);
                              } else if (key == "every_kernel") {
                                  if (flag(key, node, where)) every_kernel = where;
                              } else if (key == "coverage") {
                                  list_.coverage = list_.file.parent_path() / scalar(key, node, where);
                              } else if (key == "coverage_minimum") {
                                  list_.coverage_minimum = percent(key, node, where);
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
    void setting(Settings& settings, const std::string& key, const YAML::Node& node, const Location& where) {
        const auto all = [&](const Check& check) { return values(document_, key, node, where, check); };
        if (key == "config") {
            settings.configs =
                all([&](const std::string& text, const Location& at) { load_config(text, at); });
        } else if (key == "seed") {
            settings.seeds = all([&](const std::string& text, const Location& at) {
                if (!config::parse_seed(text))
                    mismatch(at, rule::Seed, key, text, "a whole number below 2^32");
            });
        } else if (key == "perturb") {
            settings.perturbs = all([&](const std::string& text, const Location& at) {
                if (text != None && !config::parse_seed(text))
                    mismatch(at, rule::Perturb, key, text, "a whole number below 2^32, or none");
            });
        } else if (key == "rounding") {
            settings.roundings = all([&](const std::string& text, const Location& at) {
                if (text != Nearest && text != Stochastic)
                    mismatch(at, rule::Rounding, key, text, "nearest or stochastic");
            });
        } else if (key == "tags") {
            settings.tags = all([&](const std::string& text, const Location& at) {
                if (text.empty() || text.find_first_of(" ,") != std::string::npos)
                    mismatch(at, rule::Tag, key, text, "a word");
            });
        } else if (key == "time_limit") {
            const std::string text = scalar(key, node, where);
            const auto value = config::parse_quantity(text, config::Quantity::Time);
            if (!value || *value == 0) mismatch(where, rule::TimeLimit, key, text, "a time such as '60 s'");
            settings.time_limit = static_cast<double>(*value) / FsPerSecond;
        } else if (key == "max_time") {
            const std::string text = scalar(key, node, where);
            const auto value = config::parse_quantity(text, config::Quantity::Time);
            if (!value || *value == 0) mismatch(where, rule::MaxTime, key, text, "a time such as '5 ms'");
            settings.max_time = *value;
        } else {
            const std::string text = scalar(key, node, where);
            if (text.empty()) mismatch(where, rule::Expect, key, text, "pass or part of an error's message");
            settings.expect = text == Pass ? "" : text;
        }
    }

    void load_config(const std::string& text, const Location& at) {
        if (list_.configs.contains(text)) return;
        try {
            list_.configs.emplace(text, config::load(sweep::base_of(list_.file, text)));
        } catch (const config::Error& error) {
            fail(at, rule::Config, fmt::format("config: {}", error.what()));
        }
    }

    // Reads the plan when the first test aims at it.
    const coverage::Plan& plan(const Location& where) {
        if (list_.coverage.empty())
            fail(where, rule::Aim, "aim: found it in a list without coverage, expected a plan to aim at");
        if (!plan_) plan_ = coverage::read_plan(list_.coverage);
        return *plan_;
    }

    void read_aim(Entry& entry, const YAML::Node& node, const Location& where) {
        std::vector<std::string> known{All};
        for (const coverage::Group& group : plan(where).groups) known.push_back(group.name);
        entry.aim = values(document_, "aim", node, where, [&](const std::string& text, const Location& at) {
            if (std::ranges::find(known, text) == known.end())
                mismatch(at, rule::Aim, "aim", text,
                         fmt::format("one like '{}'", config::nearest(text, known)));
        });
    }

    Entry read_entry(const YAML::Node& item, const Settings& common) {
        Entry entry{document_.place(item), common};
        check_mapping("tests", item, entry.place);
        std::optional<Location> aim;
        Location subject_at = entry.place;
        document_.entries(
            item, "tests", TestKeys,
            [&](const std::string& key, const YAML::Node& node, const Location& where) {
                if (key == "kernel" || key == "program" || key == "neff") {
                    if (entry.subject)
                        fail(where, rule::Subject,
                             "tests: found two of kernel, neff and program, expected one of them");
                    entry.subject = find_subject(key, node, where, list_.file.parent_path());
                    subject_at = where;
                } else if (key == "arguments") {
                    check_mapping(key, node, where);
                    entry.arguments.reset(node);
                    entry.arguments_at = where;
                } else if (key == "aim") {
                    read_aim(entry, node, where);
                    aim = where;
                } else if (key == "tags") {
                    Settings own;
                    setting(own, key, node, where);
                    std::ranges::copy(own.tags, std::back_inserter(entry.settings.tags));
                } else {
                    setting(entry.settings, key, node, where);
                }
            });
        if (!entry.subject)
            fail(entry.place, rule::Missing,
                 "tests.kernel: found nothing, expected it, tests.neff or tests.program");
        if (aim && !entry.subject->aims)
            fail(*aim, rule::Aim,
                 fmt::format("aim: found it with {}, expected random programs that can aim: engines",
                             entry.subject->name));
        if (entry.settings.configs.empty())
            fail(entry.place, rule::Missing, "tests.config: found nothing, expected it");
        if (entry.settings.expect.empty()) check_target(*entry.subject, entry.settings.configs, subject_at);
        return entry;
    }

    // Checks that a container runs only on the target it is built for.
    void check_target(const Subject& subject, const std::vector<std::string>& configs,
                      const Location& where) {
        if (!subject.own || subject.own->is_program()) return;
        for (const std::string& name : configs) {
            const target::Core target = target::of(list_.configs.at(name));
            if (target != subject.own->target)
                fail(where, rule::OwnKernel,
                     fmt::format("neff: {} is not built for configuration '{}'", subject.own->file.string(),
                                 name));
        }
    }

    void test(const YAML::Node& item, const Settings& common) {
        const Entry entry = read_entry(item, common);
        const std::vector<Argument> arguments = read_arguments(document_, *entry.subject, entry.arguments);
        for (const Chosen& chosen : combinations(arguments)) {
            if (entry.settings.expect.empty()) check_arguments(*entry.subject, chosen, entry.arguments_at);
            std::string text;
            for (const Argument& argument : arguments)
                text +=
                    fmt::format("{}{}={}", text.empty() ? "" : ",", argument.name, chosen.at(argument.name));
            if (entry.subject->own) text = own_arguments(*entry.subject->own);
            if (!entry.aim.empty()) text += fmt::format(",aim={}", fmt::join(entry.aim, "+"));
            for (const std::string& config : entry.settings.configs)
                for (const std::string& seed : entry.settings.seeds)
                    for (const std::string& rounding : entry.settings.roundings)
                        for (const std::string& perturb : entry.settings.perturbs)
                            add(entry, text, chosen, {config, seed, rounding, perturb});
        }
    }

    // Returns arguments for the name of a test, in the form of built-in kernels.
    static std::string own_arguments(const trial::OwnKernel& own) {
        std::string text = own.arguments;
        std::ranges::replace(text, ' ', ',');
        return text;
    }

    void add(const Entry& entry, const std::string& arguments, const Chosen& chosen, const Conditions& run) {
        const Settings& settings = entry.settings;
        // A configuration that a path names has the name that its file gives it.
        Case one{.id = fmt::format("{}/{}/{}/seed={}/{}{}", entry.subject->name, arguments,
                                   list_.configs.at(run.config).name, run.seed, run.rounding,
                                   run.perturb == None ? "" : "/perturb=" + run.perturb),
                 .subject = entry.subject->name,
                 .random = entry.subject->random,
                 .own = entry.subject->own,
                 .arguments = chosen,
                 .config = run.config,
                 .seed = *config::parse_seed(run.seed),
                 .stochastic = run.rounding == Stochastic,
                 .perturb = config::parse_seed(run.perturb),
                 .tags = settings.tags,
                 .time_limit = settings.time_limit,
                 .max_time = settings.max_time,
                 .expect = settings.expect,
                 .place = entry.place};
        if (!entry.aim.empty()) {
            const bool all = std::ranges::find(entry.aim, All) != entry.aim.end();
            one.aim = coverage::only(*plan_, all ? std::vector<std::string>{} : entry.aim);
        }
        if (!ids_.insert(one.id).second)
            fail(entry.place, rule::Twice,
                 fmt::format("tests: found {} twice, expected every test once", one.id));
        if (list_.cases.size() == MaxCases)
            fail(entry.place, rule::Cases, fmt::format("tests: expected at most {} tests", MaxCases));
        list_.cases.push_back(std::move(one));
    }

    void check_kernels(const Location& where) const {
        std::string missing;
        for (const kernels::Kernel& kernel : kernels::kernels()) {
            const bool there = std::ranges::any_of(list_.cases, [&](const Case& one) {
                return one.own == nullptr && one.subject == kernel.name && one.expect.empty();
            });
            if (!there) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kernel.name);
        }
        if (!missing.empty())
            fail(where, rule::EveryKernel,
                 fmt::format("every_kernel: found no test of {}, expected one of every kernel", missing));
    }

    config::Document document_;
    List list_;
    std::optional<coverage::Plan> plan_;
    std::set<std::string> ids_;
};

}  // namespace

List read_list(const std::filesystem::path& path) {
    return Reader(path).read();
}

std::set<std::filesystem::path> files_of(const List& list) {
    std::set<std::filesystem::path> files;
    for (const auto& [text, config] : list.configs)
        files.merge(config::files_of(sweep::base_of(list.file, text)));
    if (!list.coverage.empty()) files.insert(list.coverage);
    for (const Case& one : list.cases) {
        if (!one.own) continue;
        const std::vector<std::filesystem::path> own = one.own->files();
        files.insert(own.begin(), own.end());
    }
    return files;
}

std::span<const std::string_view> all_rules() {
    return rule::All;
}

}  // namespace trnsim::regress
