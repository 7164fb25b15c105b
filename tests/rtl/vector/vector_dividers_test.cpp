// Reciprocals of a stage: values compared with the host, order and rate of elements while results wait,
// reset.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <vector>

#include "Vvector_dividers.h"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "tests/arch/numerics/operands.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {
namespace {

using numerics::bits_of;
using numerics::float_of;
using Word = std::uint32_t;
using LanesRow = std::array<Word, Lanes>;

constexpr unsigned Dividers = 8;
constexpr unsigned Latency = 9;  // cycles from an element to its result

// The order is that of vector_pkg.
enum class Second { Immediate, Tensor, Result };

struct Element {
    LanesRow x{}, tensor{}, last{};
    std::array<LanesRow, 2> immediates{};
    bool reverse = false;
    Second second = Second::Immediate;
    unsigned bank = 0;
    bool keep = true;
    unsigned mark = 0;  // identifies an element: the bits of the slot without bank

    const LanesRow& divisor() const {
        if (!reverse) return x;
        if (second == Second::Tensor) return tensor;
        return second == Second::Result ? last : immediates[bank];
    }
};

class VectorDividers : public testing::Test {
  protected:
    VectorDividers() { reset(); }

    void reset() {
        top_->rst_ni = 1;
        top_->eval();
        top_->rst_ni = 0;
        top_->start_i = top_->take_i = 0;
        low();
        high();
        top_->rst_ni = 1;
        low();
        EXPECT_TRUE(top_->empty_o);
        EXPECT_TRUE(top_->ready_o);
        EXPECT_FALSE(top_->valid_o);
    }

    void offer(const Element& e) {
        top_->slot_i = static_cast<std::uint8_t>(0x20 | e.bank << 4 | e.mark % 16);
        top_->reverse_i = e.reverse;
        top_->second_i = static_cast<std::uint8_t>(e.second);
        top_->keep_i = e.keep;
        for (std::size_t k = 0; k < Lanes; ++k) {
            top_->x_i[k] = e.x[k];
            top_->tensor_i[k] = e.tensor[k];
            top_->last_i[k] = e.last[k];
            for (std::size_t bank = 0; bank < 2; ++bank) top_->imm_i[bank][k] = e.immediates[bank][k];
        }
    }

    // Makes one cycle: the oldest result is taken if `takes`, and the element enters if it is offered and
    // there is room.
    bool cycle(const Element* element, bool takes) {
        top_->start_i = 0;
        low();
        top_->take_i = takes && top_->valid_o;
        low();
        const bool enters = element != nullptr && top_->ready_o;
        if (enters) offer(*element);
        top_->start_i = enters;
        low();
        if (top_->take_i) check();
        if (HasFatalFailure()) return false;
        if (enters) waiting_.push_back(*element);
        idle_ = enters || top_->take_i ? 0 : idle_ + 1;
        if (idle_ > 1000) throw std::runtime_error("nothing moves any more");
        high();
        ++cycles_;
        return enters;
    }

    void check() {
        ASSERT_FALSE(waiting_.empty());
        const Element& e = waiting_.front();
        ASSERT_EQ(top_->slot_o, 0x20 | e.bank << 4 | e.mark % 16);
        for (std::size_t k = 0; k < Lanes; ++k) {
            const Word x = e.divisor()[k];
            ASSERT_EQ(top_->result_o[k], bits_of(numerics::reciprocal(float_of(x)))) << std::hex << x;
            if (e.keep) {
                ASSERT_EQ(top_->tensor_o[k], e.tensor[k]);
            }
        }
        waiting_.pop_front();
        ++taken_;
    }

    // Runs all elements one after the other, until all results are taken.
    void run(const std::vector<Element>& elements) {
        for (std::size_t next = 0; next < elements.size() && !HasFatalFailure();)
            next += cycle(&elements[next], true);
        while (!waiting_.empty() && !HasFatalFailure()) cycle(nullptr, true);
    }
    void check_row(const LanesRow& x) {
        Element e;
        e.x = x;
        e.mark = ++mark_;
        while (!cycle(&e, true) && !HasFatalFailure()) {
        }
    }
    void drain() { run({}); }

    Element any(std::mt19937_64& random) {
        OperandSource source(random);
        Element e;
        for (std::size_t k = 0; k < Lanes; ++k) {
            e.x[k] = source.any();
            e.tensor[k] = source.any();
            e.last[k] = source.any();
            e.immediates[0][k] = source.any();
            e.immediates[1][k] = source.any();
        }
        e.reverse = random() % 2;
        e.second = static_cast<Second>(random() % 3);
        e.bank = random() % 2;
        e.keep = random() % 4 != 0;
        e.mark = ++mark_;
        return e;
    }

    void low() {
        top_->clk_i = 0;
        top_->eval();
    }
    void high() {
        top_->clk_i = 1;
        top_->eval();
    }

    std::unique_ptr<Vvector_dividers> top_ = std::make_unique<Model<Vvector_dividers>>();
    std::deque<Element> waiting_;
    std::uint64_t cycles_ = 0, taken_ = 0, idle_ = 0;
    unsigned mark_ = 0;
};

// Tests every significand where results are normal, just normal, or flushed, and where the operand is least.
TEST_F(VectorDividers, EverySignificand) {
    LanesRow x{};
    const Word step = scale() > 1 ? 1 : 61;
    for (const Word exponent : {1u, 127u, 252u, 253u, 254u}) {
        for (Word first = 0; first < 1u << 23; first += Lanes * step) {
            for (Word k = 0; k < Lanes; ++k) {
                const Word fraction = std::min(first + k * step, (1u << 23) - 1);
                x[k] = (fraction & 1) << 31 | exponent << 23 | fraction;
            }
            ASSERT_NO_FATAL_FAILURE(check_row(x));
        }
    }
    drain();
}

// Tests the least, the next, and the greatest significands of every exponent and sign: zeros, subnormals,
// infinities, NaN.
TEST_F(VectorDividers, EveryExponent) {
    constexpr std::array<Word, 4> Fractions{0, 1, 2, 0x7fffff};
    LanesRow x{};
    for (Word first = 0; first < 512 * Fractions.size(); first += Lanes) {
        for (Word k = 0; k < Lanes; ++k) x[k] = (first + k) / 4 << 23 | Fractions[k % Fractions.size()];
        ASSERT_NO_FATAL_FAILURE(check_row(x));
    }
    drain();
}

// The quotients of these significands lie closest to the middle of two values: twice the remainder exceeds
// the significand by 1 and 4, or falls short by 1, 4 and 5.
TEST_F(VectorDividers, NearlyTies) {
    constexpr std::array<Word, 8> Significands{0x869913, 0xf00ff1, 0xffffff, 0xaaaaac,
                                               0xc100c1, 0x8c1284, 0x92abab, 0x94f105};
    LanesRow x{};
    for (std::size_t k = 0; k < Lanes; ++k) {
        x[k] = static_cast<Word>(64 + k) << 23 | (Significands[k % Significands.size()] & 0x7fffff);
    }
    check_row(x);
    drain();
    EXPECT_EQ(taken_, 1u);
}

// Without a limit the dividers take an element and give a result in every cycle. With the limit of the
// package, 2 in 5 cycles, element i of a sequence enters 5 i / 2 cycles after the first one, rounded down, and
// the next sequence follows at the same rate.
TEST_F(VectorDividers, Rate) {
    auto random = generator();
    constexpr std::size_t Sequence = 25, Sequences = 3;
    constexpr unsigned FirstBit = 8;
    std::vector<Element> elements(Sequence * Sequences);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = any(random);
        elements[i].mark = i % Sequence == 0 ? FirstBit : static_cast<unsigned>(i % FirstBit);
    }
    run(elements);
    EXPECT_EQ(cycles_, elements.size() - 1 + Latency + 1);

    top_->limited_i = 1;
    cycles_ = 0;
    run(elements);
    EXPECT_EQ(cycles_, (Sequences - 1) * (Sequence * 5 / 2) + (Sequence - 1) * 5 / 2 + Latency + 1);
}

// Results wait and elements come with pauses, with and without a limit of the rate. There are never more
// elements than dividers and the result register.
TEST_F(VectorDividers, Pauses) {
    auto random = generator();
    for (std::uint64_t round = 0; round < 40 * scale() && !HasFatalFailure(); ++round) {
        const unsigned offered = random() % 257, taken = 1 + random() % 256;
        for (unsigned k = 0; k < 60 && !HasFatalFailure(); ++k) {
            const Element e = any(random);
            top_->limited_i = random() % 2;
            cycle(random() % 256 < offered ? &e : nullptr, random() % 256 < taken);
            EXPECT_LE(waiting_.size(), Dividers + 1);
            EXPECT_EQ(top_->empty_o, waiting_.empty());
        }
    }
    drain();
}

// A reset drops the elements under way; the next ones start anew.
TEST_F(VectorDividers, ResetInTheMiddle) {
    auto random = generator();
    for (unsigned under_way = 1; under_way <= 20; ++under_way) {
        for (unsigned k = 0; k < under_way; ++k) {
            const Element e = any(random);
            cycle(&e, k % 3 == 0);
        }
        reset();
        waiting_.clear();
        std::vector<Element> elements(3);
        std::ranges::generate(elements, [&] { return any(random); });
        cycles_ = 0;
        run(elements);
        ASSERT_EQ(cycles_, elements.size() + Latency);
    }
}

}  // namespace
}  // namespace trnsim::test
