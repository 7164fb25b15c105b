// Tests the bytes that the engines move, and in which order.
#include "model/dma/engine.hpp"

#include "common/random.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;
using dma::RingRegister;

TEST(DmaEngine, CopiesAPacket) {
    DmaBench b("b");
    elaborate();
    const auto data = pattern(10'000, 1);
    b.poke(Low + 3, data);
    b.set_ring(0, 0, 1 << 20, packet(Low + 3, 10'000, 4096), packet(High + 77, 10'000, 3000));
    b.ring_doorbell(0, 0, 3, 4);
    sc_core::sc_start();
    EXPECT_EQ(b.peek(High + 77, 10'000), data);
    EXPECT_EQ(b.errors.size(), 0u);
    EXPECT_TRUE(b.dma.engine(0).idle());
    EXPECT_EQ(b.dma.engine(0).statistics().packets, 1u);
    EXPECT_EQ(b.dma.engine(0).statistics().data.bytes_written, 10'000u);
    EXPECT_EQ(b.dma.engine(0).statistics().descriptor_bytes, 7u * 16);
    EXPECT_EQ(b.packets.all.size(), 1u);
    EXPECT_EQ(b.packets.all[0].chip, Chip);
    EXPECT_EQ(b.packets.all[0].engine, 0u);
    EXPECT_EQ(b.packets.all[0].ring, 0u);
}

// A reset engine does the next work as a new one does and in the same time, whatever state it was stopped in.
TEST(DmaEngine, ResetAtAnyTime) {
    DmaBench b("b");
    elaborate();
    auto random = generator();
    const auto data = pattern(40'000, 1);
    b.poke(Low, data);
    tlm::Time usual = 0;
    for (std::uint64_t turn = 0; turn < 40 * scale(); ++turn) {
        b.poke(High, std::vector<std::uint8_t>(data.size()));
        b.set_ring(0, 3, 1 << 20, packet(Low, 40'000, 4096), packet(High, 40'000, 3000));
        const tlm::Time start = tlm::now();
        b.ring_doorbell(0, 3, 10, 14);
        if (turn % 2 == 0) {
            sc_core::sc_start();
            EXPECT_EQ(b.peek(High, data.size()), data);
            if (turn == 0) usual = tlm::now() - start;
            EXPECT_EQ(tlm::now() - start, usual);
        } else {
            sc_core::sc_start(tlm::to_sc(random() % usual + 1));
        }
        b.dma.stop();
        b.ring_doorbell(0, 3, 1, 1);  // ignored
        sc_core::sc_start();
        ASSERT_TRUE(b.dma.quiet());
        b.dma.reset();
        ASSERT_TRUE(b.dma.idle());
    }
    EXPECT_EQ(b.errors.size(), 0u);
}

TEST(DmaEngine, LargestDescriptor) {
    DmaBench b("b");
    elaborate();
    const auto data = pattern(65536, 2);
    b.poke(Low, data);
    b.set_ring(0, 15, 1 << 20, packet(Low, 65536, 65536), packet(High, 65536, 65536));
    b.ring_doorbell(0, 15, 1, 1);
    sc_core::sc_start();
    EXPECT_EQ(b.peek(High, 65536), data);
}

// The fabric annotates times: all accesses are made now and take effect later, in the order of their times.
TEST(DmaEngine, RegisterAccessesActInTheOrderOfTheirTimes) {
    DmaBench b("b");
    elaborate();
    const auto first = pattern(600, 1), second = pattern(600, 2);
    b.poke(Low, first);
    b.poke(Low + 4096, second);
    b.set_ring(0, 0, 1 << 20, packet(Low, 600, 600), packet(High, 600, 600));
    const auto encoded = dma::encode(packet(Low + 4096, 600, 600)[0]);
    b.poke(2 << 20, {encoded.begin(), encoded.end()});
    const tlm::Time start = tlm::now();
    const auto set = [&](RingRegister reg, std::uint32_t value, tlm::Time at) {
        b.host.write32(ring_address(0, 0, reg), value, at);
    };
    // One packet is from the old ring, and after it is done one from the new ring.
    set(RingRegister::Doorbell, dma::doorbell(1, 1), start + 100 * Ns);
    const auto tail = b.host.read(ring_address(0, 0, RingRegister::M2sTail), 4, start + 9'900 * Ns);
    set(RingRegister::M2sBaseLow, 2 << 20, start + 10'000 * Ns);
    set(RingRegister::M2sSize, 7, start + 10'000 * Ns);
    const auto read = b.host.read(ring_address(0, 0, RingRegister::M2sSize), 4, start + 10'001 * Ns);
    sc_core::sc_start(tlm::to_sc(9'000 * Ns));
    EXPECT_EQ(b.peek(High, 600), first);
    sc_core::sc_start();
    EXPECT_EQ(b.host.replies.at(tail).data, (std::vector<std::uint8_t>{0, 0, 0, 0x40}))
        << "wrapped in a ring of one";
    EXPECT_EQ(b.host.replies.at(read).data[0], 7u);
    b.ring_doorbell(0, 0, 1, 1);
    sc_core::sc_start();
    EXPECT_EQ(b.peek(High, 600), second);
    EXPECT_EQ(b.errors.size(), 0u);
}

TEST(DmaEngine, RingsWrap) {
    DmaBench b("b");
    elaborate();
    std::vector<Descriptor> m2s, s2m;
    for (unsigned i = 0; i < 5; ++i) {
        m2s = m2s + packet(Low + 1024 * i, 600, 600);
        s2m = s2m + packet(High + 1024 * i, 600, 600);
    }
    b.set_ring(0, 1, 1 << 20, m2s, s2m);
    for (unsigned round = 0; round < 4; ++round) {
        const auto data = pattern(5 * 1024, 10 + round);
        b.poke(Low, data);
        b.ring_doorbell(0, 1, 3, 3);
        sc_core::sc_start();
        for (unsigned i = 0; i < 3; ++i) {
            const unsigned at = 1024 * ((3 * round + i) % 5);
            EXPECT_EQ(b.peek(High + at, 600),
                      std::vector<std::uint8_t>(data.begin() + at, data.begin() + at + 600));
        }
        const unsigned done = 3 * round + 3;
        const std::uint32_t expected = dma::pointer(done / 5, done % 5);
        EXPECT_EQ(b.register_value(dma::ring_address(0, 1, RingRegister::M2sHead)), expected);
        EXPECT_EQ(b.register_value(dma::ring_address(0, 1, RingRegister::S2mTail)), expected);
    }
}

// A full ring differs from an empty one.
TEST(DmaEngine, RingsMayBeFull) {
    DmaBench b("b");
    elaborate();
    const auto copies = [](std::uint64_t to) { return packet(to, 200, 200) + packet(to + 200, 200, 200); };
    b.set_ring(0, 1, 1 << 20, copies(Low), copies(High));
    const auto left = [&] {
        const std::uint32_t head = b.register_value(ring_address(0, 1, RingRegister::M2sHead));
        return dma::distance(head, b.register_value(ring_address(0, 1, RingRegister::M2sTail)), 2);
    };
    EXPECT_EQ(left(), 0u);
    for (unsigned round = 0; round < 9; ++round) {
        const auto data = pattern(400, 20 + round);
        b.poke(Low, data);
        b.ring_doorbell(0, 1, 2, 2);
        EXPECT_EQ(left(), 2u);
        sc_core::sc_start();
        EXPECT_EQ(b.peek(High, 400), data);
        EXPECT_EQ(left(), 0u);
    }
    EXPECT_EQ(b.errors.size(), 0u);
    b.ring_doorbell(0, 1, 2, 2);
    b.ring_doorbell(0, 1, 1, 1);
    sc_core::sc_start();
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(
        b.errors[0].message,
        "DMA engine 0 ring 1 descriptor 0: doorbell for 1 m2s and 1 s2m descriptors, expected at most 0 "
        "and 0");
}

// Packets of any number of descriptors go over the end of small rings of different sizes, and more are handed
// over as soon as there is room.
void wrapping_packets(tlm::perturb::Seed perturb, std::uint64_t prefetch) {
    constexpr std::uint64_t M2sBase = 1 << 20, S2mBase = M2sBase + 512 * 1024, Bytes = 6000;
    constexpr std::uint32_t M2sSize = 11, S2mSize = 7, MostDescriptors = 6;
    config::Config config = trn1();
    config.dma.prefetch = prefetch;
    DmaBench b("b", 1, true, perturb, config);
    elaborate();
    auto random = generator();
    b.set_ring(0, 0, M2sBase, std::vector<Descriptor>(M2sSize, Descriptor{.length = 1}),
               std::vector<Descriptor>(S2mSize, Descriptor{.length = 1}));
    const auto register_of = [&](RingRegister reg) { return b.register_value(ring_address(0, 0, reg)); };
    const auto room = [&](RingRegister head, RingRegister tail, std::uint32_t size) {
        return size - dma::distance(register_of(head), register_of(tail), size);
    };
    struct Side {
        std::uint64_t base;
        std::uint32_t size, next = 0;
    };
    Side m2s{M2sBase, M2sSize}, s2m{S2mBase, S2mSize};
    const auto put = [&](Side& side, const std::vector<Descriptor>& list) {
        for (const Descriptor& descriptor : list) {
            const auto bytes = encode(descriptor);
            b.poke(side.base + side.next * std::uint64_t{16}, {bytes.begin(), bytes.end()});
            side.next = (side.next + 1) % side.size;
        }
    };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> copies;
    for (std::uint64_t i = 0; i < 120; ++i) {
        const auto length = static_cast<std::uint32_t>(1 + random() % (random() % 2 == 0 ? 50 : Bytes));
        const std::uint64_t at = (4 << 20) + i * (Bytes + 500) + random() % 100;
        const auto each = [&] {
            return length / static_cast<std::uint32_t>(1 + random() % MostDescriptors) + 1;
        };
        const auto reads = packet(Low + at, length, each()), writes = packet(High + at, length, each());
        b.poke(Low + at, pattern(length, random()));
        while (room(RingRegister::M2sHead, RingRegister::M2sTail, M2sSize) < reads.size() ||
               room(RingRegister::S2mHead, RingRegister::S2mTail, S2mSize) < writes.size())
            sc_core::sc_start(tlm::to_sc(50 * Ns));
        put(m2s, reads);
        put(s2m, writes);
        b.ring_doorbell(0, 0, static_cast<unsigned>(reads.size()), static_cast<unsigned>(writes.size()));
        copies.emplace_back(at, length);
    }
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 0u) << b.errors[0].message;
    EXPECT_TRUE(b.dma.engine(0).idle());
    for (const auto& [at, length] : copies)
        EXPECT_EQ(b.peek(High + at, length), b.peek(Low + at, length)) << at;
}

TEST(DmaEngine, PacketsGoOverTheEndOfTheRing) {
    wrapping_packets({}, trn1().dma.prefetch);
}

TEST(DmaEngine, BarrierWaitsForEarlierWrites) {
    DmaBench b("b");
    elaborate();
    b.poke(Low, pattern(8192, 3));
    b.poke(Low + 65536, {1, 0, 0, 0});
    auto m2s = packet(Low, 8192, 2048) + packet(Low + 65536, 4, 4);
    m2s.back().barrier = true;
    b.set_ring(0, 0, 1 << 20, m2s, packet(High, 8192, 2048) + packet(Low + 70000, 4, 4));
    b.ring_doorbell(0, 0, 5, 5);
    sc_core::sc_start();
    ASSERT_EQ(b.packets.all.size(), 2u);
    EXPECT_GE(b.packets.all[1].start, b.packets.all[0].end);
    EXPECT_EQ(b.peek(Low + 70000, 1)[0], 1);
}

TEST(DmaEngine, WithoutBarrierPacketsOverlap) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, packet(Low, 8192, 2048) + packet(Low, 4, 4),
               packet(High, 8192, 2048) + packet(Low + 70000, 4, 4));
    b.ring_doorbell(0, 0, 5, 5);
    sc_core::sc_start();
    ASSERT_EQ(b.packets.all.size(), 2u);
    EXPECT_LT(b.packets.all[1].start, b.packets.all[0].end);
}

TEST(DmaEngine, BarrierInsideAPacket) {
    DmaBench b("b");
    elaborate();
    const auto data = pattern(1000, 4);
    b.poke(Low, data);
    auto m2s = packet(Low, 1000, 300);
    m2s[1].barrier = m2s[3].barrier = true;
    b.set_ring(0, 0, 1 << 20, m2s, packet(High, 1000, 1000));
    b.ring_doorbell(0, 0, 4, 1);
    sc_core::sc_start();
    EXPECT_EQ(b.peek(High, 1000), data);
    EXPECT_EQ(b.errors.size(), 0u);
}

TEST(DmaEngine, RingsTakeTurnsPacketByPacket) {
    DmaBench b("b");
    elaborate();
    for (unsigned ring = 0; ring < 3; ++ring) {
        std::vector<Descriptor> m2s, s2m;
        for (unsigned i = 0; i < 4; ++i) {
            m2s = m2s + packet(Low, 2048, 1024);
            s2m = s2m + packet(High, 2048, 1024);
        }
        b.set_ring(0, ring, (1 + ring) << 20, m2s, s2m);
    }
    for (unsigned ring = 0; ring < 3; ++ring) b.ring_doorbell(0, ring, 8, 8);
    sc_core::sc_start();
    ASSERT_EQ(b.packets.all.size(), 12u);
    for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(b.packets.all[i].ring, i % 3);
}

void random_transfers(tlm::perturb::Seed perturb, std::uint64_t prefetch) {
    auto random = generator();
    constexpr unsigned Engines = 4;
    config::Config config = trn1();
    config.dma.prefetch = prefetch;
    DmaBench b("b", Engines, true, perturb, config);
    elaborate();
    const auto cut = [&](std::uint64_t address, std::uint64_t total) {
        std::vector<Descriptor> list;
        for (std::uint64_t done = 0; done < total;) {
            const std::uint64_t length =
                std::min<std::uint64_t>(total - done, 1 + random() % (random() % 3 == 0 ? 20 : 3000));
            list.push_back({.address = address + done,
                            .length = static_cast<std::uint32_t>(length),
                            .first = done == 0,
                            .last = done + length == total,
                            .barrier = random() % 8 == 0});
            done += length;
        }
        return list;
    };
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> copies;
    for (unsigned engine = 0; engine < Engines; ++engine) {
        for (unsigned ring = 0; ring < 3; ++ring) {
            const std::uint64_t area = (16 + engine * 3 + ring) * 65536ULL;
            std::vector<Descriptor> m2s, s2m;
            for (std::uint64_t i = 0; i < 6; ++i) {
                const std::uint64_t length = 1 + random() % 10'000;
                const bool back = random() % 2 == 0;
                const std::uint64_t from = (back ? High : Low) + area + 10'500 * i + random() % 100;
                const std::uint64_t to =
                    (back ? Low : High) + (32 << 20) + area + 10'500 * i + random() % 100;
                m2s = m2s + cut(from, length);
                s2m = s2m + cut(to, length);
                b.poke(from, pattern(length, random()));
                copies.emplace_back(from, to, length);
            }
            b.set_ring(engine, ring, (8 + engine * 3 + ring) << 20, m2s, s2m);
            b.ring_doorbell(engine, ring, static_cast<unsigned>(m2s.size()),
                            static_cast<unsigned>(s2m.size()));
        }
    }
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 0u);
    for (unsigned engine = 0; engine < Engines; ++engine) EXPECT_TRUE(b.dma.engine(engine).idle());
    for (const auto& [from, to, length] : copies) EXPECT_EQ(b.peek(from, length), b.peek(to, length));
}

TEST(DmaEngine, RandomTransfersAgreeWithMemcpy) {
    random_transfers({}, trn1().dma.prefetch);
}

class PerturbedDmaEngine : public testing::TestWithParam<unsigned> {};

TEST_P(PerturbedDmaEngine, RandomTransfersAgreeWithMemcpy) {
    random_transfers(GetParam(), trn1().dma.prefetch);
}

TEST_P(PerturbedDmaEngine, PacketsGoOverTheEndOfTheRing) {
    wrapping_packets(GetParam(), 1 + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, PerturbedDmaEngine, testing::Range(0u, 6u));

// Tests prefetch limits, including those below a burst of descriptors.
class DmaPrefetch : public testing::TestWithParam<unsigned> {};

TEST_P(DmaPrefetch, AnyNumberOfDescriptorsWillDo) {
    random_transfers({}, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Descriptors, DmaPrefetch, testing::Range(2u, 17u));

// Engines have the same work, each with as many reads as writes.
TEST(DmaEngine, PerturbedEnginesDriftApart) {
    constexpr unsigned Engines = 8;
    constexpr std::uint64_t Bytes = 65536;
    DmaBench b("b", Engines, true, 1);
    elaborate();
    for (unsigned engine = 0; engine < Engines; ++engine) {
        const std::uint64_t area = engine * Bytes;
        b.set_ring(engine, 0, (8 + engine) << 20, packet(Low + area, Bytes, 4096),
                   packet(High + area, Bytes, 4096));
    }
    for (unsigned engine = 0; engine < Engines; ++engine) b.ring_doorbell(engine, 0, 16, 16);
    sc_core::sc_start();
    ASSERT_EQ(b.packets.all.size(), Engines);
    const auto by_end = [](const auto& a, const auto& c) { return a.end < c.end; };
    const auto [first, last] = std::minmax_element(b.packets.all.begin(), b.packets.all.end(), by_end);
    EXPECT_GT(last->end - first->end, 2000 * Ns);
}

}  // namespace
}  // namespace trnsim::test
