#include "tools/profile/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/numbers/numbers.hpp"

namespace trnsim::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t Shown = 16;  // rows of a table of differences

struct Row {
    std::string engine, what;
    double before, after;
    double change() const { return after - before; }
};

// Returns the rows that differ, most first, below a heading.
std::string table(std::string_view what, std::string_view unit, std::vector<Row> rows) {
    std::erase_if(rows, [](const Row& row) { return row.change() == 0; });
    if (rows.empty()) return fmt::format("no difference by {}\n", what);
    std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return std::abs(row.change()); });
    std::string text =
        fmt::format("{:<10}{:<24}{:>14}{:>14}{:>14}  {}\n", "engine", what, "before", "now", "change", unit);
    for (std::size_t i = 0; i < std::min(Shown, rows.size()); ++i)
        text += fmt::format("{:<10}{:<24}{:>14.0f}{:>14.0f}{:>+14.0f}\n", rows[i].engine, rows[i].what,
                            rows[i].before, rows[i].after, rows[i].change());
    if (rows.size() > Shown) text += fmt::format("({} more)\n", rows.size() - Shown);
    return text;
}

std::vector<Row> rows_of(const EngineCycles& before, const EngineCycles& after, double of_before,
                         double of_after) {
    std::vector<Row> rows;
    std::set<std::string> names;
    for (const EngineCycles* engines : {&before, &after})
        for (const auto& [name, cycles] : *engines) names.insert(name);
    const auto in = [](const EngineCycles& engines, const std::string& name, std::size_t c) {
        const auto found = engines.find(name);
        return found == engines.end() ? 0.0 : as_double(found->second[c]);
    };
    for (const std::string& name : names)
        for (std::size_t c = 0; c < CycleClasses; ++c)
            rows.push_back({name, std::string(CycleClassNames[c]), of_before * in(before, name, c),
                            of_after * in(after, name, c)});
    return rows;
}

// A profile's tables.
class Tables {
  public:
    explicit Tables(const Json& tables) : tables_(tables) {}

    const Json& rows(const char* name) const {
        const auto found = tables_.find(name);
        if (found == tables_.end() || !found->is_array())
            throw std::runtime_error(
                fmt::format("found no table {}, expected those of profile --json", name));
        return *found;
    }
    double figure(const char* table, const char* name) const {
        const Json& all = rows(table);
        if (all.size() != 1 || !all[0].contains(name) || !all[0][name].is_number())
            throw std::runtime_error(fmt::format("found no figure {}.{}, expected it", table, name));
        return all[0][name].get<double>();
    }
    EngineCycles engines() const {
        EngineCycles engines;
        for (const Json& row : rows("EngineCycles")) {
            auto& cycles = engines[row.at("engine").get<std::string>()];
            for (std::size_t c = 0; c < CycleClasses; ++c)
                cycles[c] = row.at(std::string(CycleClassNames[c])).get<std::uint64_t>();
        }
        return engines;
    }
    // Active nanoseconds and numbers of instructions, by engine and opcode.
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> opcodes() const {
        std::map<std::pair<std::string, std::string>, std::pair<double, double>> opcodes;
        for (const Json& row : rows("OpcodeSummary"))
            opcodes[{row.at("engine"), row.at("opcode")}] = {row.at("active_time_ns").get<double>(),
                                                             row.at("instruction_count").get<double>()};
        return opcodes;
    }

  private:
    const Json& tables_;
};

std::string change(std::string_view name, std::string_view unit, double before, double after) {
    const std::string share =
        before > 0 ? fmt::format(" ({:+.2f} %)", 100 * (after - before) / before) : std::string();
    return fmt::format("{:<22}{:.6g} -> {:.6g} {}{}\n", name, before, after, unit, share);
}

}  // namespace

EngineCycles engine_cycles(const std::vector<EngineProfile>& engines) {
    EngineCycles cycles;
    for (const EngineProfile& engine : engines) cycles[std::string(name_of(engine.engine))] = engine.cycles;
    return cycles;
}

std::string differences(const EngineCycles& before, const EngineCycles& after) {
    return table("class", "cycles", rows_of(before, after, 1, 1));
}

std::string against(const Json& before_tables, const Json& after_tables) try {
    const Tables before(before_tables), after(after_tables);
    const double clock_before = before.figure("Metadata", "neuroncore_clock_freq"),
                 clock_after = after.figure("Metadata", "neuroncore_clock_freq");
    const bool one_clock = clock_before == clock_after;
    std::string text = "\n";
    const auto add = [&](std::string_view name, std::string_view unit, const char* figure) {
        text += change(name, unit, before.figure("Summary", figure), after.figure("Summary", figure));
    };
    if (one_clock) {
        add("cycles", "", "neuroncore_cycle_count");
    } else {
        text += fmt::format("{:<22}{:.6g} -> {:.6g} GHz: times are compared, not cycles\n", "clock",
                            clock_before / 1e9, clock_after / 1e9);
    }
    add("simulated time", "ns", "total_time");
    add("MFU", "%", "mfu_estimated_percent");
    add("MBU", "%", "mbu_estimated_percent");
    add("HBM read", "bytes", "hbm_read_bytes");
    add("HBM written", "bytes", "hbm_write_bytes");
    add("DMA", "bytes", "dma_transfer_total_bytes");
    const double ns_before = 1e9 / clock_before, ns_after = 1e9 / clock_after;
    const double unit_before = one_clock ? 1 : ns_before, unit_after = one_clock ? 1 : ns_after;
    const std::string_view unit = one_clock ? "cycles" : "ns";
    text += "\n" + table("class", unit, rows_of(before.engines(), after.engines(), unit_before, unit_after));

    const auto opcodes_before = before.opcodes(), opcodes_after = after.opcodes();
    std::set<std::pair<std::string, std::string>> keys;
    for (const auto* opcodes : {&opcodes_before, &opcodes_after})
        for (const auto& [key, figures] : *opcodes) keys.insert(key);
    std::vector<Row> active, counts;
    for (const auto& key : keys) {
        const auto of = [&](const auto& opcodes) {
            const auto found = opcodes.find(key);
            return found == opcodes.end() ? std::pair(0.0, 0.0) : found->second;
        };
        const auto [time_before, count_before] = of(opcodes_before);
        const auto [time_after, count_after] = of(opcodes_after);
        // Times of the tables are cycles of the run's clock.
        active.push_back({key.first, key.second, std::round(time_before / ns_before) * unit_before,
                          std::round(time_after / ns_after) * unit_after});
        counts.push_back({key.first, key.second, count_before, count_after});
    }
    text += "\n" + table("active in opcode", unit, std::move(active));
    return text + "\n" + table("opcode", "instructions", std::move(counts));
} catch (const Json::exception&) {
    throw std::runtime_error("found tables with other columns, expected those of profile --json");
}

}  // namespace trnsim::profile
