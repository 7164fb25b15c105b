// Compares packets of elements with the oracle: casts, sums, rounding, in place and in pieces.
#include <bit>

#include "arch/numerics/operands.hpp"
#include "common/element_oracle.hpp"
#include "common/random.hpp"
#include "model/dma/bench.hpp"
#include "model/dma/element_packet.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::EngineRegister;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint64_t Area = 1 << 16;  // a packet's memory on each side

// Returns elements of every kind: fp32 corners and their neighbours as far as the type has them.
std::vector<std::uint8_t> random_elements(std::mt19937_64& random, Dtype dtype, std::size_t count) {
    OperandSource operands(random);
    const ElementFormat& format = element_format(dtype);
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t any = operands.any();
        put_element(bytes, random() % 2 == 0 ? any : oracle_bits(std::bit_cast<float>(any), format),
                    format.bytes);
    }
    return bytes;
}

Dtype random_type(std::mt19937_64& random) {
    return ElementFormats[random() % ElementFormats.size()].dtype;
}

std::vector<std::uint8_t> sum_of(const ElementPacket& packet, tlm::dma::RoundingControl control) {
    const bool stochastic = packet.result.rounding == isa::Rounding::Stochastic ||
                            (packet.result.rounding == isa::Rounding::Core && control.stochastic);
    const ElementFormat& to = element_format(packet.result.dtype);
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < packet.count; ++i) {
        float value = 0;
        for (const ElementSource& source : packet.sources) {
            const ElementFormat& from = element_format(source.dtype);
            value = oracle_combine(source.op, source.scale,
                                   oracle_fp32(element_at(source.data, i, from.bytes), from), value);
        }
        const auto draw =
            stochastic ? std::optional(oracle_draw(control.seed, packet.first_element + i)) : std::nullopt;
        put_element(bytes, oracle_bits(value, to, draw), to.bytes);
    }
    return bytes;
}

// Runs the packets on one ring and compares their results; the bytes around the results must not change.
void run_and_compare(DmaBench& b, std::vector<ElementPacket>& packets, tlm::dma::RoundingControl control,
                     std::mt19937_64& random) {
    constexpr std::uint8_t Untouched = 0x5a;
    std::vector<Descriptor> m2s, s2m;
    for (const ElementPacket& packet : packets) {
        if (!packet.in_place)
            b.poke(packet.address - 8, std::vector<std::uint8_t>(packet.bytes() + 16, Untouched));
        for (const ElementSource& source : packet.sources) b.poke(source.address, source.data);
        add_descriptors(packet, random, m2s, s2m);
    }
    b.set_ring(0, 2, 48 << 20, m2s, s2m);
    b.host.write32(engine_address(0, EngineRegister::SrControl), control.stochastic ? 1 : 0);
    b.host.write32(engine_address(0, EngineRegister::SrSeed), control.seed);
    sc_core::sc_start(tlm::to_sc(200 * Ns));
    b.ring_doorbell(0, 2, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
    sc_core::sc_start();
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    EXPECT_TRUE(b.dma.engine(0).idle());
    for (const ElementPacket& packet : packets) {
        const auto expected = sum_of(packet, control);
        ASSERT_EQ(b.peek(packet.address, expected.size()), expected)
            << packet.sources.size() << " sources, " << packet.count << " elements, first "
            << isa::name_of(packet.sources[0].dtype) << " to " << isa::name_of(packet.result.dtype);
        if (packet.in_place) continue;
        EXPECT_EQ(b.peek(packet.address - 8, 8), std::vector<std::uint8_t>(8, Untouched));
        EXPECT_EQ(b.peek(packet.address + expected.size(), 8), std::vector<std::uint8_t>(8, Untouched));
    }
}

// Casts every type to every type, at any address.
TEST(DmaElements, EveryCast) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    std::vector<ElementPacket> packets;
    for (const ElementFormat& from : ElementFormats) {
        for (const ElementFormat& to : ElementFormats) {
            const std::uint64_t at = (1 + packets.size()) * Area / 4;
            const std::size_t count = 1 + random() % 900;
            packets.push_back({.sources = {{.dtype = from.dtype,
                                            .data = random_elements(random, from.dtype, count),
                                            .address = Low + at + random() % 64}},
                               .result = {dma::Result::Elements, to.dtype, isa::Rounding::Nearest},
                               .address = High + at + 64 + random() % 64,
                               .count = count});
        }
    }
    run_and_compare(b, packets, {}, random);
}

// Returns packets of one to sixteen sources, each with its own type, operation and scale.
std::vector<ElementPacket> random_packets(std::mt19937_64& random, std::size_t number) {
    constexpr std::array Operations{AluOp::Add, AluOp::Multiply, AluOp::Min, AluOp::Max};
    std::vector<ElementPacket> packets;
    for (std::size_t p = 0; p < number; ++p) {
        ElementPacket packet;
        const std::size_t sources = 1 + random() % (random() % 4 == 0 ? 16 : 4);
        packet.count = 1 + random() % (random() % 3 == 0 ? 4096 : 300);
        packet.first_element = random() % 2 == 0 ? 0 : random();
        packet.result = {dma::Result::Elements, random_type(random),
                         static_cast<isa::Rounding>(random() % 3)};
        packet.address = High + (1 + p) * Area + random() % 100;
        for (std::size_t s = 0; s < sources; ++s) {
            ElementSource source;
            source.op = s == 0 ? AluOp::Bypass : Operations[random() % Operations.size()];
            source.dtype = random_type(random);
            source.scale = random() % 2 == 0 ? 1.0f : std::bit_cast<float>(OperandSource(random).any());
            source.data = random_elements(random, source.dtype, packet.count);
            source.address = Low + (p * 16 + s) * (Area / 2) + random() % 100;
            packet.sources.push_back(std::move(source));
        }
        // One of the sources is the destination itself.
        if (random() % 3 == 0) {
            ElementSource& own = packet.sources[random() % sources];
            own.dtype = packet.result.dtype;
            own.data = random_elements(random, own.dtype, packet.count);
            own.address = packet.address;
            packet.in_place = true;
        }
        packets.push_back(std::move(packet));
    }
    return packets;
}

void combine(tlm::perturb::Seed perturb) {
    DmaBench b("b", 1, true, perturb);
    elaborate();
    auto random = generator();
    for (std::uint64_t turn = 0; turn < 4 * scale(); ++turn) {
        std::vector<ElementPacket> packets = random_packets(random, 24);
        run_and_compare(b, packets,
                        {random() % 2 == 0, random() % 4 == 0 ? 0 : static_cast<std::uint32_t>(random())},
                        random);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(DmaElements, SourcesOfAnyTypeAreCombined) {
    combine({});
}

class PerturbedDmaElements : public testing::TestWithParam<unsigned> {};

TEST_P(PerturbedDmaElements, SourcesOfAnyTypeAreCombined) {
    combine(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, PerturbedDmaElements, testing::Range(0u, 4u));

// Rounds 40,000 times a value an eighth of a unit of bf16 above an element: an eighth of the results go up.
TEST(DmaElements, StochasticRoundingGoesUpAsOftenAsItShould) {
    constexpr std::size_t Count = 40'000 / 4;
    DmaBench b("b");
    elaborate();
    auto random = generator();
    std::vector<ElementPacket> packets;
    for (std::size_t p = 0; p < 4; ++p) {
        std::vector<std::uint8_t> data;
        for (std::size_t i = 0; i < Count; ++i) put_element(data, 0x3f812000, 4);
        packets.push_back({.sources = {{.dtype = Dtype::Fp32, .data = data, .address = Low + (1 + p) * Area}},
                           .result = {dma::Result::Elements, Dtype::Bf16, isa::Rounding::Core},
                           .address = High + (1 + p) * Area,
                           .count = Count,
                           .first_element = p * Count});
    }
    run_and_compare(b, packets, {true, static_cast<std::uint32_t>(random())}, random);
    std::size_t up = 0;
    for (const ElementPacket& packet : packets) {
        const auto data = b.peek(packet.address, 2 * Count);
        for (std::size_t i = 0; i < Count; ++i) {
            const std::uint32_t bits = element_at(data, i, 2);
            ASSERT_TRUE(bits == 0x3f81 || bits == 0x3f82) << std::hex << bits;
            up += bits == 0x3f82;
        }
    }
    const std::size_t expected = Count * 4 / 8;                               // f = 0x2000 / 0x10000
    const double deviation = std::sqrt(4.0 * Count * (1.0 / 8) * (7.0 / 8));  // a binomial distribution
    EXPECT_NEAR(static_cast<double>(up), static_cast<double>(expected), 5 * deviation);
}

// One ring moves elements while others move bytes.
TEST(DmaElements, BesidePacketsOfBytes) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    const auto data = pattern(60'000, 7);
    b.poke(Low + (40 << 20), data);
    b.set_ring(0, 5, 52 << 20, packet(Low + (40 << 20), 60'000, 1000),
               packet(High + (40 << 20), 60'000, 3000));
    b.ring_doorbell(0, 5, 60, 20);
    std::vector<ElementPacket> packets = random_packets(random, 12);
    run_and_compare(b, packets, {}, random);
    EXPECT_EQ(b.peek(High + (40 << 20), 60'000), data);
}

// The source waits for the writes before it, as with a barrier of its own.
TEST(DmaElements, ABarrierOnAConstantHoldsForItsSource) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    const ElementPacket one{.sources = {{.dtype = Dtype::Fp32,
                                         .scale = 2,
                                         .data = random_elements(random, Dtype::Fp32, 700),
                                         .address = Low + Area}},
                            .result = {dma::Result::Elements, Dtype::Bf16, isa::Rounding::Nearest},
                            .address = High + Area,
                            .count = 700};
    std::vector<Descriptor> m2s, s2m;
    b.poke(one.sources[0].address, one.sources[0].data);
    b.poke(Low + 8192, pattern(8192, 1));
    m2s = packet(Low + 8192, 8192, 2048);
    s2m = packet(High + 8192, 8192, 2048);
    const std::size_t at = m2s.size();
    add_descriptors(one, random, m2s, s2m);
    ASSERT_EQ(dma::decode_read(m2s[at].meta).operation, dma::Operation::Scale);
    m2s[at].barrier = true;
    b.set_ring(0, 0, 48 << 20, m2s, s2m);
    b.ring_doorbell(0, 0, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
    sc_core::sc_start();
    ASSERT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    ASSERT_EQ(b.packets.all.size(), 2u);
    EXPECT_GE(b.packets.all[1].start, b.packets.all[0].end);
    EXPECT_EQ(b.peek(one.address, 1400), sum_of(one, {}));
}

// A reset in the middle of packets of elements leaves nothing of them.
TEST(DmaElements, ResetAtAnyTime) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    for (std::uint64_t turn = 0; turn < 20 * scale(); ++turn) {
        std::vector<ElementPacket> packets = random_packets(random, 6);
        if (turn % 2 == 0) {
            run_and_compare(b, packets, {true, 3}, random);
            EXPECT_EQ(b.register_value(engine_address(0, EngineRegister::SrControl)), 1u);
            EXPECT_EQ(b.register_value(engine_address(0, EngineRegister::SrSeed)), 3u);
        } else {
            std::vector<Descriptor> m2s, s2m;
            for (const ElementPacket& packet : packets) {
                for (const ElementSource& source : packet.sources) b.poke(source.address, source.data);
                add_descriptors(packet, random, m2s, s2m);
            }
            b.set_ring(0, 2, 48 << 20, m2s, s2m);
            b.ring_doorbell(0, 2, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
            sc_core::sc_start(tlm::to_sc((1300 + random() % 4000) * Ns));
        }
        b.dma.stop();
        sc_core::sc_start();
        ASSERT_TRUE(b.dma.quiet());
        b.dma.reset();
        EXPECT_EQ(b.register_value(engine_address(0, EngineRegister::SrControl)), 0u);
    }
    EXPECT_EQ(b.errors.size(), 0u);
}

}  // namespace
}  // namespace trnsim::test
