// The units of bn_stats and bn_aggr: random operations of both in turn compared with a plain computation of
// each, with pauses, at full rate, and after a reset in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "Vvector_units.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "tests/arch/numerics/operands.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {
namespace {

using numerics::add;
using numerics::bits_of;
using numerics::float_of;
using numerics::multiply;
using numerics::subtract;
using Word = std::uint32_t;
using LanesRow = std::array<Word, Lanes>;
using Rows = std::vector<LanesRow>;

// The values are those of vector_pkg.
enum class Unit { Stats = 1, Aggr = 2 };

struct Operation {
    Unit unit = Unit::Stats;
    Rows elements;
    std::size_t results() const { return unit == Unit::Stats ? 6 : 2; }
};

// The result is 0 if the divisor is a zero (a subnormal is one).
float divide(float a, float n) {
    return add(n, 0) == 0 ? 0.0F : multiply(a, numerics::reciprocal(n));
}

std::vector<Word> statistics(const std::vector<Word>& elements) {
    std::array<float, 2> count{}, mean{}, m2{};
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::size_t half = i % 2;
        const float x = float_of(elements[i]);
        count[half] += 1;
        const float delta = subtract(x, mean[half]);
        mean[half] = add(mean[half], multiply(delta, numerics::reciprocal(count[half])));
        m2[half] = add(m2[half], multiply(delta, subtract(x, mean[half])));
    }
    std::vector<Word> results;
    for (std::size_t half = 0; half < 2; ++half) {
        for (const float value : {count[half], mean[half], m2[half]}) results.push_back(bits_of(value));
    }
    return results;
}

// The result of a single triple is its count, mean and m2 unchanged.
std::vector<Word> aggregate(const std::vector<Word>& elements) {
    float n = float_of(elements[0]), mean = float_of(elements[1]), m2 = float_of(elements[2]);
    Word mean_bits = elements[1];
    for (std::size_t i = 3; i < elements.size(); i += 3) {
        const float n_a = n, n_b = float_of(elements[i]);
        const float delta = subtract(float_of(elements[i + 1]), mean);
        n = add(n_a, n_b);
        const float part = multiply(delta, divide(n_b, n));
        mean = add(mean, part);
        m2 = add(add(m2, float_of(elements[i + 2])), multiply(multiply(delta, n_a), part));
        mean_bits = bits_of(mean);
    }
    return {mean_bits, bits_of(divide(m2, n))};
}

class VectorStatistics : public testing::Test {
  protected:
    VectorStatistics() { reset(); }

    void reset() {
        top_->rst_ni = 1;
        top_->eval();
        top_->rst_ni = 0;
        top_->element_i = top_->take_i = 0;
        edge();
        top_->rst_ni = 1;
        edge();
    }

    // Runs operations one after the other, at most `cycles`. `pace` is the chance in 256 that an element is
    // offered or a result taken. Results are compared as they are taken.
    void run(const std::vector<Operation>& operations, unsigned pace, std::uint64_t cycles = 1'000'000) {
        std::size_t entering = 0, element = 0, leaving = 0, result = 0;
        finished_.clear();
        for (cycles_ = 0; leaving < operations.size() && cycles_ < cycles; ++cycles_) {
            const bool offers = entering < operations.size() && random_() % 256 < pace;
            top_->element_i = top_->take_i = 0;
            if (offers) offer(operations[entering], element);
            top_->result_unit_i = static_cast<std::uint8_t>(operations[leaving].unit);
            top_->clk_i = 0;
            top_->eval();
            // Results of an operation are due once its first element has entered.
            const bool takes =
                top_->valid_o && random_() % 256 < pace && (leaving < entering || element != 0);
            const bool enters = offers && top_->ready_o;
            top_->take_i = takes;
            top_->element_i = enters;
            top_->eval();
            if (takes) {
                ASSERT_NO_FATAL_FAILURE(check(operations[leaving], result)) << "operation " << leaving;
                if (++result == operations[leaving].results()) {
                    result = 0;
                    ++leaving;
                    finished_.push_back(cycles_);
                }
            }
            top_->clk_i = 1;
            top_->eval();
            if (enters && ++element == operations[entering].elements.size()) {
                element = 0;
                ++entering;
            }
        }
    }

    void offer(const Operation& operation, std::size_t element) {
        top_->unit_i = static_cast<std::uint8_t>(operation.unit);
        top_->first_i = element == 0;
        top_->last_i = element + 1 == operation.elements.size();
        std::ranges::copy(operation.elements[element], &top_->x_i[0]);
    }

    void check(const Operation& operation, std::size_t result) {
        for (std::size_t k = 0; k < Lanes; ++k) {
            std::vector<Word> lane;
            for (const LanesRow& row : operation.elements) lane.push_back(row[k]);
            const Word expected =
                operation.unit == Unit::Stats ? statistics(lane)[result] : aggregate(lane)[result];
            ASSERT_EQ(top_->result_o[k], expected)
                << "unit " << static_cast<int>(operation.unit) << ", " << lane.size() << " elements, result "
                << result << ", lane " << k;
        }
    }

    Operation any(Unit unit, std::size_t elements) {
        Operation operation{unit, Rows(elements)};
        OperandSource source(random_);
        const bool corners = random_() % 4 == 0;
        for (std::size_t i = 0; i < elements; ++i) {
            for (Word& word : operation.elements[i]) {
                if (corners)
                    word = source.any();
                else if (unit == Unit::Aggr && i % 3 == 0)
                    word = bits_of(static_cast<float>(random_() % 4));
                else
                    word = bits_of(static_cast<float>(static_cast<std::int64_t>(random_()) >> 40) / 65536.0F);
                // Values come widened: there is no subnormal and only one NaN.
                word = bits_of(numerics::to_fp32(word, numerics::Format::Fp32));
            }
        }
        return operation;
    }
    Operation any() {
        return random_() % 2 ? any(Unit::Stats, 1 + random_() % 9) : any(Unit::Aggr, 3 * (1 + random_() % 4));
    }

    void edge() {
        top_->clk_i = 0;
        top_->eval();
        top_->clk_i = 1;
        top_->eval();
    }

    std::unique_ptr<Vvector_units> top_ = std::make_unique<Model<Vvector_units>>();
    std::mt19937_64 random_ = generator();
    std::vector<std::uint64_t> finished_;
    std::uint64_t cycles_ = 0;
};

TEST_F(VectorStatistics, OperationsInTurnWithPauses) {
    for (std::uint64_t round = 0; round < 20 * scale(); ++round) {
        std::vector<Operation> operations(20);
        std::ranges::generate(operations, [&] { return any(); });
        ASSERT_NO_FATAL_FAILURE(run(operations, round % 2 ? 256 : 20 + random_() % 236));
        ASSERT_EQ(finished_.size(), operations.size());
    }
}

// The halves have every length, so all shares are used.
TEST_F(VectorStatistics, EveryNumberOfElements) {
    for (std::size_t n : {1u, 2u, 3u, 4u, 255u, 256u, 257u, 511u, 512u})
        ASSERT_NO_FATAL_FAILURE(run({any(Unit::Stats, n), any(Unit::Stats, 2)}, 256));
}

// An element a cycle is taken, and results come five cycles after the last one; the next operation's elements
// enter meanwhile.
TEST_F(VectorStatistics, StatisticsTakeAnElementACycle) {
    run(std::vector<Operation>(6, any(Unit::Stats, 101)), 256);
    for (std::size_t k = 0; k < finished_.size(); ++k) EXPECT_EQ(finished_[k], 101 * (k + 1) - 1 + 5 + 5);
}

// A triple takes 13 cycles, and results come 15 cycles after its beginning; the next operation enters
// meanwhile.
TEST_F(VectorStatistics, AggregationTakes13CyclesATriple) {
    run(std::vector<Operation>(6, any(Unit::Aggr, 12)), 256);
    for (std::size_t k = 0; k < finished_.size(); ++k) EXPECT_EQ(finished_[k], 13 * (4 * k + 3) + 15 + 1);
}

TEST_F(VectorStatistics, ResetInTheMiddle) {
    for (std::uint64_t cycle = 1; cycle < 60; ++cycle) {
        ASSERT_NO_FATAL_FAILURE(
            run({any(Unit::Stats, 7), any(Unit::Aggr, 6), any(Unit::Stats, 4)}, 256, cycle));
        reset();
        EXPECT_FALSE(top_->valid_o);
        ASSERT_NO_FATAL_FAILURE(run({any(Unit::Aggr, 9), any(Unit::Stats, 5)}, 256));
        ASSERT_EQ(finished_.size(), 2u);
    }
}

}  // namespace
}  // namespace trnsim::test
