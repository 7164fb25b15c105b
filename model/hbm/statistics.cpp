#include "model/hbm/statistics.hpp"

#include <array>

namespace trnsim::tlm {
namespace {

constexpr std::array Counts{&DramCounts::reads,      &DramCounts::writes,        &DramCounts::hits,
                            &DramCounts::misses,     &DramCounts::conflicts,     &DramCounts::activates,
                            &DramCounts::precharges, &DramCounts::all_refreshes, &DramCounts::bank_refreshes,
                            &DramCounts::open_cycles};

LatencyCounts difference(const LatencyCounts& before, const LatencyCounts& after) {
    return {after.count - before.count, after.total - before.total, after.most};
}

}  // namespace

DramCounts difference(const DramCounts& before, const DramCounts& after) {
    DramCounts result;
    for (const auto count : Counts) result.*count = after.*count - before.*count;
    return result;
}

DramCounts sum(const std::vector<DramCounts>& counts) {
    DramCounts result;
    for (const DramCounts& part : counts)
        for (const auto count : Counts) result.*count += part.*count;
    return result;
}

DramStatistics difference(const DramStatistics& before, const DramStatistics& after) {
    DramStatistics result{{},
                          difference(before.reads, after.reads),
                          difference(before.writes, after.writes),
                          after.corrected - before.corrected,
                          after.uncorrected - before.uncorrected};
    result.channels.reserve(after.channels.size());
    for (std::size_t c = 0; c < after.channels.size(); ++c)
        result.channels.push_back(difference(before.channels[c], after.channels[c]));
    return result;
}

}  // namespace trnsim::tlm
