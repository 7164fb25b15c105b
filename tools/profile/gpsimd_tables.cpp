#include "tools/profile/gpsimd_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/numbers/numbers.hpp"

namespace trnsim::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t ShownSpots = 10;

std::uint64_t cycles_of(const std::vector<GpsimdSpot>& spots) {
    return std::accumulate(spots.begin(), spots.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const GpsimdSpot& spot) { return sum + spot.count.cycles; });
}

std::string spots_text(const char* title, const std::vector<GpsimdSpot>& spots) {
    const std::uint64_t all = cycles_of(spots);
    std::string text = fmt::format("\n{:<48}{:>13}{:>13}\n", title, "instructions", "cycles");
    for (std::size_t i = 0; i < std::min(ShownSpots, spots.size()); ++i) {
        const auto& [place, count] = spots[i];
        text += fmt::format("{:<48}{:>13}{:>13}{:>7.1f} %\n", place, count.instructions, count.cycles,
                            percent(count.cycles, all));
    }
    if (spots.size() > ShownSpots) text += fmt::format("({} more)\n", spots.size() - ShownSpots);
    return text;
}

Json spots_rows(const char* name, const std::vector<GpsimdSpot>& spots) {
    const std::uint64_t all = cycles_of(spots);
    Json rows = Json::array();
    for (const auto& [place, count] : spots) {
        rows.push_back({{name, place},
                        {"instruction_count", count.instructions},
                        {"cycles", count.cycles},
                        {"cycles_percent", percent(count.cycles, all)}});
    }
    return rows;
}

}  // namespace

std::string gpsimd_text(const tlm::GpsimdCounters& cores, const GpsimdSpots& spots) {
    std::string text = fmt::format("\n{:<10}{:>13}{:>13}", "GpSimd", "instructions", "cycles");
    for (const std::string_view name : tlm::GpsimdClassNames) text += fmt::format("{:>10}", name);
    text += "  % of its cycles\n";
    bool worked = false;
    for (std::size_t k = 0; k < cores.size(); ++k) {
        const tlm::GpsimdCoreCounters& core = cores[k];
        if (core.cycles == 0) continue;
        worked = true;
        text += fmt::format("core {:<5}{:>13}{:>13}", k, core.instructions(), core.cycles);
        for (const std::uint64_t cycles : core.in_class)
            text += fmt::format("{:>8.1f} %", percent(cycles, core.cycles));
        text += '\n';
    }
    if (!worked) return {};
    if (spots.functions.empty()) return text;  // the fast core does not report them
    return text + spots_text("GpSimd function", spots.functions) + spots_text("GpSimd line", spots.lines);
}

std::vector<Table> gpsimd_tables(const tlm::GpsimdCounters& cores, const GpsimdSpots& spots) {
    Json rows = Json::array();
    for (std::size_t k = 0; k < cores.size(); ++k) {
        const tlm::GpsimdCoreCounters& core = cores[k];
        if (core.cycles == 0) continue;
        Json row{{"core", k}, {"instruction_count", core.instructions()}, {"cycles", core.cycles}};
        for (std::size_t c = 0; c < core.in_class.size(); ++c)
            row[std::string(tlm::GpsimdClassNames[c])] = core.in_class[c];
        rows.push_back(std::move(row));
    }
    return {{"GpsimdCores", std::move(rows)},
            {"GpsimdFunction", spots_rows("function", spots.functions)},
            {"GpsimdLine", spots_rows("line", spots.lines)}};
}

}  // namespace trnsim::profile
