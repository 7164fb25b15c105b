#include "arch/cost/transfer.hpp"

#include <algorithm>

#include "base/time/time.hpp"

namespace trnsim::cost {
namespace {

std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) {
    return (value + by - 1) / by;
}

// Returns the time of `bytes` at a rate, fs.
std::uint64_t duration(std::uint64_t bytes, std::uint64_t bytes_per_second) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / static_cast<double>(bytes_per_second) *
                                      static_cast<double>(FsPerSecond));
}

// Returns one engine's share of a side: each descriptor takes the wire for its bytes and a gap after each
// burst, at least 7 ns.
std::uint64_t wire_time(const TransferSide& side, unsigned engines, const config::Dma& dma) {
    if (side.descriptors == 0) return 0;
    const std::uint64_t bytes = divided_up(side.bytes, side.descriptors);
    const std::uint64_t each = duration(bytes, dma.bandwidth) + dma.burst_gap * bytes / dma.burst;
    return divided_up(side.descriptors, engines) * std::max(each, DescriptorInterval);
}

}  // namespace

TransferTime transfer_time(const Transfer& transfer, const config::Config& config) {
    const config::Dma& dma = config.dma;
    const unsigned engines = std::max(transfer.engines, 1U);
    const std::uint64_t constants = divided_up(transfer.constants, engines) * DescriptorInterval;
    const std::uint64_t wire = constants + std::max(wire_time(transfer.reads, engines, dma),
                                                    wire_time(transfer.writes, engines, dma));
    const std::uint64_t transposes = divided_up(transfer.transposed, engines) * TransposeInterval;
    const std::uint64_t memory =
        duration(std::max(transfer.reads.bytes, transfer.writes.bytes), config::peak_bandwidth(config.hbm));
    const std::uint64_t occupies = std::max({wire, transposes, memory});
    const std::uint64_t response = 2 * config.fabric.latency + config.hbm.write_latency;
    return {occupies, dma.start_latency + occupies + response};
}

}  // namespace trnsim::cost
