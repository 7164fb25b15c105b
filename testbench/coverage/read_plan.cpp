#include "testbench/coverage/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "arch/config/document.hpp"
#include "arch/config/nearest.hpp"
#include "isa/aliases.hpp"

namespace trnsim::coverage {
namespace {

using config::fail;
using config::Location;

const std::vector<std::string> TopKeys{"name", "points", "groups"};
const std::vector<std::string> PointKeys{"of", "bins"};
const std::vector<std::string> GroupKeys{"name", "engine", "instructions", "cross", "except"};
constexpr std::size_t MaxCombinations = 1'000'000;

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : document_(path, "a coverage plan") {
        plan_.name = path.stem().string();
    }

    Plan read() {
        YAML::Node groups;
        Location groups_at{document_.file()};
        document_.entries(document_.root(), "", TopKeys,
                          [&](const std::string& key, const YAML::Node& node, const Location& where) {
                              if (key == "name") {
                                  plan_.name = scalar(key, node, where);
                              } else if (key == "points") {
                                  points(node, where);
                              } else {
                                  groups.reset(node);
                                  groups_at = where;
                              }
                          });
        for (const YAML::Node& item : items("groups", groups, groups_at)) group(item);
        return std::move(plan_);
    }

  private:
    static std::string scalar(const std::string& key, const YAML::Node& node, const Location& where) {
        if (!node.IsScalar())
            fail(where, config::RuleValue,
                 fmt::format("{}: found {}, expected a value", key, config::kind(node)));
        return node.Scalar();
    }
    static YAML::Node mapping(const std::string& key, const YAML::Node& node, const Location& where) {
        if (!node.IsMap())
            fail(where, config::RuleMapping,
                 fmt::format("{}: found {}, expected a mapping of keys", key, config::kind(node)));
        return node;
    }
    static YAML::Node items(const std::string& key, const YAML::Node& node, const Location& where) {
        if (!node.IsSequence() || node.size() == 0)
            fail(where, "list",
                 fmt::format("{}: found {}, expected a list of entries", key,
                             node.IsSequence() ? "an empty list" : config::kind(node)));
        return node;
    }
    [[noreturn]] static void unknown(const std::string& key, const std::string& found,
                                     const std::vector<std::string>& known, const Location& where) {
        fail(
            where, "name",
            fmt::format("{}: found '{}', expected one like '{}'", key, found, config::nearest(found, known)));
    }

    void points(const YAML::Node& node, const Location& where) {
        std::vector<std::string> names;
        for (const auto& entry : mapping("points", node, where)) names.push_back(entry.first.Scalar());
        document_.entries(node, "points", names,
                          [&](const std::string& name, const YAML::Node& value, const Location& at) {
                              points_[name] = point(name, mapping("points." + name, value, at), at);
                          });
    }

    Point point(const std::string& name, const YAML::Node& node, const Location& where) {
        Point result{.name = name};
        document_.entries(node, "points." + name, PointKeys,
                          [&](const std::string& key, const YAML::Node& value, const Location& at) {
                              if (key == "of") {
                                  result.measure = &measure(scalar("of", value, at), at);
                              } else {
                                  bins(result, mapping("bins", value, at));
                              }
                          });
        if (result.measure == nullptr || result.bins.empty())
            fail(where, "missing-key", fmt::format("points.{}: expected of and bins", name));
        return result;
    }

    static const Measure& measure(const std::string& name, const Location& where) {
        if (const Measure* found = find_measure(name)) return *found;
        std::vector<std::string> names;
        for (const Measure& measure : measures()) names.push_back(measure.name);
        unknown("of", name, names, where);
    }

    void bins(Point& point, const YAML::Node& node) const {
        std::vector<std::string> names;
        for (const auto& entry : node) names.push_back(entry.first.Scalar());
        document_.entries(node, "bins", names,
                          [&](const std::string& name, const YAML::Node& value, const Location& at) {
                              point.bins.push_back(range(name, scalar("bins." + name, value, at), at));
                          });
    }

    // "5", "2..", "..-1" or "3..8"
    static Bin range(const std::string& name, const std::string& text, const Location& where) {
        Bin bin{name};
        const auto parse = [&](std::string_view part, std::int64_t& value) {
            const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
            if (error != std::errc() || end != part.data() + part.size())
                fail(where, "range",
                     fmt::format("bins.{}: found '{}', expected a number or a range such as 2..8", name,
                                 text));
        };
        const std::size_t dots = text.find("..");
        if (dots == std::string::npos) {
            parse(text, bin.least);
            bin.most = bin.least;
        } else {
            const std::string_view low = std::string_view(text).substr(0, dots),
                                   high = std::string_view(text).substr(dots + 2);
            if (!low.empty()) parse(low, bin.least);
            if (!high.empty()) parse(high, bin.most);
        }
        return bin;
    }

    void group(const YAML::Node& node) {
        const Location place = document_.place(node);
        Group group;
        std::vector<std::string> instructions;
        std::vector<std::pair<YAML::Node, Location>> exceptions;
        document_.entries(mapping("groups", node, place), "groups", GroupKeys,
                          [&](const std::string& key, const YAML::Node& value, const Location& where) {
                              if (key == "name") {
                                  group.name = scalar(key, value, where);
                              } else if (key == "engine") {
                                  group.engines = engine(scalar(key, value, where), where);
                              } else if (key == "instructions") {
                                  instructions = read_instructions(group, items(key, value, where));
                              } else if (key == "cross") {
                                  for (const YAML::Node& item : items(key, value, where))
                                      cross(group, item, instructions);
                              } else {
                                  for (const YAML::Node& item : items(key, value, where))
                                      exceptions.emplace_back(item, document_.place(item));
                              }
                          });
        if (group.name.empty() || instructions.empty() || group.cross.empty())
            fail(place, "missing-key", "groups: expected name, instructions and, after them, cross");
        group.first = plan_.combinations;
        group.combinations = 1;
        for (const Point& point : group.cross) group.combinations *= point.bins.size();
        plan_.combinations += group.combinations;
        if (plan_.combinations > MaxCombinations)
            fail(place, "size", fmt::format("groups: expected at most {} bins in all", MaxCombinations));
        group.wanted.assign(group.combinations, true);
        for (const auto& [item, where] : exceptions) exclude(group, item, where);
        plan_.groups.push_back(std::move(group));
    }

    static std::uint8_t engine(const std::string& name, const Location& where) {
        const isa::EnumValue* found = isa::find_value(isa::engine_values(), isa::canonical_engine(name));
        if (found != nullptr) return static_cast<std::uint8_t>(1U << found->value);
        std::vector<std::string> names;
        for (const isa::EnumValue& value : isa::engine_values()) names.emplace_back(value.name);
        unknown("engine", name, names, where);
    }

    std::vector<std::string> read_instructions(Group& group, const YAML::Node& node) const {
        std::vector<std::string> names;
        for (const YAML::Node& item : node) {
            const Location place = document_.place(item);
            const std::string name = scalar("instructions", item, place);
            const isa::InstructionInfo* info = isa::find_instruction(isa::canonical_instruction(name));
            if (info == nullptr) {
                std::vector<std::string> known;
                for (const isa::InstructionInfo& one : isa::instructions()) known.emplace_back(one.name);
                unknown("instructions", name, known, place);
            }
            group.opcode[static_cast<std::size_t>(info->opcode)] = true;
            names.push_back(name);
        }
        return names;
    }

    // Reads NAME, or NAME: [BINS]; NAME is a point of the plan, or a measure with names for its values.
    void cross(Group& group, const YAML::Node& node, const std::vector<std::string>& instructions) const {
        const Location place = document_.place(node);
        const bool chosen = node.IsMap() && node.size() == 1;
        const std::string name = scalar("cross", chosen ? node.begin()->first : node, place);
        Point point = find_point(name, place);
        if (chosen) {
            const YAML::Node list = node.begin()->second;
            keep(point, names_of(point, items("cross", list, place)));
        } else if (name == "instruction") {
            keep(point, instructions);
        }
        group.cross.push_back(std::move(point));
    }

    Point find_point(const std::string& name, const Location& where) const {
        const auto found = points_.find(name);
        if (found != points_.end()) return found->second;
        const Measure* measure = find_measure(name);
        if (measure == nullptr || measure->values.empty()) {
            std::vector<std::string> known;
            for (const auto& [key, point] : points_) known.push_back(key);
            for (const Measure& one : measures())
                if (!one.values.empty()) known.push_back(one.name);
            unknown("cross", name, known, where);
        }
        Point point{name, measure, {}};
        for (const isa::EnumValue& value : measure->values)
            point.bins.push_back({std::string(value.name), value.value, value.value});
        return point;
    }

    static void keep(Point& point, const std::vector<std::string>& names) {
        std::erase_if(point.bins,
                      [&](const Bin& bin) { return std::ranges::find(names, bin.name) == names.end(); });
    }

    // Returns names of bins of a point: one, or a list.
    std::vector<std::string> names_of(const Point& point, const YAML::Node& node) const {
        std::vector<std::string> known, names;
        for (const Bin& bin : point.bins) known.push_back(bin.name);
        const auto add = [&](const YAML::Node& item) {
            const Location place = document_.place(item);
            names.push_back(scalar(point.name, item, place));
            if (std::ranges::find(known, names.back()) == known.end())
                unknown(point.name, names.back(), known, place);
        };
        if (node.IsScalar()) {
            add(node);
        } else {
            for (const YAML::Node& item : node) add(item);
        }
        return names;
    }

    // Excludes combinations that have all their bins among those named.
    void exclude(Group& group, const YAML::Node& node, const Location& where) const {
        std::vector<std::string> known;
        for (const Point& point : group.cross) known.push_back(point.name);
        std::map<std::string, std::vector<std::string>> named;
        document_.entries(mapping("except", node, where), "except", known,
                          [&](const std::string& key, const YAML::Node& value, const Location& at) {
                              const Point& point = *std::ranges::find(group.cross, key, &Point::name);
                              named[key] = names_of(
                                  point, value.IsScalar() ? value : items("except." + key, value, at));
                          });
        for (std::size_t i = 0; i < group.combinations; ++i) {
            std::size_t rest = i;
            bool all = true;
            for (std::size_t p = group.cross.size(); p-- > 0;) {
                const Point& point = group.cross[p];
                const Bin& bin = point.bins[rest % point.bins.size()];
                rest /= point.bins.size();
                const auto found = named.find(point.name);
                all = all && (found == named.end() ||
                              std::ranges::find(found->second, bin.name) != found->second.end());
            }
            if (all) group.wanted[i] = false;
        }
    }

    config::Document document_;
    Plan plan_;
    std::map<std::string, Point> points_;
};

}  // namespace

Plan read_plan(const std::filesystem::path& path) {
    return Reader(path).read();
}

}  // namespace trnsim::coverage
