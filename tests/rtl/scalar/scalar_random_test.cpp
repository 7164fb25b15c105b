// Random programs: functions, types, shapes, places, reductions, roundings, grants.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "common/random.hpp"
#include "testbench/activation/activation.hpp"
#include "testbench/numerics/format.hpp"
#include "tests/rtl/scalar/scalar_bench.hpp"
#include "tests/rtl/scalar/scalar_instructions.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"
#include "tests/testbench/numerics/operands.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Dtype;
using isa::Instruction;

constexpr Dtype Dtypes[] = {Dtype::Fp32,    Dtype::Bf16,    Dtype::Fp16, Dtype::Tf32, Dtype::Fp8E4m3,
                            Dtype::Fp8E5m2, Dtype::Fp8E3m4, Dtype::I8,   Dtype::U8,   Dtype::I16,
                            Dtype::U16,     Dtype::I32,     Dtype::U32};

// Operands live in the first bytes of partitions, so that instructions depend on each other.
constexpr std::uint32_t Space = 8192;

class Programs {
  public:
    explicit Programs(std::mt19937_64& random) : source_(random) {}

    std::vector<Instruction> make(unsigned length) {
        std::vector<Instruction> program{load()};
        while (program.size() < length) program.push_back(instruction());
        return program;
    }

  private:
    unsigned below(unsigned limit) { return source_.below(limit); }

    Instruction load() {
        set_ = static_cast<isa::ActivationSet>(1 + below(6));
        return act_table_load(set_);
    }

    unsigned partition(unsigned partitions) {
        if (partitions > Lanes / 2) return 0;
        return partitions > Quadrant ? below(2) * Lanes / 2 : below(4) * Quadrant;
    }

    // An operand whose elements all lie in Space.
    Operand operand(const Tensors& t) {
        Operand o;
        o.psum = below(3) == 0;
        o.partition = partition(t.partitions);
        o.dtype = Dtypes[below(std::size(Dtypes))];
        const int bytes = numerics::storage_bytes(o.dtype);
        const int steps = 1 + static_cast<int>(below(2));
        int reach = 0;
        int stride = steps;
        for (int k = 0; k < 4; ++k) {
            o.step[k] = below(8) == 0 ? -stride : stride;
            reach += stride * static_cast<int>(t.count[k] - 1);
            stride *= static_cast<int>(t.count[k]);
        }
        const int slack = static_cast<int>(Space) / bytes - 2 * reach - 1;
        o.offset = static_cast<std::uint32_t>(
            (reach + static_cast<int>(below(static_cast<unsigned>(slack)))) * bytes);
        return o;
    }

    Tensors tensors() {
        Tensors t;
        t.partitions = below(2) == 0 ? Lanes : 1 + below(Lanes);
        t.count = {1 + below(below(2) == 0 ? 4 : 60), 1 + below(3), 1 + below(2), 1};
        t.dst = operand(t);
        t.a = operand(t);
        // A source equal to the destination is fine; one that overlaps it otherwise is not.
        while (t.a.psum == t.dst.psum) t.a = operand(t);
        return t;
    }

    Immediate immediate(unsigned partitions) {
        if (below(3) == 0) return {(partition(partitions) << 18) + Space + 4 * below(16), true};
        return {source_.any()};
    }

    Instruction instruction() {
        const Tensors t = tensors();
        Instruction i;
        switch (below(8)) {
            case 0:
                i = scalar_copy(t);
                break;
            case 1:
                i = scalar_operations(t, operation(), immediate(t.partitions), operation(),
                                      immediate(t.partitions));
                break;
            case 2: {
                Tensors one = t;
                one.count = {1, 1, 1, 1};
                i = act_read_accumulator(one);
                break;
            }
            case 3:
                if (below(4) == 0) return load();
                [[fallthrough]];
            default:
                i = activation(t, activate(t.partitions));
        }
        i.set(field::Rounding, below(3));
        return i;
    }

    Operation operation() {
        constexpr AluOp Ops[] = {AluOp::Bypass, AluOp::Add, AluOp::Multiply};
        return {Ops[below(3)], below(2) == 0};
    }

    Activate activate(unsigned partitions) {
        Activate how;
        do how.function = static_cast<isa::Activation>(below(26));
        while (!activation::in_set(how.function, set_));
        how.reduce = static_cast<isa::ReduceCmd>(below(4));
        how.with_reduce = how.reduce != isa::ReduceCmd::Idle && below(2) == 0;
        if (below(2) == 0) how.scale = immediate(partitions);
        if (below(2) == 0) how.bias = immediate(partitions);
        how.alpha = std::bit_cast<float>(source_.any());
        return how;
    }

    OperandSource source_;
    isa::ActivationSet set_ = isa::ActivationSet::None;
};

void fill(Memories& memories, OperandSource& source) {
    for (bool psum : {false, true}) {
        for (std::uint32_t row = 0; row < Space / 4 + 16; ++row) {
            for (unsigned lane = 0; lane < Lanes; ++lane)
                memories.of(psum)[row][lane] = row % 2 == 0 ? source.any() : source.word();
        }
    }
}

TEST(ScalarRandom, MatchesModel) {
    std::mt19937_64 random = generator();
    OperandSource source(random);
    Programs programs(random);
    const std::uint64_t count = 100 * scale();
    for (std::uint64_t k = 0; k < count; ++k) {
        ScalarBench bench;
        ScalarModel model;
        fill(bench.memories, source);
        model.memories = bench.memories;
        const std::uint32_t seed = source.word();
        const bool enable = source.below(2) == 0;
        bench.seed(seed);
        bench.sr_enable(enable);
        model.seed(seed);
        model.sr_enable = enable;
        const std::vector<Instruction> program = programs.make(20);
        for (const Instruction& i : program) model.execute(i);
        const unsigned grants[] = {256, 256, 200, 60};
        bench.run(program, {grants[source.below(4)], source.below(2) == 0 ? 256u : 20u}, random);
        const auto difference = first_difference(bench.memories, model.memories);
        ASSERT_FALSE(difference) << "program " << k << ": " << *difference;
    }
}

}  // namespace
}  // namespace trnsim::test
