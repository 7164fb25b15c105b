// Instructions that compute mean and variance in one pass.
#include <array>

#include "arch/numerics/arithmetic.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

using numerics::add;
using numerics::multiply;
using numerics::subtract;

namespace {

struct Statistics {
    float count = 0, mean = 0, m2 = 0;  // m2: sum of squared distances from the mean

    void take(float x) {
        count += 1;
        const float d = subtract(x, mean);
        mean = add(mean, multiply(d, numerics::reciprocal(count)));
        m2 = add(m2, multiply(d, subtract(x, mean)));
    }
    void merge(const Statistics& b) {
        const float total = add(count, b.count);
        const float w = total == 0 ? 0.0f : multiply(b.count, numerics::reciprocal(total));
        const float d = subtract(b.mean, mean);
        m2 = add(add(m2, b.m2), multiply(multiply(d, count), multiply(d, w)));
        mean = add(mean, multiply(d, w));
        count = total;
    }
    float variance() const { return count == 0 ? 0.0f : multiply(m2, numerics::reciprocal(count)); }
};

}  // namespace

void bn_stats(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        std::array<Statistics, 2> halves;
        const Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < values.size(); ++i) halves[i % 2].take(values[i]);
        const auto& [even, odd] = halves;
        work.put(row, {even.count, even.mean, even.m2, odd.count, odd.mean, odd.m2});
    }
}

void bn_aggr(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const Values values = work.values(work.a, row);
        Statistics all{values[0], values[1], values[2]};
        for (std::size_t i = 3; i < values.size(); i += 3)
            all.merge({values[i], values[i + 1], values[i + 2]});
        work.put(row, {all.mean, all.variance()});
    }
}

}  // namespace trnsim::functional
