// The fixture of the directed tests.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/common/random.hpp"
#include "tests/rtl/vector/vector_bench.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"
#include "tests/rtl/vector/vector_reference.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {

// Runs programs on the engine and on the reference, over areas at both ends of SBUF and the whole of PSUM.
class VectorFixture : public ::testing::Test {
  protected:
    VectorFixture() {
        for (const Area& area : Areas) fill(bench_.memories.of(area.psum), area.offset, area.bytes, random_);
        reference_.load(bench_.memories);
    }

    void add(const isa::Instruction& instruction) { program_.push_back(instruction); }

    // Runs the added instructions and compares the memories.
    RunResult run(World world = {}) {
        const RunResult result = bench_.run(program_, world, random_);
        for (const isa::Instruction& instruction : program_) reference_.execute(instruction);
        program_.clear();
        if (const auto difference = reference_.difference(bench_.memories)) ADD_FAILURE() << *difference;
        return result;
    }

    static inline const std::vector<Area> Areas{{false, 0, 16384},
                                                {false, 65536 - 16, 16},
                                                {false, 131072 - 16, 16},
                                                {false, SbufBytes - 16384, 16384},
                                                {true, 0, PsumBytes}};
    std::mt19937_64 random_ = generator();
    VectorBench bench_;
    Reference reference_{Areas};
    std::vector<isa::Instruction> program_;
};

// Returns a, b and dst in SBUF with n elements of fp32.
inline Tensors tensors(unsigned n) {
    Tensors t;
    t.count = {n, 1, 1, 1};
    t.a.offset = 0;
    t.b.offset = 2048;
    t.dst.offset = 4096;
    return t;
}

}  // namespace trnsim::test
