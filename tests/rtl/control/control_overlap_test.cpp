// Random operands that overlap or nearly do. Builder, interpreter and core refuse the same instructions, and
// the accepted ones read no byte that another element's result replaces.
#include <gtest/gtest.h>

#include <string>

#include "arch/target/memory.hpp"
#include "common/random.hpp"
#include "compiler/builder/error.hpp"
#include "rtl/control/control_bench.hpp"
#include "rtl/control/overlap_operands.hpp"
#include "testbench/functional/refusal.hpp"

namespace trnsim::test {
namespace {

using isa::Error;

Tile tile_of(const RandomOperand& operand, unsigned partitions, const Counts& count, unsigned inner = 0) {
    Tile tile{operand.psum ? target::Memory::Psum : target::Memory::Sbuf,
              operand.dtype,
              operand.partition,
              partitions,
              operand.offset,
              {}};
    for (unsigned d = 4; d-- > inner;) tile.axes.push_back({count[d], operand.step[d]});
    return tile;
}
Tile fixed_tile(const RandomOperand& operand, unsigned partitions, unsigned elements) {
    Tile tile = tile_of(operand, partitions, {elements, 1, 1, 1});
    tile.axes = {{elements, operand.step[0]}};
    return tile;
}

// Returns whether `act` throws an error about an overlap; any other error fails the test.
template <typename Failure, typename Act>
bool refuses(Act act) {
    try {
        act();
    } catch (const Failure& error) {
        EXPECT_NE(std::string(error.what()).find("overlaps"), std::string::npos) << error.what();
        return true;
    }
    return false;
}

bool builder_refuses(const Form& form, const Tensors& t) {
    const Counts count = Generator::result(form, t);
    Tile dst = tile_of(t.dst, t.partitions, count, form.result == Result::Reduced ? Reduced : 0);
    if (form.result == Result::Fixed) dst = fixed_tile(t.dst, t.partitions, form.fixed);
    if (form.result == Result::Turned) dst = fixed_tile(t.dst, Generator::elements(t.count), t.partitions);
    const Tile a = tile_of(t.a, t.partitions, t.count);
    const Tile b =
        form.fixed_b != 0 ? fixed_tile(t.b, t.partitions, form.fixed_b) : tile_of(t.b, t.partitions, t.count);
    KernelBuilder builder("overlap", "", overlap_target());
    return refuses<builder::Error>([&] { form.build(builder, dst, a, b); });
}

// Returns the byte offsets of an operand's elements, in order.
std::vector<int> offsets(const RandomOperand& operand, const Counts& count) {
    std::vector<int> all;
    for (unsigned i = 0; i < Generator::elements(count); ++i) {
        int element = 0;
        unsigned rest = i;
        for (unsigned d = 0; d < 4; ++d) {
            element += static_cast<int>(rest % count[d]) * operand.step[d];
            rest /= count[d];
        }
        all.push_back(static_cast<int>(operand.offset) + element * numerics::storage_bytes(operand.dtype));
    }
    return all;
}

// Returns whether no result replaces a byte of a source element that is read earlier or later.
bool safe(const RandomOperand& dst, const Counts& dst_count, const RandomOperand& source,
          const Counts& source_count) {
    if (dst.psum != source.psum || dst.partition != source.partition) return true;
    const std::vector<int> written = offsets(dst, dst_count), read = offsets(source, source_count);
    const int written_bytes = numerics::storage_bytes(dst.dtype),
              read_bytes = numerics::storage_bytes(source.dtype);
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (std::size_t j = 0; j < read.size(); ++j) {
            if (i != j && written[i] < read[j] + read_bytes && read[j] < written[i] + written_bytes)
                return false;
        }
    }
    return true;
}

TEST(ControlOverlap, BuilderInterpreterAndCoreAgree) {
    std::mt19937_64 random = generator();
    Generator generate(random);
    ControlBench bench({.seed = seed()});
    bench.expect_no_error = false;
    const functional::TensorEngine tensor(overlap_target());
    std::map<std::size_t, std::array<unsigned, 2>> seen;
    for (std::uint64_t i = 0; i < 2500 * scale(); ++i) {
        const std::size_t number = random() % forms().size();
        const Form& form = forms()[number];
        const Tensors t = generate.tensors(form);
        if (form.two && t.a.psum && t.b.psum) continue;
        const Instruction instruction = form.make(t);
        SCOPED_TRACE(::testing::Message() << "case " << i << " " << instruction.info()->name);

        bench.reset();
        bench.expect_no_error = false;
        bench.run_program(form.engine, {instruction, halt()}, 0x4000);
        ASSERT_TRUE(bench.finish(1000));
        const Error core = bench.error() ? bench.fault().code : Error::None;
        ASSERT_TRUE(core == Error::None || core == Error::OperandOverlap) << name_of(core);

        const isa::Engine engine = static_cast<isa::Engine>(form.engine);
        functional::LaneState state(overlap_target(), engine);
        state.table_set = static_cast<isa::ActivationSet>(1);
        const functional::Refusal interpreter =
            functional::refusal_of(engine, instruction, overlap_target(), {tensor, state, state});
        ASSERT_EQ(interpreter.error, core) << "interpreter and core";
        ASSERT_EQ(builder_refuses(form, t), core != Error::None) << "builder and core";
        if (core == Error::None) {
            const Counts count = Generator::result(form, t);
            ASSERT_TRUE(safe(t.dst, count, t.a, t.count));
            if (form.two) {
                ASSERT_TRUE(
                    safe(t.dst, count, t.b, form.fixed_b != 0 ? Counts{form.fixed_b, 1, 1, 1} : t.count));
            }
        } else {
            const bool is_a = bench.fault().address == t.a.address();
            EXPECT_TRUE(is_a || (form.two && bench.fault().address == t.b.address()));
        }
        ++seen[number][core == Error::None ? 0 : 1];
    }
    for (const auto& [number, counts] : seen) {
        EXPECT_GT(counts[0], 10u) << number;
        EXPECT_GT(counts[1], 10u) << number;
    }
}

struct Directed {
    const char* what;
    Dtype dst, a;
    Counts count;
    std::array<int, 4> dst_step, a_step;
    std::uint32_t dst_offset, a_offset;
    bool defined;
};

TEST(ControlOverlap, WhatIsDefined) {
    constexpr auto U8 = Dtype::U8, U16 = Dtype::U16, U32 = Dtype::U32;
    const std::vector<Directed> cases{
        {"side by side", U32, U32, {64, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 256, 0, true},
        {"one byte less", U8, U8, {64, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 63, 0, false},
        {"in place", U32, U32, {16, 4, 1, 1}, {1, 16, 0, 0}, {1, 16, 0, 0}, 64, 64, true},
        {"in place, steps that count for nothing",
         U32,
         U32,
         {16, 1, 1, 1},
         {1, 7, 0, 0},
         {1, 0, 3, 0},
         64,
         64,
         true},
        {"in place, columns first", U16, U16, {4, 16, 1, 1}, {16, 1, 0, 0}, {16, 1, 0, 0}, 0, 0, true},
        {"in place backwards", U32, U32, {16, 1, 1, 1}, {-1, 0, 0, 0}, {-1, 0, 0, 0}, 64, 64, true},
        {"in place, the same element twice", U32, U32, {4, 2, 1, 1}, {1, 3, 0, 0}, {1, 3, 0, 0}, 0, 0, false},
        {"in place, one element over and over",
         U32,
         U32,
         {4, 1, 1, 1},
         {0, 0, 0, 0},
         {0, 0, 0, 0},
         0,
         0,
         false},
        {"in place, steps that interlock: no element twice, but refused",
         U8,
         U8,
         {3, 2, 1, 1},
         {2, 3, 0, 0},
         {2, 3, 0, 0},
         0,
         0,
         false},
        {"in place, steps that just do not", U8, U8, {3, 2, 1, 1}, {2, 5, 0, 0}, {2, 5, 0, 0}, 0, 0, true},
        {"reversal", U32, U32, {16, 1, 1, 1}, {-1, 0, 0, 0}, {1, 0, 0, 0}, 60, 0, false},
        {"eight elements up", U32, U32, {64, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 32, 0, false},
        {"eight elements down", U32, U32, {64, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 0, 32, false},
        {"wider in place", U32, U16, {16, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 0, 0, false},
        {"narrower in place", U16, U32, {16, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, 0, 0, false},
        {"narrower, each within its source",
         U16,
         U32,
         {16, 1, 1, 1},
         {2, 0, 0, 0},
         {1, 0, 0, 0},
         0,
         0,
         false},
        {"even to odd", U16, U16, {16, 1, 1, 1}, {2, 0, 0, 0}, {2, 0, 0, 0}, 2, 0, true},
        {"odd to even, backwards", U16, U16, {16, 1, 1, 1}, {-2, 0, 0, 0}, {-2, 0, 0, 0}, 60, 62, true},
        {"even to odd of every row", U16, U16, {8, 4, 1, 1}, {2, 16, 0, 0}, {2, 16, 0, 0}, 2, 0, true},
        {"left half to right half of every row",
         U32,
         U32,
         {8, 4, 1, 1},
         {1, 16, 0, 0},
         {1, 16, 0, 0},
         32,
         0,
         true},
        {"a half and one", U32, U32, {9, 4, 1, 1}, {1, 16, 0, 0}, {1, 16, 0, 0}, 32, 0, false},
    };
    ControlBench bench({.seed = seed()});
    for (const Directed& test : cases) {
        Tensors t;
        t.partitions = 32;
        t.count = test.count;
        t.dst = {false, 0, test.dst_offset, test.dst, test.dst_step};
        t.a = {false, 0, test.a_offset, test.a, test.a_step};
        bench.reset();
        bench.expect_no_error = false;
        bench.run_program(1, {random_programs::tensor_copy(t), halt()}, 0x4000);
        ASSERT_TRUE(bench.finish(1000));
        EXPECT_EQ(bench.error(), !test.defined) << test.what;
        if (!test.defined) {
            EXPECT_EQ(bench.fault(), (Fault{Error::OperandOverlap, 1, 0, test.a_offset,
                                            static_cast<unsigned>(isa::Opcode::TensorCopy)}))
                << test.what;
        }
        EXPECT_EQ(builder_refuses(forms()[0], t), !test.defined) << test.what;
        // The operands are in other partitions, or in the other memory.
        Tensors elsewhere = t;
        elsewhere.dst.partition = 32;
        EXPECT_FALSE(builder_refuses(forms()[0], elsewhere)) << test.what;
    }
}

}  // namespace
}  // namespace trnsim::test
