#include "runtime/session/dram_figures.hpp"

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"
#include "model/hbm/energy.hpp"
#include "runtime/session/figure_table.hpp"

namespace trnsim::runtime {
namespace {

using tlm::DramCounts;
using tlm::DramStatistics;
using tlm::hbm::DramEnergy;

// A channel, or all channels of a stack.
struct Part {
    DramCounts counts;
    double utilisation;
};
constexpr std::array CountFigures{
    Figure<Part>{"read_bursts", "", "of 32 B, read commands",
                 [](const Part& p) -> Json { return p.counts.reads; }},
    Figure<Part>{"write_bursts", "", "of 32 B, write commands",
                 [](const Part& p) -> Json { return p.counts.writes; }},
    Figure<Part>{"row_hits", "", "bursts that found their row open",
                 [](const Part& p) -> Json { return p.counts.hits; }},
    Figure<Part>{"row_misses", "", "bursts that found their bank closed",
                 [](const Part& p) -> Json { return p.counts.misses; }},
    Figure<Part>{"row_conflicts", "", "bursts for which another row had to be closed",
                 [](const Part& p) -> Json { return p.counts.conflicts; }},
    Figure<Part>{"activates", "", "rows opened", [](const Part& p) -> Json { return p.counts.activates; }},
    Figure<Part>{"precharges", "", "rows closed", [](const Part& p) -> Json { return p.counts.precharges; }},
    Figure<Part>{"refreshes.all_bank", "", "commands",
                 [](const Part& p) -> Json { return p.counts.all_refreshes; }},
    Figure<Part>{"refreshes.per_bank", "", "commands",
                 [](const Part& p) -> Json { return p.counts.bank_refreshes; }},
    Figure<Part>{"bus_utilisation", "", "share of the time in which data was moved",
                 [](const Part& p) -> Json { return p.utilisation; }},
};

struct Stack {
    const DramStatistics& counted;
    DramEnergy energy;
};

double mean(const tlm::LatencyCounts& latency) {
    return seconds(ratio(as_double(latency.total), as_double(latency.count)));
}

constexpr std::array StackFigures{
    Figure<Stack>{"read_latency.mean_seconds", "s", "from the request to the response of a read",
                  [](const Stack& s) -> Json { return mean(s.counted.reads); }},
    Figure<Stack>{"read_latency.max_seconds", "s", "longest since the chip was built",
                  [](const Stack& s) -> Json { return seconds(as_double(s.counted.reads.most)); }},
    Figure<Stack>{"write_latency.mean_seconds", "s", "from the request to the response of a write",
                  [](const Stack& s) -> Json { return mean(s.counted.writes); }},
    Figure<Stack>{"write_latency.max_seconds", "s", "longest since the chip was built",
                  [](const Stack& s) -> Json { return seconds(as_double(s.counted.writes.most)); }},
    Figure<Stack>{"ecc.corrected", "", "words read with one wrong bit and written back",
                  [](const Stack& s) -> Json { return s.counted.corrected; }},
    Figure<Stack>{"ecc.uncorrected", "", "words read with more; the access is refused",
                  [](const Stack& s) -> Json { return s.counted.uncorrected; }},
    Figure<Stack>{"energy_joules.total", "J", "estimate: sum of the following",
                  [](const Stack& s) -> Json { return s.energy.total(); }},
    Figure<Stack>{"energy_joules.activate", "J", "estimate: opening and closing of rows",
                  [](const Stack& s) -> Json { return s.energy.activate; }},
    Figure<Stack>{"energy_joules.read", "J", "estimate: read bursts",
                  [](const Stack& s) -> Json { return s.energy.read; }},
    Figure<Stack>{"energy_joules.write", "J", "estimate: write bursts",
                  [](const Stack& s) -> Json { return s.energy.write; }},
    Figure<Stack>{"energy_joules.refresh", "J", "estimate: refreshes",
                  [](const Stack& s) -> Json { return s.energy.refresh; }},
    Figure<Stack>{"energy_joules.background", "J", "estimate: standby",
                  [](const Stack& s) -> Json { return s.energy.background; }},
};

// A burst takes two cycles of the bus of a pseudo channel; a channel has two of them.
Part part(const DramCounts& counts, std::size_t channels, std::uint64_t time, std::uint64_t tck) {
    return {counts,
            ratio(as_double(counts.bursts()) * as_double(tck), as_double(time) * as_double(channels))};
}

}  // namespace

Json dram_json(const DramStatistics& statistics, std::uint64_t time, std::uint64_t tck) {
    Json json;
    put_all(json, CountFigures, part(tlm::sum(statistics.channels), statistics.channels.size(), time, tck));
    put_all(json, StackFigures,
            Stack{statistics, tlm::hbm::energy(statistics, seconds(as_double(time)), as_double(tck))});
    json["channels"] = Json::array();
    for (const DramCounts& counts : statistics.channels) {
        Json channel;
        put_all(channel, CountFigures, part(counts, 1, time, tck));
        json["channels"].push_back(std::move(channel));
    }
    return json;
}

std::vector<StatisticInfo> dram_figures() {
    return infos(CountFigures, StackFigures);
}

std::vector<StatisticInfo> dram_channel_figures() {
    return infos(CountFigures);
}

}  // namespace trnsim::runtime
