// Instructions that draw random numbers.
#include <cmath>

#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

// A draw below it happens with `probability`; 2^32 is above every draw.
std::uint64_t threshold(float probability) {
    if (!(probability > 0)) return 0;
    if (probability >= 1) return std::uint64_t{1} << 32;
    return static_cast<std::uint64_t>(std::ldexp(static_cast<double>(probability), 32));
}

}  // namespace

void dropout(LaneExecution& work) {
    const bool raw = work.a.dtype == work.dst.dtype;
    const isa::Dtype type = work.immediate_type(field::Imm0Dtype);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const std::uint64_t limit = threshold(work.immediate(field::Imm0, field::Imm0Vector, row, type));
        Bits bits = work.bits(work.a, row);
        Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < bits.size(); ++i) {
            if (work.state.random[row].draw() >= limit) continue;
            bits[i] = 0;
            values[i] = 0;
        }
        if (raw) {
            work.put_bits(row, bits);
        } else {
            work.put(row, values);
        }
    }
}

void rng(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Bits bits(work.dst.offsets.size());
        for (std::uint32_t& word : bits) word = work.state.random[row].draw();
        work.put_bits(row, bits);
    }
}

void set_rng_seed(LaneExecution& work) {
    work.state.random = numerics::generators(numerics::Stream::VectorRandom, work.state.random.size(),
                                             work.bits(work.a, 0)[0]);
}

}  // namespace trnsim::functional
