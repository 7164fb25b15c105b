// Random programs with all functions, types, shapes, places, reductions, roundings and grants.
#include <gtest/gtest.h>

#include "testbench/random_programs/scalar_kinds.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/lanes/block_geometry.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {
namespace {

void run_programs(const Geometry& geometry, std::uint64_t count) {
    std::mt19937_64 random = generator();
    for (std::uint64_t k = 0; k < count; ++k) {
        ScalarBench bench;
        ScalarModel model;
        LaneGenerator generate(scalar_kinds(), geometry, random);
        for (const Area& buffer : geometry.buffers)
            fill(bench.memories.of(buffer.psum), buffer.offset, buffer.bytes, random);
        model.memories = bench.memories;
        const auto seed = static_cast<std::uint32_t>(random());
        const bool enable = random() % 2 == 0;
        bench.seed(seed);
        bench.sr_enable(enable);
        model.seed(seed);
        model.sr_enable = enable;
        std::vector<isa::Instruction> program{any_table_load(generate)};
        while (program.size() < 20) program.push_back(generate.instruction());
        for (const isa::Instruction& i : program) model.execute(i);
        const unsigned grants[] = {256, 256, 200, 60};
        bench.run(program, {grants[random() % 4], random() % 2 == 0 ? 256u : 20u}, random);
        const auto difference = first_difference(bench.memories, model.memories);
        ASSERT_FALSE(difference) << "program " << k << ": " << *difference;
    }
}

TEST(ScalarRandom, MatchesModel) {
    run_programs(block_geometry(), 100 * scale());
}

// Operands are as far apart as a partition is long.
TEST(ScalarRandom, MatchesModelInTheWholeMemory) {
    run_programs(whole_geometry(), 4 * scale());
}

}  // namespace
}  // namespace trnsim::test
