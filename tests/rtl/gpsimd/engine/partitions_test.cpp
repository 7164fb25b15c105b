// The existing partitions of GpSimd cores: two whole cores, or one with half of its partitions.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/common/riscv/encode.hpp"
#include "tests/rtl/gpsimd/engine/engine_bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t All = (1 << Cores) - 1, Boot = TRNSIM_CODE_BASE, Heap = TRNSIM_HEAP_BASE;
constexpr std::uint32_t Load = 0x03, Store = 0x23, Jump = 0xffdff06f;  // it goes back one instruction

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

// Rows that SBUF does not have and partitions that do not exist read as 0 and are not written.
TEST(GpsimdEnginePartitions, EndWhereSbufDoes) {
    constexpr std::uint32_t Rows = SbufBytes / 4, T0 = 5, T1 = 6, T2 = 7, T3 = 28;
    const auto lw = [](std::uint32_t rd, std::uint32_t base, std::uint32_t at) {
        return encode::i_type(Load, 2, rd, base, at);
    };
    const auto sw = [](std::uint32_t base, std::uint32_t value, std::uint32_t at) {
        return encode::s_type(Store, 2, base, value, at);
    };
    const std::vector<std::uint32_t> program{
        encode::addi(T1, 0, 0x5a),
        encode::lui(T3, Heap),
        encode::lui(T0, TRNSIM_SLICE_BASE + 64 * Rows),
        sw(T0, T1, 0),
        lw(T2, T0, 0),
        sw(T3, T2, 0),
        encode::addi(T0, T0, static_cast<std::uint32_t>(-64)),
        sw(T0, T1, 0),
        lw(T2, T0, 0),
        sw(T3, T2, 4),
        encode::lui(T0, TRNSIM_SLICE_BASE),
        sw(T0, T1, 4 * 7),
        lw(T2, T0, 4 * 7),
        sw(T3, T2, 8),
        sw(T0, T1, 4 * 8),
        lw(T2, T0, 4 * 8),
        sw(T3, T2, 12),
        encode::Wfi,
        Jump,
    };
    EngineBench on;
    std::vector<std::uint8_t> zeros(SbufBytes);
    for (std::uint32_t p = 0; p < Lanes; ++p) on.write(on.sbuf(p, 0), zeros);
    for (std::uint32_t core = 0; core < Cores; ++core)
        on.write32(on.tcm(core, TRNSIM_MAILBOX_BASE), firmware::MailboxMagic);
    on.load(program, Boot);
    ASSERT_TRUE(on.run(gpsimd::start(All, Boot)));
    for (std::uint32_t core = 0; core < Cores; ++core) {
        const auto seen = words_of(on.read(on.tcm(core, Heap), 16));
        const std::uint32_t ninth = CoreLanes * core + 8 < Lanes ? 0x5a : 0;
        EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 0x5a, 0x5a, ninth})) << "core " << core;
    }
    for (std::uint32_t p = 0; p < Lanes; ++p) {
        const bool first = p % CoreLanes == 7 || p % CoreLanes == 8, last = p % CoreLanes == 0;
        EXPECT_EQ(on.read32(on.sbuf(p, 0)), first ? 0x5au : 0u) << p;
        EXPECT_EQ(on.read32(on.sbuf(p, SbufBytes - 4)), last ? 0x5au : 0u) << p;
    }
    EXPECT_EQ(on.model().unwritten_o, 0u);
}

}  // namespace
}  // namespace trnsim::test
