// Compares the estimate of transfers with the DMA engines on idle memories: bytes, elements and transposes of
// random shapes.
#include "arch/cost/cost.hpp"
#include "arch/dma/elements.hpp"
#include "arch/dma/transpose.hpp"
#include "common/random.hpp"
#include "isa/element_type.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;

constexpr double Share = 0.1;  // relative error that an estimate may have,
constexpr double Beside =
    150 * Ns;  // and the time beside it for responses and the first burst of a large descriptor

struct Rings {
    std::vector<Descriptor> m2s, s2m;
};

// Returns the time from the doorbell to the last response; `rings` holds the rings of each engine.
double time_of(DmaBench& b, const std::vector<Rings>& rings) {
    for (unsigned e = 0; e < rings.size(); ++e) b.set_ring(e, 0, (48 + e) << 20, rings[e].m2s, rings[e].s2m);
    const tlm::Time bell = tlm::now() + trn1().fabric.latency;
    for (unsigned e = 0; e < rings.size(); ++e)
        b.ring_doorbell(e, 0, static_cast<unsigned>(rings[e].m2s.size()),
                        static_cast<unsigned>(rings[e].s2m.size()));
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 0u);
    tlm::Time last = 0;
    for (const auto& packet : b.packets.all) last = std::max(last, packet.end);
    return static_cast<double>(last - bell);
}

void expect_estimate(const cost::Transfer& transfer, double found) {
    const auto wanted = static_cast<double>(cost::Costs(trn1()).of(transfer).completes);
    std::printf(
        "%u engines, %llu bytes in %llu and %llu descriptors, %llu transposed: %.0f ns, estimated %.0f\n",
        transfer.engines, static_cast<unsigned long long>(transfer.writes.bytes),
        static_cast<unsigned long long>(transfer.reads.descriptors),
        static_cast<unsigned long long>(transfer.writes.descriptors),
        static_cast<unsigned long long>(transfer.transposed), found / Ns, wanted / Ns);
    EXPECT_NEAR(found, wanted, Share * wanted + Beside);
}

TEST(TransferCosts, Bytes) {
    auto random = generator();
    const auto engines = static_cast<unsigned>(1 + random() % 4);
    DmaBench b("b", engines);
    elaborate();
    for (unsigned round = 0; round < 6; ++round) {
        b.packets.all.clear();
        const std::uint64_t total = 64 + random() % 50'000;
        const auto read = static_cast<std::uint32_t>(1 +
                                                     random() % (std::uint64_t{1} << 4 * (1 + random() % 3))),
                   written = static_cast<std::uint32_t>(1 + random() %
                                                                (std::uint64_t{1} << 4 * (1 + random() % 3)));
        std::vector<Rings> rings(engines);
        cost::Transfer transfer{.engines = engines};
        for (unsigned e = 0; e < engines; ++e) {
            const std::uint64_t place = (1 + e) * 65536ULL * 8;
            rings[e] = {packet(Low + place, total, read), packet(High + place, total, written)};
            transfer.reads.bytes += total;
            transfer.writes.bytes += total;
            transfer.reads.descriptors += rings[e].m2s.size();
            transfer.writes.descriptors += rings[e].s2m.size();
        }
        if (rings[0].m2s.size() > 8000 || rings[0].s2m.size() > 8000) continue;
        expect_estimate(transfer, time_of(b, rings));
    }
}

TEST(TransferCosts, Elements) {
    auto random = generator();
    DmaBench b("b");
    elaborate();
    using enum isa::Dtype;
    constexpr std::array Types{Fp32, Bf16, I8};
    for (unsigned round = 0; round < 6; ++round) {
        b.packets.all.clear();
        const isa::Dtype from = Types[random() % Types.size()], to = Types[random() % Types.size()];
        const auto sources = static_cast<std::uint8_t>(1 + random() % 4);
        const auto elements = static_cast<std::uint32_t>(1 + random() % 4096);
        const unsigned packets = 1 + random() % 20;
        const std::uint32_t in = elements * isa::element_size(from), out = elements * isa::element_size(to);
        Rings rings;
        for (unsigned p = 0; p < packets; ++p) {
            for (std::uint8_t s = 0; s < sources; ++s)
                rings.m2s.push_back(
                    {.address = Low + (8 << 20) + (std::uint64_t{p} * sources + s) * in,
                     .length = in,
                     .first = s == 0,
                     .last = s + 1 == sources,
                     .meta = encode(dma::ReadMeta{s == 0 ? dma::Operation::Load : dma::Operation::Add, from,
                                                  s, static_cast<std::uint8_t>(sources - 1)})});
            rings.s2m.push_back(
                {.address = High + std::uint64_t{p} * out,
                 .length = out,
                 .meta = encode(dma::WriteMeta{dma::Result::Elements, to, isa::Rounding::Core})});
        }
        const cost::Transfer transfer{
            1,
            {std::uint64_t{in} * sources * packets, std::uint64_t{sources} * packets},
            {std::uint64_t{out} * packets, packets}};
        // All sources but the last are read before the first result is written.
        const double lead = sources == 1 ? 0 : in * (sources - 1) / 18.0 * Ns;
        const double found = time_of(b, {rings});
        const auto wanted = static_cast<double>(cost::Costs(trn1()).of(transfer).completes);
        EXPECT_NEAR(found, wanted, Share * wanted + Beside + lead + in / 18.0 * Ns + out / 18.0 * Ns);
    }
}

TEST(TransferCosts, Transposes) {
    auto random = generator();
    DmaBench b("b");
    elaborate();
    for (unsigned round = 0; round < 6; ++round) {
        b.packets.all.clear();
        const auto rows = static_cast<std::uint32_t>(1 + random() % 64),
                   columns = static_cast<std::uint32_t>(1 + random() % 64);
        const std::uint32_t element = 1U << random() % 3;
        const unsigned packets = 4 + random() % 12;
        Rings rings;
        for (unsigned p = 0; p < packets; ++p) {
            const std::uint64_t place = std::uint64_t{p} << 16;
            rings.m2s.push_back({.address = dma::transpose_shape(rows, columns, element),
                                 .length = 8,
                                 .first = true,
                                 .meta = encode(dma::ReadMeta{dma::Operation::Transpose})});
            rings.m2s = rings.m2s + packet(Low + (8 << 20) + place, std::uint64_t{rows} * columns * element,
                                           columns * element);
            const std::size_t own = rings.m2s.size() - rows;
            rings.m2s[own].first = false;
            rings.s2m =
                rings.s2m + packet(High + place, std::uint64_t{rows} * columns * element, rows * element);
        }
        const std::uint64_t bytes = std::uint64_t{rows} * columns * element * packets;
        const cost::Transfer transfer{.engines = 1,
                                      .reads = {bytes, std::uint64_t{rows} * packets},
                                      .writes = {bytes, std::uint64_t{columns} * packets},
                                      .constants = packets,
                                      .transposed = std::uint64_t{rows} * columns * packets};
        expect_estimate(transfer, time_of(b, {rings}));
    }
}

}  // namespace
}  // namespace trnsim::test
