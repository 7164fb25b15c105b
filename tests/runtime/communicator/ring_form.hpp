// Computes the time of ring collectives on a server in closed form (docs/collectives.md).
#pragma once

#include <algorithm>

namespace trnsim::test {

// Times of trn1.32xlarge, us: a DMA engine from doorbell to first write; fabric, endpoint and hop of a frame
// each way; a write to HBM.
inline constexpr double Start = 1.3, Fabric = 0.02, Endpoint = 0.02, Hop = 0.28, HbmWrite = 0.06;
inline constexpr double Way = 2 * Fabric + 2 * Endpoint + Hop;  // from chip to chip

// A stage is a doorbell, the transfer, the answer to its last write, and its flag.
inline constexpr double LinkStage = Fabric + Start + Way + HbmWrite + Way + Way;
inline constexpr double LocalStage = Fabric + Start + Fabric + HbmWrite + Fabric + Fabric;

// Bytes per us. A link has this rate each way: a burst of 512 bytes has 17 flits of 32 bytes, and one comes
// back. A rank has 16 engines, with gaps between bursts of 512 bytes, and its stack.
inline constexpr double Link = 16 * 2.2e3 * 512 / (18 * 32), Engines = 16 * 512 / (512 / 27.2e3 + 9.4e-3),
                        Memory = 410e3, Cores = 59e3;  // the last: between the cores of a chip, each way

struct Ring {
    double ranks, cycles;
    double links = 1;  // the share of hops that go over links
};

// Reduce-scatter reads two chunks and writes one where all-gather reads one and writes one; all cycles of a
// rank share its engines and its memory. In between every rank combines its own chunk in its memory. `bytes`
// are those of all chunks.
inline double hops_us(const Ring& ring) {
    return (ring.ranks - 1) * (ring.links * LinkStage + (1 - ring.links) * LocalStage);
}
inline double part_of(const Ring& ring, double bytes) {
    return (ring.ranks - 1) * bytes / ring.ranks / ring.cycles;
}
// Half of the cycles cross a chip in each direction if the ring has both its cores.
inline double between_cores(const Ring& ring) {
    return ring.links < 1 ? 2 * Cores / ring.cycles : Link;
}
inline double reduce_scatter_us(const Ring& ring, double bytes) {
    const double rate =
        std::min({Link, between_cores(ring), Engines / 2 / ring.cycles, Memory / 3 / ring.cycles});
    return hops_us(ring) + LocalStage + part_of(ring, bytes) / rate +
           bytes / ring.ranks * std::max(2 / Engines, 3 / Memory);
}
inline double all_gather_us(const Ring& ring, double bytes) {
    const double rate =
        std::min({Link, between_cores(ring), Engines / ring.cycles, Memory / 2 / ring.cycles});
    return hops_us(ring) + part_of(ring, bytes) / rate;
}

}  // namespace trnsim::test
