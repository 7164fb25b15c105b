// Instructions with operands that overlap or nearly do, made by the builder and field by field.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "arch/numerics/format.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"

namespace trnsim::test {

using builder::KernelBuilder;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;
using isa::Instruction;
using random_programs::Counts;
using random_programs::RandomOperand;
using random_programs::Tensors;

constexpr std::uint32_t Area = 2048;  // part of each partition that holds operands, in bytes
constexpr unsigned Reduced = 2;       // number of axes of reductions

inline const target::Core& overlap_target() {
    static const target::Core trn1 = trn1_target();
    return trn1;
}

enum class Result : std::uint8_t { Elements, Reduced, Fixed, Turned };

// An instruction, made by the builder and field by field.
struct Form {
    std::function<void(KernelBuilder&, const Tile& dst, const Tile& a, const Tile& b)> build;
    std::function<Instruction(const Tensors&)> make;
    bool two = false;        // there are two sources
    bool same_type = false;  // dst and its source have the same type
    Result result = Result::Elements;
    unsigned fixed = 0, fixed_b = 0;  // element counts that the shape does not give
    unsigned multiple = 1;            // count0 is a multiple of it
    int engine = 1;
};

inline const std::vector<Form>& forms() {
    namespace rp = random_programs;
    using K = KernelBuilder;
    using T = Tensors;
    const auto add = AluOp::Add;
    static const std::vector<Form> all{
        {[](K& k, auto& d, auto& a, auto&) { k.tensor_copy(d, a); },
         [](const T& t) { return rp::tensor_copy(t); }},
        {[](K& k, auto& d, auto& a, auto&) { k.tensor_copy(d, a, {.engine = isa::Engine::Scalar}); },
         [](const T& t) { return rp::tensor_copy(t); }, false, false, Result::Elements, 0, 0, 1, 2},
        {[](K& k, auto& d, auto& a, auto&) { k.activation(d, a, isa::Activation::Copy); },
         [](const T& t) { return rp::activate(t, {}); }, false, false, Result::Elements, 0, 0, 1, 2},
        {[=](K& k, auto& d, auto& a, auto& b) { k.tensor_tensor(d, a, add, b); },
         [=](const T& t) { return rp::tensor_tensor(t, {add}); }, true},
        {[=](K& k, auto& d, auto& a, auto& b) {
             k.scalar_tensor_tensor(d, a, {add, 1.0f}, add, b);
         },
         [=](const T& t) { return rp::scalar_tensor_tensor(t, {add}, {0x3f800000}, {add}); }, true},
        {[=](K& k, auto& d, auto& a, auto& b) { k.tensor_tensor_scan(d, a, add, add, b, {.initial = 1.0f}); },
         [=](const T& t) { return rp::tensor_tensor_scan(t, {add}, {add}, {0x3f800000}); }, true},
        {[](K& k, auto& d, auto& a, auto& b) { k.tensor_copy_predicated(d, a, b); },
         [](const T& t) { return rp::tensor_copy_predicated(t, false); }, true, true},
        {[](K& k, auto& d, auto& a, auto& b) {
             k.select_reduce(d, a, b, 1.0f, {.reduce = isa::ReduceCmd::Idle});
         },
         [](const T& t) { return rp::select_reduce(t, {0x3f800000}, isa::ReduceCmd::Idle, false); }, true},
        {[=](K& k, auto& d, auto& a, auto&) { k.tensor_reduce(d, a, add, {.axes = Reduced}); },
         [=](const T& t) { return rp::tensor_reduce(t, add, Reduced, false); }, false, false,
         Result::Reduced},
        {[](K& k, auto& d, auto& a, auto&) { k.reciprocal(d, a); },
         [](const T& t) { return rp::reciprocal(t); }},
        {[](K& k, auto& d, auto& a, auto&) { k.dropout(d, a, 0.5f); },
         [](const T& t) { return rp::dropout(t, {0x3f000000}); }},
        {[](K& k, auto& d, auto& a, auto&) { k.bn_stats(d, a); }, [](const T& t) { return rp::bn_stats(t); },
         false, false, Result::Fixed, 6},
        {[](K& k, auto& d, auto& a, auto&) { k.bn_aggr(d, a); }, [](const T& t) { return rp::bn_aggr(t); },
         false, false, Result::Fixed, 2, 0, 3},
        {[](K& k, auto& d, auto& a, auto&) { k.max8(d, a); }, [](const T& t) { return rp::max8(t); }, false,
         false, Result::Fixed, 8, 0, 8},
        {[](K& k, auto& d, auto& a, auto& b) { k.match_replace8(d, a, b, 1.0f); },
         [](const T& t) { return rp::match_replace8(t, {0x3f800000}); }, true, false, Result::Elements, 0, 8},
        {[](K& k, auto& d, auto& a, auto&) { k.stream_shuffle(d, a); },
         [](const T& t) { return rp::stream_shuffle(t); }, false, true},
        {[](K& k, auto& d, auto& a, auto&) { k.transpose_block(d, a); },
         [](const T& t) { return rp::transpose_block(t); }, false, true, Result::Elements, 0, 0, 32},
        {[](K& k, auto& d, auto& a, auto&) { k.transpose_block(d, a); },
         [](const T& t) { return rp::transpose_block(t); }, false, true, Result::Turned},
    };
    return all;
}

class Generator {
  public:
    explicit Generator(std::mt19937_64& random) : random_(random) {}

    // Returns operands of a form: the destination is in place, near a source, or has another pattern.
    Tensors tensors(const Form& form) {
        Tensors t;
        t.partitions = form.result == Result::Turned ? 1 + pick(4) : 32;
        do {
            for (unsigned& count : t.count) count = 1 + pick(4);
            t.count[0] =
                form.multiple == 32 ? 32 : (t.count[0] + form.multiple - 1) / form.multiple * form.multiple;
        } while (form.result == Result::Turned && elements(t.count) > 31);
        t.a.dtype = any();
        t.dst.dtype = form.same_type && !form.two ? t.a.dtype : pick(3) ? t.a.dtype : any();
        t.b.dtype = form.same_type ? t.dst.dtype : pick(3) ? t.a.dtype : any();
        while (!place(t.count, t.a)) {
        }
        const Counts b_count = form.fixed_b != 0 ? Counts{form.fixed_b, 1, 1, 1} : t.count;
        while (!near(t.a, b_count, t.b)) {
        }
        const Counts count = result(form, t);
        while (!near(form.two && pick(2) ? t.b : t.a, count, t.dst)) {
        }
        return t;
    }

    static Counts result(const Form& form, const Tensors& t) {
        Counts count = t.count;
        if (form.result == Result::Reduced) std::fill_n(count.begin(), Reduced, 1);
        if (form.result == Result::Fixed) count = {form.fixed, 1, 1, 1};
        if (form.result == Result::Turned) count = {t.partitions, 1, 1, 1};
        return count;
    }
    static unsigned elements(const Counts& count) { return count[0] * count[1] * count[2] * count[3]; }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    Dtype any() { return std::array{Dtype::U8, Dtype::U16, Dtype::U32}[pick(3)]; }

    // Chooses steps from dense to spread, in any order of the dimensions, at a random place; returns false if
    // they do not fit.
    bool place(const Counts& count, RandomOperand& operand) {
        std::array<unsigned, 4> order{0, 1, 2, 3};
        if (pick(3) == 0) std::ranges::shuffle(order, random_);
        int step = 1 + static_cast<int>(pick(3));
        for (const unsigned d : order) {
            operand.step[d] = pick(5) ? step : static_cast<int>(pick(9)) - 4;
            if (pick(6) == 0) operand.step[d] = -operand.step[d];
            step = step * static_cast<int>(count[d]) + static_cast<int>(pick(8) == 0 ? pick(8) : 0);
        }
        const int bytes = numerics::storage_bytes(operand.dtype);
        operand.offset = pick(Area / 4) / 4 * 4 + pick(4) / bytes * bytes;
        return fits(count, operand);
    }

    // Chooses the same pattern at the same place or some elements off, the pattern backwards, or another
    // pattern.
    bool near(const RandomOperand& other, const Counts& count, RandomOperand& operand) {
        const Dtype dtype = operand.dtype;
        const unsigned bytes = numerics::storage_bytes(dtype), choice = pick(8);
        if (choice == 0) return place(count, operand);
        operand = other;
        operand.dtype = dtype;
        operand.offset = operand.offset / bytes * bytes;
        if (choice == 1) operand.step[pick(4)] += 1;
        if (choice == 2) operand.psum = true;
        if (choice == 3) operand.partition = 32;
        if (choice > 4) operand.offset += bytes * (pick(2) ? pick(8) : pick(200));
        if (choice == 4) {
            operand.offset += bytes * static_cast<unsigned>(operand.step[0]) * (count[0] - 1);
            operand.step[0] = -operand.step[0];
        }
        return fits(count, operand);
    }

    bool fits(const Counts& count, const RandomOperand& operand) {
        const int bytes = numerics::storage_bytes(operand.dtype);
        int low = static_cast<int>(operand.offset), high = low + bytes;
        for (unsigned d = 0; d < 4; ++d) {
            const int reach = operand.step[d] * static_cast<int>(count[d] - 1) * bytes;
            (reach < 0 ? low : high) += reach;
        }
        return low >= 0 && high <= static_cast<int>(Area);
    }

    std::mt19937_64& random_;
};

}  // namespace trnsim::test
