#include "testbench/parity/comparable.hpp"

#include <algorithm>
#include <array>

#include "arch/numerics/format.hpp"

namespace trnsim::parity {
namespace {

constexpr std::array<std::uint32_t, 4> Counters{0xb00, 0xb02, 0xb80,
                                                0xb82};  // mcycle, minstret and their upper halves

}  // namespace

checkpoint::CoreState comparable(checkpoint::CoreState core) {
    core.sbuf_written.clear();
    core.psum_written.clear();
    core.numeric = {.engines = core.numeric.engines};  // the order of the engines depends on the timing
    for (checkpoint::GpsimdCoreState& gpsimd : core.gpsimd.cores) {
        for (std::size_t i = 0; i < gpsimd.csrs.size(); ++i)
            if (std::ranges::find(Counters, checkpoint::GpsimdCsrs[i]) != Counters.end()) gpsimd.csrs[i] = 0;
    }
    // Keeps the values that the accumulators read as; their other bits may differ between models.
    for (checkpoint::LaneEngineState* engine : {&core.vector, &core.scalar}) {
        for (std::uint32_t& word : engine->accumulators)
            word = numerics::bits_of(numerics::to_fp32(word, isa::Dtype::Fp32));
    }
    return core;
}

}  // namespace trnsim::parity
