// Compares throughput and latency with the published figures (see docs/timing.md).
#include <chrono>

#include "arch/dma/elements.hpp"
#include "isa/element_type.hpp"
#include "model/dma/bench.hpp"

namespace trnsim::test {
namespace {

using dma::Descriptor;

double ns(tlm::Time time) {
    return static_cast<double>(time) / 1e6;
}

TEST(DmaTiming, StartLatency) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, packet(Low, 64, 64), packet(High, 64, 64));
    const double bell = ns(tlm::now() + trn1().fabric.latency);
    b.ring_doorbell(0, 0, 1, 1);
    sc_core::sc_start();
    EXPECT_NEAR(ns(b.packets.all.at(0).start) - bell, 1300, 5);
}

TEST(DmaTiming, ThirtyTwoKiBInTwoKiBDescriptors) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, packet(Low, 32768, 2048), packet(High, 32768, 2048));
    b.ring_doorbell(0, 0, 16, 16);
    sc_core::sc_start();
    const auto& slice = b.packets.all.at(0);
    RecordProperty("ns", std::to_string(ns(slice.end - slice.start)));
    std::printf("32 KiB: %.1f ns\n", ns(slice.end - slice.start));
    EXPECT_NEAR(ns(slice.end - slice.start), 1810, 181);
}

// Returns the bytes per nanosecond of one engine that moves `total` bytes in packets of `size` with
// descriptors of `each`.
double rate(DmaBench& b, std::uint64_t total, std::uint64_t size, std::uint32_t each) {
    elaborate();
    std::vector<Descriptor> m2s, s2m;
    for (std::uint64_t done = 0; done < total; done += size) {
        m2s = m2s + packet(Low + (8 << 20) + done, size, each);
        s2m = s2m + packet(High + done, size, each);
    }
    b.set_ring(0, 0, 1 << 20, m2s, s2m);
    b.ring_doorbell(0, 0, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 0u);
    return static_cast<double>(total) / ns(b.packets.all.back().end - b.packets.all.front().start);
}

TEST(DmaTiming, SustainedRate) {
    DmaBench b("b");
    const double measured = rate(b, 4 << 20, 64 << 10, 2048);
    std::printf("2 KiB descriptors: %.2f GB/s\n", measured);
    EXPECT_GE(measured, 17.0);
    EXPECT_LE(measured, 18.2);
}

TEST(DmaTiming, SustainedRateOfLargeDescriptors) {
    DmaBench b("b");
    const double measured = rate(b, 4 << 20, 64 << 10, 64 << 10);
    std::printf("64 KiB descriptors: %.2f GB/s\n", measured);
    EXPECT_GE(measured, 17.0);
    EXPECT_LE(measured, 18.2);
}

TEST(DmaTiming, FourByteDescriptors) {
    DmaBench b("b");
    const double measured = 4 / rate(b, 4 * 8000, 4 * 32, 4);
    std::printf("4-byte descriptors: %.2f ns each\n", measured);
    EXPECT_NEAR(measured, 7.0, 0.1);
}

TEST(DmaTiming, FourByteTransferIsShort) {
    DmaBench b("b");
    elaborate();
    b.set_ring(0, 0, 1 << 20, packet(Low, 4, 4), packet(High, 4, 4));
    b.ring_doorbell(0, 0, 1, 1);
    sc_core::sc_start();
    const auto& slice = b.packets.all.at(0);
    EXPECT_LT(ns(slice.end - slice.start), 120);
}

TEST(DmaTiming, BackToBackTriggersOverlapTheirStart) {
    DmaBench b("b");
    elaborate();
    constexpr unsigned Count = 10;
    std::vector<Descriptor> m2s, s2m;
    for (unsigned i = 0; i < Count; ++i) {
        m2s = m2s + packet(Low + 32768 * i, 32768, 2048);
        s2m = s2m + packet(High + 32768 * i, 32768, 2048);
    }
    b.set_ring(0, 0, 1 << 20, m2s, s2m);
    for (unsigned i = 0; i < Count; ++i) b.ring_doorbell(0, 0, 16, 16);
    sc_core::sc_start();
    ASSERT_EQ(b.packets.all.size(), Count);
    const double total = ns(b.packets.all.back().end - b.packets.all.front().start);
    EXPECT_NEAR(total, Count * 1810, Count * 1810 * 0.03);
}

TEST(DmaTiming, SixteenEnginesRunAtFullRateAndCheaply) {
    constexpr unsigned Engines = 16;
    constexpr std::uint64_t Each = 1 << 20;
    DmaBench b("b", Engines, false);
    elaborate();
    for (unsigned e = 0; e < Engines; ++e) {
        b.set_ring(e, 0, (16 + e) << 20, packet(Low + e * Each, Each, 4096),
                   packet(High + e * Each, Each, 4096));
    }
    for (unsigned e = 0; e < Engines; ++e) b.ring_doorbell(e, 0, 256, 256);
    const auto start = std::chrono::steady_clock::now();
    sc_core::sc_start();
    const double wall =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    tlm::Time first = ~tlm::Time{0}, last = 0;
    for (const auto& slice : b.packets.all) {
        first = std::min(first, slice.start);
        last = std::max(last, slice.end);
    }
    const double measured = Engines * static_cast<double>(Each) / ns(last - first);
    std::printf("16 engines: %.1f GB/s, %.2f us of wall time per 512 B burst\n", measured,
                wall * 512 / (Engines * Each));
    EXPECT_GE(measured, 272);  // published: 16 x 17
    EXPECT_LE(measured, 292);
}

// The bytes per nanosecond that one engine reads and writes, in packets of `elements`; each source and the
// results are dense and have these types.
struct ElementRates {
    double read, written;
};

ElementRates element_rates(DmaBench& b, const std::vector<isa::Dtype>& sources, isa::Dtype to,
                           std::uint32_t elements) {
    using namespace tlm::dma;
    constexpr std::uint64_t Total = 4 << 20;
    const std::size_t before = b.packets.all.size();
    std::vector<Descriptor> m2s, s2m;
    std::uint64_t read = 0, written = 0;
    while (read < Total && written < Total) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const std::uint32_t bytes = elements * isa::element_size(sources[i]);
            const auto last = static_cast<std::uint8_t>(sources.size() - 1);
            m2s.push_back({.address = Low + (8 << 20) + read + i * bytes,
                           .length = bytes,
                           .first = i == 0,
                           .last = i == last,
                           .meta = encode(ReadMeta{i == 0 ? Operation::Load : Operation::Add, sources[i],
                                                   static_cast<std::uint8_t>(i), last})});
        }
        for (const isa::Dtype source : sources) read += std::uint64_t{elements} * isa::element_size(source);
        const std::uint32_t bytes = elements * isa::element_size(to);
        s2m.push_back({.address = High + written,
                       .length = bytes,
                       .meta = encode(WriteMeta{Result::Elements, to, isa::Rounding::Core})});
        written += bytes;
    }
    b.set_ring(0, 0, 1 << 20, m2s, s2m);
    b.ring_doorbell(0, 0, static_cast<unsigned>(m2s.size()), static_cast<unsigned>(s2m.size()));
    sc_core::sc_start();
    EXPECT_EQ(b.errors.size(), 0u);
    const double time = ns(b.packets.all.back().end - b.packets.all.at(before).end);
    const double share = 1 - 1.0 / static_cast<double>(s2m.size());  // all packets but the first
    return {static_cast<double>(read) * share / time, static_cast<double>(written) * share / time};
}

// The direction with more bytes runs at the rate of copies.
TEST(DmaElementTiming, CastsRunAtTheRateOfCopies) {
    using enum isa::Dtype;
    DmaBench b("b");
    elaborate();
    const ElementRates narrow = element_rates(b, {Fp32}, Bf16, 16384),
                       wide = element_rates(b, {Bf16}, Fp32, 16384),
                       same = element_rates(b, {I32}, Fp32, 16384),
                       bytes = element_rates(b, {Fp8E5m2}, Fp8E4m3, 65536);
    std::printf(
        "fp32 to bf16: %.2f GB/s read, bf16 to fp32: %.2f GB/s written, i32 to fp32: %.2f GB/s, fp8: "
        "%.2f GB/s\n",
        narrow.read, wide.written, same.read, bytes.read);
    for (const double rate : {narrow.read, wide.written, same.read, bytes.read}) {
        EXPECT_GE(rate, 17.0);
        EXPECT_LE(rate, 18.4);
    }
}

TEST(DmaElementTiming, SumsRunAtTheRateOfTheirReads) {
    using enum isa::Dtype;
    DmaBench b("b");
    elaborate();
    const ElementRates two = element_rates(b, {Fp32, Fp32}, Fp32, 4096),
                       four = element_rates(b, {Bf16, Bf16, Bf16, Bf16}, Bf16, 4096),
                       sixteen = element_rates(b, std::vector(16, Bf16), Bf16, 4096);
    std::printf("GB/s read of 2 fp32 sources: %.2f, of 4 bf16 sources: %.2f, of 16: %.2f\n", two.read,
                four.read, sixteen.read);
    for (const double rate : {two.read, four.read, sixteen.read}) {
        EXPECT_GE(rate, 17.0);
        EXPECT_LE(rate, 18.4);
    }
}

}  // namespace
}  // namespace trnsim::test
