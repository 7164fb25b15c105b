#include "runtime/session/estimates.hpp"

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

}  // namespace trnsim::runtime
