#include "runtime/session/estimates.hpp"

#include <set>

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"

namespace trnsim::runtime {
namespace {

std::uint64_t bytes(const tlm::Traffic& traffic) {
    return traffic.bytes_read + traffic.bytes_written;
}

}  // namespace

Estimates estimate(const Figures& figures, const config::Config& config, const estimates::Tables& tables) {
    estimates::Activity activity;
    activity.work = figures.work;
    activity.window_bytes = bytes(figures.window);
    for (const tlm::Traffic& stack : figures.hbm) activity.hbm_bytes += bytes(stack);
    activity.moved_bytes = figures.dma_bytes() + figures.manager.bytes_read + figures.tables.bytes_read;
    for (const tlm::DmaStatistics& dma : figures.dma) activity.moved_bytes += dma.descriptor_bytes;
    activity.time = figures.time;
    return {estimates::estimate_energy(activity, config, tables),
            estimates::estimate_area(config, tables.area)};
}

estimates::Energy energy_of_ranks(const Results& results, const config::Config& config,
                                  const estimates::Tables& tables) {
    estimates::Energy sum;
    double macs = 0;
    std::set<unsigned> chips;
    for (const RankResult& rank : results.ranks) {
        if (!rank.here) continue;
        Figures figures = rank.figures;
        if (!chips.insert(rank.core_id.chip).second) figures.hbm.clear();
        const estimates::Energy one = estimate(figures, config, tables).energy;
        for (std::size_t c = 0; c < sum.components.size(); ++c)
            sum.components[c].joules += one.components[c].joules;
        sum.joules += one.joules;
        macs += as_double(figures.work.all_macs());
    }
    sum.average_watts = ratio(sum.joules, static_cast<double>(results.time) / FsPerSecond);
    sum.joules_per_mac = ratio(sum.joules, macs);
    return sum;
}

}  // namespace trnsim::runtime
