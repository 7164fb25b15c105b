// Streams of random instructions on a few small buffers, so that most of them depend on the ones just before.
// Grants and instructions come and go at random.
#include <gtest/gtest.h>

#include "isa/disassembler.hpp"
#include "testbench/random_programs/vector_kinds.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/lanes/block_geometry.hpp"
#include "tests/rtl/vector/vector_bench.hpp"
#include "tests/rtl/vector/vector_reference.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {
namespace {

TEST(VectorRandom, MatchesReference) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    Reference reference(block_geometry().buffers);
    LaneGenerator generate(vector_kinds(), block_geometry(), random);
    constexpr std::array Worlds{World{256, 256}, World{256, 30}, World{128, 256},
                                World{30, 256},  World{200, 20}, World{240, 240}};
    for (std::uint64_t round = 0; round < 100 * scale(); ++round) {
        for (const Area& buffer : block_geometry().buffers)
            fill(bench.memories.of(buffer.psum), buffer.offset, buffer.bytes, random);
        reference.load(bench.memories);
        if (round % 4 == 0) {
            const auto seed = static_cast<std::uint32_t>(random());
            const bool stochastic = random() % 2 != 0;
            bench.set_rounding(stochastic, seed);
            reference.set_rounding(stochastic, seed);
        }
        std::vector<isa::Instruction> program;
        for (unsigned k = 0; k < 12; ++k) {
            program.push_back(generate.instruction());
            ASSERT_EQ(bench.reject(program.back()), isa::Error::None) << isa::disassemble(program.back());
            reference.execute(program.back());
        }
        bench.run(program, Worlds[round % Worlds.size()], random);
        const std::optional<std::string> difference = reference.difference(bench.memories);
        if (!difference) continue;
        for (const isa::Instruction& instruction : program)
            std::printf("%s\n", isa::disassemble(instruction).c_str());
        FAIL() << "round " << round << ": " << *difference;
    }
    EXPECT_EQ(reference.first_stray(bench.memories), std::nullopt);
}

// Does the same with operands as far apart as a partition is long.
TEST(VectorRandom, MatchesReferenceInTheWholeMemory) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    Reference reference(whole_geometry().buffers);
    LaneGenerator generate(vector_kinds(), whole_geometry(), random);
    for (const Area& buffer : whole_geometry().buffers)
        fill(bench.memories.of(buffer.psum), buffer.offset, buffer.bytes, random);
    reference.load(bench.memories);
    for (std::uint64_t round = 0; round < 12 * scale(); ++round) {
        std::vector<isa::Instruction> program;
        while (program.size() < 20) {
            program.push_back(generate.instruction());
            ASSERT_EQ(bench.reject(program.back()), isa::Error::None) << isa::disassemble(program.back());
            reference.execute(program.back());
        }
        bench.run(program, {round % 2 ? 256u : 200u, 256}, random);
        const std::optional<std::string> difference = reference.difference(bench.memories);
        if (!difference) continue;
        for (const isa::Instruction& instruction : program)
            std::printf("%s\n", isa::disassemble(instruction).c_str());
        FAIL() << "round " << round << ": " << *difference;
    }
}

}  // namespace
}  // namespace trnsim::test
