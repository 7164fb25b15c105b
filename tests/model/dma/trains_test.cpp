// Bursts that are sent as one access take the time that they take one by one.
#include <algorithm>

#include "common/random.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;

// A burst of one side: the place in the packet where its bytes end, and how long it occupies the wire.
struct Burst {
    std::uint64_t end;
    std::uint32_t length;
    bool ends_descriptor;
};

std::vector<Burst> bursts_of(const std::vector<Descriptor>& descriptors, std::uint64_t burst) {
    std::vector<Burst> bursts;
    std::uint64_t done = 0;
    for (const Descriptor& descriptor : descriptors) {
        for (std::uint32_t offset = 0; offset < descriptor.length;) {
            const std::uint64_t to_border = burst - (descriptor.address + offset) % burst;
            const auto length =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(to_border, descriptor.length - offset));
            offset += length;
            done += length;
            bursts.push_back({done, length, offset == descriptor.length});
        }
    }
    return bursts;
}

// Returns the time of a packet from the arrival of its first bytes to the last response, burst by burst from
// docs/dma.md, for one engine of trn1 and idle memories. The packet never reaches the limits of work under
// way.
double time_one_by_one(const std::vector<Descriptor>& m2s, const std::vector<Descriptor>& s2m) {
    const config::Config& c = trn1();
    const double bandwidth = static_cast<double>(c.dma.bandwidth) / 1e9,
                 stack = static_cast<double>(c.hbm.bandwidth) / static_cast<double>(c.hbm.stacks) / 1e9,
                 gap = static_cast<double>(c.dma.burst_gap) / 1e6,
                 ways = 2e-6 * static_cast<double>(c.fabric.latency),
                 read_latency = ways + static_cast<double>(c.hbm.read_latency) / 1e6,
                 write_latency = ways + static_cast<double>(c.hbm.write_latency) / 1e6;
    constexpr double Interval = 7;  // ns between descriptors
    const auto wire = [&](std::uint32_t length) {
        return length / bandwidth + gap * length / static_cast<double>(c.dma.burst);
    };
    struct Arrival {
        std::uint64_t end;
        double at;
    };
    std::vector<Arrival> arrivals;
    double time = 0, begun = 0;
    for (const Burst& burst : bursts_of(m2s, c.dma.burst)) {
        arrivals.push_back({burst.end, time + read_latency + std::max(burst.length, 32U) / stack});
        time += wire(burst.length);
        if (burst.ends_descriptor) begun = time = std::max(time, begun + Interval);
    }
    double free = 0, last = 0;
    begun = 0;
    bool begins = true;
    for (const Burst& burst : bursts_of(s2m, c.dma.burst)) {
        const auto there =
            std::ranges::find_if(arrivals, [&](const Arrival& a) { return a.end >= burst.end; });
        const double at = std::max(free, there->at);
        if (begins) begun = at;
        begins = burst.ends_descriptor;
        free = at + wire(burst.length);
        if (burst.ends_descriptor) free = std::max(free, begun + Interval);
        last = at + write_latency + std::max(burst.length, 32U) / stack;
    }
    return last - arrivals.front().at;
}

// Returns `total` bytes from `address` on, in descriptors of any length.
std::vector<Descriptor> random_packet(std::mt19937_64& random, std::uint64_t address, std::uint64_t total) {
    std::vector<Descriptor> list;
    for (std::uint64_t done = 0; done < total;) {
        const std::uint64_t most = std::uint64_t{1024} << random() % 7;
        const auto length =
            static_cast<std::uint32_t>(std::min({total - done, 700 + random() % most, std::uint64_t{65536}}));
        list.push_back({.address = address + done,
                        .length = length,
                        .first = done == 0,
                        .last = done + length == total});
        done += length;
    }
    return list;
}

TEST(DmaTrains, APacketTakesAsLongAsItsBursts) {
    auto random = generator();
    DmaBench b("b");
    elaborate();
    double worst = 0;
    for (std::uint64_t turn = 0; turn < 100 * scale(); ++turn) {
        const std::uint64_t total = 1 + random() % 20'000;
        const std::uint64_t from = Low + (8 << 20) + random() % 5000, to = High + random() % 5000;
        const auto data = pattern(total, static_cast<unsigned>(turn));
        b.poke(from, data);
        const auto m2s = random_packet(random, from, total), s2m = random_packet(random, to, total);
        b.set_ring(0, 0, 1 << 20, m2s, s2m);
        b.packets.all.clear();
        b.ring_doorbell(0, 0, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
        sc_core::sc_start();
        ASSERT_EQ(b.packets.all.size(), 1u);
        ASSERT_EQ(b.peek(to, total), data);
        const double measured = static_cast<double>(b.packets.all[0].end - b.packets.all[0].start) / Ns;
        worst = std::max(worst, std::abs(measured - time_one_by_one(m2s, s2m)));
    }
    std::printf("at most %.1f ns from the time of single bursts\n", worst);
    EXPECT_LT(worst, 20);
}

// The accesses: 512 bytes, the bytes up to the border, fourteen trains between borders, those up to the last
// burst, the last burst.
TEST(DmaTrains, AnAccessIsUpTo4KiB) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, packet(Low + (8 << 20), 65536, 65536), packet(High, 65536, 65536));
    const std::uint64_t before = b.low.traffic().reads;
    b.ring_doorbell(0, 0, 1, 1);
    sc_core::sc_start();
    constexpr unsigned Accesses = 18, Fetches = 2;
    EXPECT_EQ(b.low.traffic().reads - before, Accesses + Fetches);
    EXPECT_EQ(b.high.traffic().writes, Accesses);
    EXPECT_EQ(b.dma.engine(0).statistics().data.reads, 128u);
    EXPECT_EQ(b.dma.engine(0).statistics().data.writes, 128u);
}

}  // namespace
}  // namespace trnsim::test
