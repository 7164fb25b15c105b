// The core and the fast core's model of it, edge by edge, with random programs.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "model/core/fast/gpsimd_core.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/cosimulation.hpp"
#include "tests/rtl/gpsimd/core_bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint32_t Partitions = 16, PartitionBytes = SliceBytes / Partitions;
constexpr std::uint64_t MostEdges = 2'000'000;

class Pair {
  public:
    Pair(const Program& program, std::uint64_t seed, bool stalls)
        : rtl_(seed, stalls, true), slice_(SliceBytes), fast_(Vlen, 0, slice()) {
        rtl_.load(program.words);
        fast_.write_tcm(0, {reinterpret_cast<const std::uint8_t*>(program.words.data()),
                            program.words.size() * sizeof(std::uint32_t)});
        rtl_.start(TcmBase);
    }

    // Runs until the core waits; returns the first difference.
    std::string run() {
        for (std::uint64_t edge = 0; edge < MostEdges; ++edge) {
            rtl_.step();
            const Vgpsimd_tb& model = rtl_.model();
            const tlm::core_fast::GpsimdCore::In in{.run = true,
                                                    .boot = TcmBase,
                                                    .slice_ready = model.read_ready_i != 0,
                                                    .slice_answers = model.read_rvalid_i != 0};
            if (fast_.needs_edge(in)) fast_.edge(in);
            const std::string expected = text(model.pc_o, model.waiting_o, model.trapped_o,
                                              model.read_valid_o, model.write_valid_o, model.awake_o);
            const std::string got = text(fast_.pc(), fast_.waiting(), fast_.trapped(), fast_.reads_slice(),
                                         fast_.writes_slice(), fast_.awake());
            if (got != expected)
                return "edge " + std::to_string(edge) + ": " + got + ", expected " + expected;
            if (model.waiting_o != 0 && model.awake_o == 0) return compare_memories();
        }
        return "the core does not come to its end";
    }

  private:
    rv32::Slice slice() {
        return {.data = slice_.data(), .partition_bytes = PartitionBytes, .partitions = Partitions};
    }
    static std::string text(std::uint32_t pc, bool waiting, bool trapped, bool reads, bool writes,
                            bool awake) {
        std::string text = "pc 0x" + hex(pc);
        if (waiting) text += " waiting";
        if (trapped) text += " trapped";
        if (reads) text += " reads";
        if (writes) text += " writes";
        return text + (awake ? " awake" : "");
    }
    std::string compare_memories() {
        const std::vector<std::uint32_t> tcm = rtl_.read_tcm();
        if (std::memcmp(tcm.data(), fast_.tcm().data(), fast_.tcm().size()) != 0) return "the TCM differs";
        for (std::uint32_t word = 0; word < SliceBytes / 4; ++word) {
            const std::size_t place = std::size_t{word % Partitions} * PartitionBytes + word / Partitions * 4;
            if (std::memcmp(&rtl_.slice()[word], &slice_[place], 4) != 0)
                return "word " + std::to_string(word) + " of the slice differs";
        }
        return {};
    }

    CoreBench rtl_;
    std::vector<std::uint8_t> slice_;
    tlm::core_fast::GpsimdCore fast_;
};

TEST(GpsimdLockstep, RandomPrograms) {
    constexpr std::array Mixes{
        mixes::Integer,      mixes::FloatingPoint, mixes::VectorInteger, mixes::VectorFloatingPoint,
        mixes::VectorMemory, mixes::Segments,      mixes::Everything,    mixes::Streams,
        mixes::Streams};
    for (std::uint64_t round = 0; round < scale(); ++round) {
        for (std::size_t kind = 0; kind < Mixes.size(); ++kind) {
            const std::uint64_t program_seed = seed() * 1'000'003 + round * 101 + kind;
            std::mt19937_64 generator(program_seed);
            const Program program = random_program(generator, Mixes[kind], 500 + generator() % 2000, Vlen);
            const bool stalls = generator() % 2 != 0;
            SCOPED_TRACE("seed " + std::to_string(program_seed) + ", mix " + std::to_string(kind));
            ASSERT_EQ(Pair(program, program_seed, stalls).run(), "");
        }
    }
}

}  // namespace
}  // namespace trnsim::test
