// Cycle costs of every form, and the speed of the simulation.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/common/random.hpp"
#include "tests/rtl/vector/vector_bench.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"

namespace trnsim::test {
namespace {

using isa::AluOp;
using isa::Dtype;
using isa::Instruction;

constexpr std::uint64_t IssueLatency = 60, DependentLatency = 100;
// Cycles from the read of the last element to done_o of its instruction.
constexpr std::uint64_t Pipeline = 7;

struct Form {
    const char* name;
    unsigned cycles;  // cycles between completions of independent instructions in a row
    Instruction (*make)(const Tensors&);
    unsigned n;
    Dtype dtype = Dtype::Fp32;
    bool b_in_psum = false;
    int step = 1;
    unsigned slack = 0;  // cycles that may be added: the sources fill again between values and elements
};

Instruction copy(const Tensors& t) {
    return tensor_copy(t);
}
Instruction zero(const Tensors& t) {
    return memset(t, {});
}
Instruction add(const Tensors& t) {
    return tensor_tensor(t, {AluOp::Add});
}
Instruction multiply(const Tensors& t) {
    return tensor_tensor(t, {AluOp::Multiply});
}
Instruction subtract(const Tensors& t) {
    return tensor_tensor(t, {AluOp::Subtract});
}
Instruction maximum(const Tensors& t) {
    return tensor_tensor(t, {AluOp::Max});
}
Instruction scale_shift(const Tensors& t) {
    return tensor_scalar(t, {AluOp::Multiply}, {0x40000000}, {AluOp::Add}, {0x3f800000});
}
Instruction scale_by_vector(const Tensors& t) {
    return tensor_scalar(t, {AluOp::Multiply}, {131072, true}, {AluOp::Add}, {0x3f800000});
}
Instruction scale_shift_by_vectors(const Tensors& t) {
    return tensor_scalar(t, {AluOp::Multiply}, {131072, true}, {AluOp::Add}, {131076, true});
}
Instruction subtract_multiply(const Tensors& t) {
    return scalar_tensor_tensor(t, {AluOp::Subtract}, {0x3f800000}, {AluOp::Multiply});
}
Instruction add_multiply(const Tensors& t) {
    return scalar_tensor_tensor(t, {AluOp::Add}, {0x3f800000}, {AluOp::Multiply});
}

Instruction bits(const Tensors& t) {
    return tensor_tensor(t, {AluOp::BitwiseXor});
}
Instruction reciprocals(const Tensors& t) {
    return tensor_scalar(t, {AluOp::Reciprocal}, {}, {AluOp::Multiply}, {0x40000000});
}
Instruction reciprocals_twice(const Tensors& t) {
    return tensor_scalar(t, {AluOp::Reciprocal}, {}, {AluOp::Reciprocal}, {});
}
Instruction reciprocal_scan(const Tensors& t) {
    return tensor_tensor_scan(t, {AluOp::Reciprocal, true}, {AluOp::Add}, {0x3f800000});
}
Instruction reciprocal_cumulate(const Tensors& t) {
    return tensor_scalar_cumulative(t, {AluOp::Multiply}, {0x40000000}, {AluOp::Reciprocal});
}
Instruction accumulate(const Tensors& t) {
    return tensor_scalar_reduce(t, {AluOp::Multiply}, {0x40000000}, AluOp::Add, isa::ReduceCmd::ResetReduce);
}
Instruction read_out(const Tensors& t) {
    return read_accumulator(t);
}
Instruction scan(const Tensors& t) {
    return tensor_tensor_scan(t, {AluOp::Multiply}, {AluOp::Add}, {});
}
Instruction cumulate(const Tensors& t) {
    return tensor_scalar_cumulative(t, {AluOp::Multiply}, {0x40000000}, {AluOp::Add});
}
Instruction sum(const Tensors& t) {
    return tensor_reduce(t, AluOp::Add, 1);
}
Instruction greatest(const Tensors& t) {
    return tensor_reduce(t, AluOp::Max, 1);
}
Instruction product(const Tensors& t) {
    return tensor_reduce(t, AluOp::Multiply, 1);
}
Instruction copy_where(const Tensors& t) {
    return tensor_copy_predicated(t);
}
Instruction set_where(const Tensors& t) {
    return predicated_immediate(t, {0x3f800000});
}
Instruction select(const Tensors& t) {
    return select_reduce(t, {0x3f800000}, isa::ReduceCmd::ResetReduce);
}
Instruction one(const Tensors& t) {
    return memset(t, {0x3f800000});
}

Instruction zero_stochastically(const Tensors& t) {
    return memset(t, {}).set(isa::field::Rounding, isa::Rounding::Stochastic);
}
Instruction narrow_stochastically(const Tensors& form) {
    Tensors t = form;
    t.dst.dtype = Dtype::Bf16;
    return tensor_copy(t).set(isa::field::Rounding, isa::Rounding::Stochastic);
}
Instruction random_bits(const Tensors& t) {
    return rng(t);
}
Instruction drop_half(const Tensors& t) {
    return dropout(t, {0x3f000000});
}
Instruction seed(const Tensors& t) {
    return set_rng_seed(t.a);
}
Instruction replace(const Tensors& t) {
    return match_replace8(t, {0x3f800000});
}
Instruction load_mask(const Tensors&) {
    return load_shuffle_mask({});
}
Instruction transpose_20(const Tensors& form) {
    Tensors t = form;
    t.partitions = 20;
    return transpose_block(t);
}

// One operand has another step than the form's; if its elements are far apart, a port takes two cycles for
// each.
Tensors with_a_step(Tensors t, int step) {
    t.a.step[0] = step;
    return t;
}
Tensors with_dst_step(Tensors t, int step) {
    t.dst.step[0] = step;
    return t;
}
Instruction copy_from_far(const Tensors& form) {
    return tensor_copy(with_a_step(form, 5));
}
Instruction copy_to_far(const Tensors& form) {
    return tensor_copy(with_dst_step(form, 5));
}
Instruction copy_to_far_psum(const Tensors& form) {
    Tensors t = with_dst_step(form, 5);
    t.dst.psum = true;
    t.dst.offset = 0;
    return tensor_copy(t);
}
Instruction copy_backwards(const Tensors& form) {
    Tensors t = with_a_step(form, -form.a.step[0]);
    t.a.offset = 32764;
    return tensor_copy(t);
}
Instruction copy_one_word(const Tensors& form) {
    return tensor_copy(with_a_step(form, 0));
}
// The second dimension is the innermost one that has a step.
Instruction copy_columns(const Tensors& form) {
    Tensors t = form;
    std::swap(t.count[0], t.count[1]);
    std::swap(t.a.step[0], t.a.step[1]);
    std::swap(t.dst.step[0], t.dst.step[1]);
    return tensor_copy(t);
}
// Rows are far apart; their elements are not.
Instruction copy_rows(const Tensors& form) {
    Tensors t = form;
    t.count = {form.count[0] / 4, 4, 1, 1};
    t.a.step[1] = 500;
    t.dst.step[1] = 500;
    return tensor_copy(t);
}
Instruction add_a_far(const Tensors& form) {
    return tensor_tensor(with_a_step(form, 5), {AluOp::Add});
}
Instruction add_to_fp32(const Tensors& form) {
    Tensors t = form;
    t.dst.dtype = Dtype::Fp32;
    return tensor_tensor(t, {AluOp::Add});
}
Instruction add_to_step_2(const Tensors& form) {
    return tensor_tensor(with_dst_step(form, 2), {AluOp::Add});
}
Instruction subtract_multiply_to_fp32(const Tensors& form) {
    Tensors t = form;
    t.dst.dtype = Dtype::Fp32;
    return subtract_multiply(t);
}

constexpr Form Forms[] = {
    {"tensor_copy fp32, step 4: 16 bytes", 512, copy, 512, Dtype::Fp32, false, 4},
    {"tensor_copy fp32, step 5", 1024, copy, 512, Dtype::Fp32, false, 5},
    {"tensor_copy fp32, step 5", 64, copy, 32, Dtype::Fp32, false, 5},
    {"tensor_copy fp32, step 5", 66, copy, 33, Dtype::Fp32, false, 5},
    {"tensor_copy fp32, source step 5", 1024, copy_from_far, 512},
    {"tensor_copy fp32, destination step 5", 1024, copy_to_far, 512},
    {"tensor_copy fp32, destination in PSUM step 5", 1024, copy_to_far_psum, 512},
    {"tensor_copy fp32, source step -4", 512, copy_backwards, 512, Dtype::Fp32, false, 4},
    {"tensor_copy fp32, source step -5", 1024, copy_backwards, 512, Dtype::Fp32, false, 5},
    {"tensor_copy fp32, source step 0", 512, copy_one_word, 512},
    {"tensor_copy bf16, step 8: 16 bytes", 512, copy, 512, Dtype::Bf16, false, 8},
    {"tensor_copy bf16, step 9", 1024, copy, 512, Dtype::Bf16, false, 9},
    {"tensor_copy u8, step 16: 16 bytes", 512, copy, 512, Dtype::U8, false, 16},
    {"tensor_copy u8, step 17", 1024, copy, 512, Dtype::U8, false, 17},
    {"tensor_copy fp32, a column of step 5", 1024, copy_columns, 512, Dtype::Fp32, false, 5},
    {"tensor_copy fp32, rows far apart", 512, copy_rows, 512},
    {"tensor_tensor fp32 add, step 5", 2048, add, 512, Dtype::Fp32, false, 5},
    {"tensor_tensor fp32 add, a of step 5", 1536, add_a_far, 512},
    {"tensor_tensor fp32 add, a of step 5, b in PSUM", 1024, add_a_far, 512, Dtype::Fp32, true},
    {"tensor_tensor bf16 add to fp32", 1024, add_to_fp32, 512, Dtype::Bf16},
    {"tensor_tensor bf16 add to step 2", 1024, add_to_step_2, 512, Dtype::Bf16},
    {"scalar_tensor_tensor bf16 subtract, multiply, N odd", 1022, subtract_multiply, 511, Dtype::Bf16},
    {"scalar_tensor_tensor bf16 subtract, multiply to fp32", 512, subtract_multiply_to_fp32, 512,
     Dtype::Bf16},
    {"tensor_copy fp32", 64, copy, 1},
    {"tensor_copy fp32", 64, copy, 64},
    {"tensor_copy fp32", 65, copy, 65},
    {"tensor_copy fp32", 512, copy, 512},
    {"tensor_copy bf16", 512, copy, 512, Dtype::Bf16},
    {"tensor_copy u8", 512, copy, 512, Dtype::U8},
    {"memset fp32", 64, zero, 2},
    {"memset fp32", 512, zero, 512},
    {"tensor_scalar fp32, constants", 64, scale_shift, 64},
    {"tensor_scalar fp32, constants", 512, scale_shift, 512},
    {"tensor_scalar fp32, one [P,1]", 64, scale_by_vector, 62},
    {"tensor_scalar fp32, one [P,1]", 513, scale_by_vector, 512},
    {"tensor_scalar fp32, two [P,1]", 514, scale_shift_by_vectors, 512},
    {"tensor_scalar bf16, two [P,1]", 512, scale_shift_by_vectors, 512, Dtype::Bf16},
    {"tensor_tensor fp32 add", 64, add, 1},
    {"tensor_tensor fp32 add", 64, add, 32},
    {"tensor_tensor fp32 add", 66, add, 33},
    {"tensor_tensor fp32 add", 1024, add, 512},
    {"tensor_tensor fp32 add, SBUF+PSUM", 64, add, 64, Dtype::Fp32, true},
    {"tensor_tensor fp32 add, SBUF+PSUM", 512, add, 512, Dtype::Fp32, true},
    {"tensor_tensor fp32 max, SBUF+PSUM", 512, maximum, 512, Dtype::Fp32, true},
    {"tensor_tensor bf16 add", 64, add, 64, Dtype::Bf16},
    {"tensor_tensor bf16 add", 512, add, 512, Dtype::Bf16},
    {"tensor_tensor bf16 multiply", 512, multiply, 512, Dtype::Bf16},
    {"tensor_tensor bf16 subtract", 512, subtract, 512, Dtype::Bf16},
    {"tensor_tensor bf16 max", 1024, maximum, 512, Dtype::Bf16},
    {"tensor_tensor bf16 add, step 2", 1024, add, 512, Dtype::Bf16, false, 2},
    {"tensor_tensor fp16 add", 1024, add, 512, Dtype::Fp16},
    {"scalar_tensor_tensor fp32", 1024, subtract_multiply, 512},
    {"scalar_tensor_tensor bf16 subtract, multiply", 512, subtract_multiply, 512, Dtype::Bf16},
    {"scalar_tensor_tensor bf16 add, multiply", 1024, add_multiply, 512, Dtype::Bf16},
    {"tensor_tensor i32 bitwise_xor", 1024, bits, 512, Dtype::I32},
    {"tensor_tensor u16 bitwise_xor, SBUF+PSUM", 512, bits, 512, Dtype::U16, true},
    {"tensor_scalar fp32 reciprocal, multiply", 512, reciprocals, 512},
    {"tensor_scalar fp32 reciprocal, reciprocal", 512, reciprocals_twice, 512},
    {"tensor_tensor_scan fp32 reciprocal of the result", 5632, reciprocal_scan, 512},
    {"tensor_scalar_cumulative fp32 reciprocal", 5111, reciprocal_cumulate, 512},
    {"tensor_scalar_reduce fp32", 64, accumulate, 20},
    {"tensor_scalar_reduce fp32", 512, accumulate, 512},
    {"read_accumulator", 64, read_out, 1},
    {"tensor_tensor_scan fp32", 64, scan, 20},
    {"tensor_tensor_scan fp32", 1024, scan, 512},
    {"tensor_tensor_scan fp32, SBUF+PSUM", 1024, scan, 512, Dtype::Fp32, true},
    {"tensor_tensor_scan bf16", 1024, scan, 512, Dtype::Bf16},
    {"tensor_scalar_cumulative fp32", 512, cumulate, 512},
    {"tensor_reduce fp32 add", 512, sum, 512},
    {"tensor_reduce bf16 add", 64, sum, 100, Dtype::Bf16},
    {"tensor_reduce bf16 add", 256, sum, 512, Dtype::Bf16},
    {"tensor_reduce bf16 max", 256, greatest, 512, Dtype::Bf16},
    {"tensor_reduce bf16 multiply", 512, product, 512, Dtype::Bf16},
    {"tensor_reduce bf16 add, step 2", 512, sum, 512, Dtype::Bf16, false, 2},
    {"tensor_reduce fp16 add", 512, sum, 512, Dtype::Fp16},
    {"tensor_copy_predicated u8", 1024, copy_where, 512, Dtype::U8},
    {"tensor_copy_predicated u32, SBUF+PSUM", 512, copy_where, 512, Dtype::U32, true},
    {"tensor_copy_predicated u32, immediate", 512, set_where, 512, Dtype::U32},
    {"select_reduce u16", 1024, select, 512, Dtype::U16},
    {"select_reduce u16, SBUF+PSUM", 512, select, 512, Dtype::U16, true},
    {"memset bf16 with 0", 64, zero, 100, Dtype::Bf16},
    {"memset bf16 with 0", 256, zero, 512, Dtype::Bf16},
    {"memset fp16 with 0", 256, zero, 512, Dtype::Fp16},
    {"memset bf16 with 0, step 2", 512, zero, 512, Dtype::Bf16, false, 2},
    {"memset bf16 with 1", 512, one, 512, Dtype::Bf16},
    {"bn_stats fp32", 64, bn_stats, 6},
    {"bn_stats fp32", 512, bn_stats, 512},
    {"bn_aggr fp32", 64, bn_aggr, 12},
    {"bn_aggr fp32", 2210, bn_aggr, 510},
    {"reciprocal fp32", 64, reciprocal, 25},
    {"reciprocal fp32", 65, reciprocal, 26},
    {"reciprocal fp32", 67, reciprocal, 27},
    {"reciprocal bf16", 1280, reciprocal, 512, Dtype::Bf16},
    {"tensor_copy fp32 to bf16, stochastic", 512, narrow_stochastically, 512},
    {"memset bf16 with 0, stochastic", 512, zero_stochastically, 512, Dtype::Bf16},
    {"rng u32", 64, random_bits, 64, Dtype::U32},
    {"rng u8", 512, random_bits, 512, Dtype::U8},
    {"dropout fp32", 512, drop_half, 512},
    {"set_rng_seed", 64, seed, 1, Dtype::U32},
    {"max8 fp32", 64, max8, 8},
    {"max8 fp32", 512, max8, 512},
    {"max8 bf16", 512, max8, 512, Dtype::Bf16},
    {"find_index8 u32", 64, find_index8, 56, Dtype::U32, false, 1, 4},
    {"find_index8 u32", 520, find_index8, 512, Dtype::U32, false, 1, 4},
    {"find_index8 u16, SBUF+PSUM", 520, find_index8, 512, Dtype::U16, true},
    {"match_replace8 fp32", 520, replace, 512, Dtype::Fp32, false, 1, 4},
    {"load_shuffle_mask", 64, load_mask, 1},
    {"stream_shuffle fp32", 64, stream_shuffle, 64},
    {"stream_shuffle bf16", 512, stream_shuffle, 512, Dtype::Bf16},
    {"transpose_block fp32, one block", 64, transpose_20, 32},
    {"transpose_block fp32", 64, transpose_block, 32},
    {"transpose_block fp32", 512, transpose_block, 512},
};

Tensors tensors(const Form& form, unsigned which) {
    Tensors t;
    t.count = {form.n, 1, 1, 1};
    t.a.dtype = t.b.dtype = t.dst.dtype = form.dtype;
    t.a.step[0] = t.b.step[0] = t.dst.step[0] = form.step;
    t.b.offset = form.b_in_psum ? 4096 : 32768;
    t.b.psum = form.b_in_psum;
    t.dst.offset = 65536 + which % 2 * 32768;
    return t;
}

TEST(VectorTiming, IndependentInstructionsBackToBack) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    for (const Form& form : Forms) {
        std::vector<Instruction> program;
        for (unsigned k = 0; k < 8; ++k) program.push_back(form.make(tensors(form, k)));
        const RunResult result = bench.run(program, {}, random);
        std::printf("%-46s N %5u: %5lu cycles\n", form.name, form.n,
                    result.times[7].done - result.times[6].done);
        for (unsigned k = 1; k < program.size(); ++k) {
            const std::uint64_t interval = result.times[k].done - result.times[k - 1].done;
            EXPECT_GE(interval, form.cycles) << form.name << " N " << form.n << " instruction " << k;
            EXPECT_LE(interval, form.cycles + form.slack)
                << form.name << " N " << form.n << " instruction " << k;
        }
    }
}

TEST(VectorTiming, IsolatedInstruction) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    for (const Form& form : Forms) {
        const RunResult result = bench.run({{form.make(tensors(form, 0))}}, {}, random);
        std::printf("%-46s N %5u: accepted to done %lu\n", form.name, form.n,
                    result.times[0].done - result.times[0].accepted);
        if (result.reads == 0) continue;  // memset
        EXPECT_EQ(result.first_read - result.times[0].accepted, IssueLatency) << form.name;
    }
}

// Elements of some forms pass additional stages: dividers, the pipeline of bn_stats and its results, the
// iteration of bn_aggr.
TEST(VectorTiming, LatencyOfDividersAndStatistics) {
    struct Case {
        const char* name;
        Instruction (*make)(const Tensors&);
        unsigned n;
        std::uint64_t last_element;  // cycles from the first element to the last one
        std::uint64_t extra;
    };
    constexpr unsigned Divider = 9, Statistics = 4, Results = 6, Aggregation = 12;
    const Case cases[] = {
        {"tensor_copy", copy, 100, 99, 0},
        {"tensor_scalar with a reciprocal", reciprocals, 100, 99, Divider},
        {"tensor_scalar with two reciprocals", reciprocals_twice, 100, 99, 2 * Divider},
        {"reciprocal", reciprocal, 100, 99 * 5 / 2, Divider},
        {"bn_stats", bn_stats, 100, 99, Statistics + Results - 1},
        {"bn_aggr", bn_aggr, 99, 32 * 13 + 2, Aggregation + 1},
    };
    std::mt19937_64 random = generator();
    VectorBench bench;
    for (const Case& c : cases) {
        const RunResult result = bench.run({{c.make(tensors({"", 0, c.make, c.n}, 0))}}, {}, random);
        EXPECT_EQ(result.times[0].done - result.times[0].accepted,
                  IssueLatency + c.last_element + Pipeline + c.extra)
            << c.name;
    }
}

// In this chain every instruction needs the previous one: its access start-up begins when the last write is
// in memory, at the earliest 64 cycles after the start of the previous one. Published: about 100 cycles more.
TEST(VectorTiming, DependentChain) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    for (unsigned n : {1u, 55u, 512u}) {
        Tensors t;
        t.count = {n, 1, 1, 1};
        const std::vector<Instruction> program(6, tensor_scalar(t, {AluOp::Add}, {0x3f800000}, {}, {}));
        const RunResult result = bench.run(program, {}, random);
        const std::uint64_t interval = result.times[5].done - result.times[4].done;
        std::printf("dependent tensor_scalar fp32 N %u: %lu cycles\n", n, interval);
        EXPECT_EQ(interval, std::max<std::uint64_t>(64, n + Pipeline) + DependentLatency) << n;
    }
}

// Instructions between an instruction and one that depends on it run during the start-up. A place that
// they only write makes no dependence.
TEST(VectorTiming, StartUpOfADependentInstructionPassesBesideOthers) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    const auto copy_at = [](unsigned from, unsigned to, unsigned n) {
        Tensors t;
        t.count = {n, 1, 1, 1};
        t.a.offset = from;
        t.dst.offset = to;
        return tensor_copy(t);
    };
    struct Case {
        std::vector<Instruction> program;
        std::uint64_t last;  // cycles from the completion of the first to that of the last
    };
    const Case cases[] = {
        {{copy_at(0, 4096, 64), copy_at(8192, 12288, 64), copy_at(4096, 16384, 64)},
         Pipeline + DependentLatency + 64},
        {{copy_at(0, 4096, 64), copy_at(8192, 12288, 200), copy_at(4096, 16384, 64)}, 264},
        {{copy_at(0, 4096, 64), copy_at(8192, 12288, 64), copy_at(12288, 16384, 64)},
         64 + Pipeline + DependentLatency + 64},
        {{copy_at(0, 4096, 64), copy_at(8192, 4096, 64)}, 64},
        {{copy_at(0, 4096, 64), copy_at(8192, 0, 64)}, 64},
    };
    for (const Case& c : cases) {
        const RunResult result = bench.run(c.program, {}, random);
        EXPECT_EQ(result.times.back().done - result.times.front().done, c.last) << &c - cases;
    }
}

// A stream of different forms costs the sum of their costs.
TEST(VectorTiming, MixedStream) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    std::vector<Instruction> program;
    std::uint64_t cost = 0;
    for (unsigned k = 0; k < 60; ++k) {
        const Form& form = Forms[random() % std::size(Forms)];
        program.push_back(form.make(tensors(form, k)));
        cost += form.cycles;
    }
    const RunResult result = bench.run(program, {}, random);
    std::printf("60 instructions of mixed forms: %lu cycles, sum of costs %lu\n",
                result.times.back().done - result.times[0].accepted, cost);
    EXPECT_NEAR(static_cast<double>(result.times.back().done - result.times[0].accepted),
                static_cast<double>(cost), 0.005 * cost);
}

TEST(VectorTiming, TensorTensorOf8192) {
    std::mt19937_64 random = generator();
    VectorBench bench;
    const RunResult result = bench.run({{add(tensors({"", 0, add, 8192}, 0))}}, {}, random);
    const std::uint64_t cycles = result.times[0].done - result.times[0].accepted;
    std::printf("tensor_tensor fp32 128 x 8192: accepted to done %lu cycles\n", cycles);
    EXPECT_EQ(cycles, IssueLatency + 2 * 8192 - 1 + Pipeline);
}

// Prints the speed of the simulation, bench and memories included; it checks nothing, so it runs with
// --gtest_also_run_disabled_tests only.
TEST(VectorTiming, DISABLED_SimulationSpeed) {
    constexpr Form Measured[] = {
        {"tensor_tensor fp32 add", 0, add, 8192},
        {"tensor_tensor fp32 add, SBUF+PSUM", 0, add, 3072, Dtype::Fp32, true},
        {"tensor_tensor bf16 add", 0, add, 8192, Dtype::Bf16},
        {"tensor_scalar fp32, constants", 0, scale_shift, 8192},
        {"tensor_copy fp32", 0, copy, 8192},
        {"tensor_tensor_scan fp32", 0, scan, 8192},
        {"tensor_reduce fp32 add", 0, sum, 8192},
        {"tensor_reduce bf16 add", 0, sum, 8192, Dtype::Bf16},
        {"tensor_scalar_reduce fp32", 0, accumulate, 8192},
        {"tensor_copy_predicated u8", 0, copy_where, 8192, Dtype::U8},
        {"select_reduce u16", 0, select, 8192, Dtype::U16},
        {"bn_stats fp32", 0, bn_stats, 512},
        {"reciprocal fp32", 0, reciprocal, 1024},
        {"tensor_copy fp32 to bf16, stochastic", 0, narrow_stochastically, 8192},
        {"dropout fp32", 0, drop_half, 8192},
        {"max8 fp32", 0, max8, 8192},
        {"match_replace8 fp32", 0, replace, 8192},
        {"stream_shuffle fp32", 0, stream_shuffle, 8192},
        {"transpose_block fp32", 0, transpose_block, 8192},
    };
    std::mt19937_64 random = generator();
    VectorBench bench;
    for (const Form& form : Measured) {
        constexpr unsigned Repeats = 8;
        const std::vector<Instruction> program(Repeats, form.make(tensors(form, 0)));
        const std::clock_t start = std::clock();
        bench.run(program, {}, random);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%-46s 128 x %u: %.1f M elements a CPU second\n", form.name, form.n,
                    Repeats * form.n * Lanes / seconds / 1e6);
    }
}

}  // namespace
}  // namespace trnsim::test
