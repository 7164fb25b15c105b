// Instructions that draw random numbers.
#include <cmath>
#include <cstring>
#include <memory>

#include "model/values/vector_engine.hpp"

namespace trnsim::fast {
namespace {

struct alignas(kernels::Padding) Buffers {
    std::array<std::uint32_t, kernels::ChunkElements * kernels::Lanes> draws;
    Row values;
    BitRow bits;
    std::array<std::uint8_t, 4 * kernels::ChunkElements + kernels::Padding> elements;
};

// Returns the threshold: draws below it happen with `probability`; 2^32 is always.
std::uint64_t threshold(float probability) {
    if (!(probability > 0)) return 0;
    if (probability >= 1) return std::uint64_t{1} << 32;
    return static_cast<std::uint64_t>(std::ldexp(static_cast<double>(probability), 32));
}

}  // namespace

void dropout(LaneRun& run, LaneGenerators& random) {
    const Operation& o = run.operation;
    const auto buffers = std::make_unique<Buffers>();
    if (o.raw_copy()) run.write_raw();
    run.each_group([&](const Group& group) {
        random.draw(group.first, group.rows, buffers->draws.data(), group.count);
        run.prepare_draws(group.first, group.rows, group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            const std::uint32_t row = group.first + k;
            const std::uint64_t limit = threshold(run.imm0(row));
            const std::uint32_t* draws = buffers->draws.data() + k;
            if (!o.raw_copy()) {
                run.a->widen(row, buffers->values.data());
                for (std::size_t i = 0; i < group.count; ++i)
                    buffers->values[i] = draws[i * kernels::Lanes] < limit ? 0.0F : buffers->values[i];
                run.put(row, buffers->values.data());
                continue;
            }
            run.a->bits(row, buffers->bits.data());
            for (std::size_t i = 0; i < group.count; ++i)
                buffers->bits[i] = draws[i * kernels::Lanes] < limit ? 0 : buffers->bits[i];
            kernels::narrow_bits(o.dst.size, buffers->bits.data(), buffers->elements.data(), group.count);
            run.put(row, buffers->elements.data());
        }
    });
}

void rng(LaneRun& run, LaneGenerators& random) {
    const auto buffers = std::make_unique<Buffers>();
    run.each_group([&](const Group& group) {
        random.draw(group.first, group.rows, buffers->draws.data(), group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            for (std::size_t i = 0; i < group.count; ++i)
                buffers->bits[i] = buffers->draws[i * kernels::Lanes + k];
            kernels::narrow_bits(run.operation.dst.size, buffers->bits.data(), buffers->elements.data(),
                                 group.count);
            run.put(group.first + k, buffers->elements.data());
        }
    });
}

void set_rng_seed(const Operation& operation, const Memories& memories, LaneGenerators& random) {
    std::uint32_t seed = 0;
    std::memcpy(&seed, memories.byte(operation.a.row(0)), sizeof seed);
    random.seed(seed);
}

}  // namespace trnsim::fast
