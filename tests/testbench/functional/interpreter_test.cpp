// The interpreter computes the results of the instructions and notices programs that only work by chance.
#include "testbench/functional/interpreter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/operands.hpp"

namespace trnsim::functional {
namespace {

using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;
using neff::TensorKind;

// Loads `in` [8, n] fp32, lets `body` compute `out` [8, n] of `dtype` from it, and stores that.
template <typename Body>
std::vector<std::uint8_t> run_vector(const std::vector<float>& in, Dtype dtype, Body body) {
    KernelBuilder builder("vector", "", test::small_target(), builder::Waits::Explicit);
    const auto n = static_cast<std::uint32_t>(in.size() / 8);
    const TensorView from = builder.tensor("in", TensorKind::Input, Dtype::Fp32, {8, n});
    const TensorView to = builder.tensor("out", TensorKind::Output, dtype, {8, n});
    const Tile source = builder.sbuf(8, Dtype::Fp32, {n});
    const Tile result = builder.sbuf(8, dtype, {n});
    const Event loaded = builder.load(builder.queue("in"), source, from);
    const Event done = body(builder, result, source, builder::After{loaded});
    builder.store(builder.queue("out"), to, result, {done});
    const neff::Package package = builder.finish();
    Interpreter machine(package);
    machine.set("in", test::pack(in));
    machine.run();
    return machine.get("out");
}

TEST(Interpreter, VectorArithmeticIsFp32WithFlushing) {
    const std::vector<float> in{1.5f, -2.0f, 1e-39f, -0.0f, 3e38f, NAN, 7.0f, 0.25f};
    const auto out =
        run_vector(in, Dtype::Fp32, [](auto& builder, const Tile& dst, const Tile& a, const auto& after) {
            return builder.tensor_scalar(dst, a, {AluOp::Multiply, 2.0f}, {AluOp::Subtract, 1.0f, true},
                                         {.after = after});
        });
    // The operation is 1 - 2 x; the subnormal is read as zero.
    EXPECT_EQ(out, test::pack({-2.0f, 5.0f, 1.0f, 1.0f, -INFINITY, numerics::float_of(numerics::CanonicalNan),
                               -13.0f, 0.5f}));
}

TEST(Interpreter, CopiesBetweenEqualTypesKeepEveryBit) {
    const std::vector<float> in{1e-39f, -NAN, 1, 2, 3, 4, 5, 6};
    const auto out =
        run_vector(in, Dtype::Fp32, [](auto& builder, const Tile& dst, const Tile& a, const auto& after) {
            return builder.tensor_copy(dst, a, {.after = after});
        });
    EXPECT_EQ(out, test::pack(in));
}

TEST(Interpreter, CopiesBetweenTypesRoundToNearestEven) {
    const auto bits = [](std::uint32_t word) { return numerics::float_of(word); };
    const std::vector<float> in{bits(0x3f808000), bits(0x3f818000), bits(0x3f808001), 1, 2, 3, 4, 5};
    const auto out =
        run_vector(in, Dtype::Bf16, [](auto& builder, const Tile& dst, const Tile& a, const auto& after) {
            return builder.tensor_copy(dst, a, {.after = after});
        });
    EXPECT_EQ(out, test::pack({0x3f80, 0x3f82, 0x3f81, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0}, Dtype::Bf16));
}

TEST(Interpreter, NoticesAMissingWait) {
    const std::vector<float> in(8, 1.0f);
    const auto without = [&](auto& builder, const Tile& dst, const Tile& a, const auto&) {
        return builder.tensor_copy(dst, a);
    };
    EXPECT_THROW(run_vector(in, Dtype::Fp32, without), Error);
}

// Copies `in` through SBUF to `out` twice; if `broken`, the second copy waits for nothing.
neff::Package two_copies(bool broken) {
    KernelBuilder builder("copies", "", test::small_target(), builder::Waits::Explicit);
    const TensorView in = builder.tensor("in", TensorKind::Input, Dtype::Fp32, {8, 4});
    const TensorView out = builder.tensor("out", TensorKind::Output, Dtype::Fp32, {8, 4});
    const TensorView more = builder.tensor("more", TensorKind::Output, Dtype::Fp32, {8, 4});
    const Tile source = builder.sbuf(8, Dtype::Fp32, {4}), result = builder.sbuf(8, Dtype::Fp32, {4});
    const auto loads = builder.queue("loads"), stores = builder.queue("stores");
    const Event loaded = builder.load(loads, source, in);
    const Event copied =
        builder.tensor_copy(result, source, {.after = broken ? builder::After{} : builder::After{loaded}});
    builder.store(stores, out, result, {copied});
    const Event again = builder.tensor_copy(result, source, {.engine = isa::Engine::Scalar});
    builder.store(stores, more, result, broken ? builder::After{} : builder::After{again});
    return builder.finish();
}

TEST(Interpreter, RacesNameBothSidesAndTheirLines) {
    const neff::Package package = two_copies(true);
    std::vector<std::string> races;
    Interpreter machine(package, {.races = &races});
    machine.set("in", test::pack(std::vector<float>(32, 1.0f)));
    machine.run();
    const auto found = [&](const std::string& a, const std::string& b) {
        return std::ranges::any_of(races, [&](const std::string& race) {
            const std::size_t at = race.find(": race: ");
            return race.find(a) < at && race.find(b, at) != std::string::npos;
        });
    };
    const std::string load = ", transfer 0 'load in", first = "vector instruction 0 [tensor_copy ",
                      second = "scalar instruction 0 [tensor_copy ", store = ", transfer 2 'store more";
    EXPECT_TRUE(found(first, load) || found(load, first));
    EXPECT_TRUE(found(first, second) || found(second, first));
    EXPECT_TRUE(found(store, second) || found(second, store));
    for (const std::string& race : races) {
        const std::size_t line = race.find(" at "), at = race.find(": race: ");
        EXPECT_LT(race.find("interpreter_test.cpp:", line), at) << race;
        EXPECT_NE(race.find("interpreter_test.cpp:", at), std::string::npos) << race;
        EXPECT_EQ(std::ranges::count(races, race), 1) << race;
    }
    Interpreter strict(package);
    EXPECT_THROW(strict.run(), Error);
}

TEST(Interpreter, RacesOfASoundKernelAreNone) {
    const neff::Package package =
        kernels::build_kernel("softmax", {{"rows", "20"}, {"cols", "30"}}, test::small_target());
    std::vector<std::string> races;
    Interpreter machine(package, {.races = &races});
    machine.run();
    EXPECT_TRUE(races.empty()) << races[0];
}

TEST(Interpreter, RowTilesWorkOnTheirHalves) {
    KernelBuilder builder("rows", "", test::small_target());
    const TensorView in = builder.tensor("in", TensorKind::Input, Dtype::Fp32, {8, 1});
    const TensorView out = builder.tensor("out", TensorKind::Output, Dtype::Fp32, {1, 2});
    const Tile data = builder.sbuf(8, Dtype::Fp32, {1});
    const Tile result = builder.sbuf(1, Dtype::Fp32, {2});
    const Tile psum = builder.psum({0}, 1, 2);
    const Event loaded = builder.load(builder.queue("in"), data, in);
    Event done = builder.load_stationary(data.partition_slice(0, 4), {.row_tile = true, .after = {loaded}});
    done = builder.load_stationary(data.partition_slice(4, 4), {.row_tile = true, .after = {loaded}});
    done = builder.multiply_moving(psum.slice(0, 1, 1), data.partition_slice(4, 4));
    done = builder.load_stationary(data.partition_slice(0, 4), {.row_tile = true});
    done = builder.multiply_moving(psum.slice(0, 0, 1), data.partition_slice(0, 4));
    builder.store(builder.queue("out"), out, result, {builder.tensor_copy(result, psum, {.after = {done}})});
    const neff::Package package = builder.finish();
    Interpreter machine(package);
    machine.set("in", test::pack({1, 2, 3, 4, 5, 6, 7, 8}));
    machine.run();
    EXPECT_EQ(machine.get("out"), test::pack({1 + 4 + 9 + 16, 25 + 36 + 49 + 64}));
}

neff::Package sample_matmul() {
    return kernels::build_kernel("matmul", {{"M", "40"}, {"K", "100"}, {"N", "300"}}, test::small_target());
}

TEST(Interpreter, NoticesEveryWaitThatIsTakenAway) {
    const neff::Package package = sample_matmul();
    std::size_t waits = 0, noticed = 0;
    for (std::size_t engine = 0; engine < neff::EngineCount; ++engine) {
        const std::size_t last = package.programs[engine].size();
        for (std::size_t i = 0; i + 2 < last; ++i) {  // the waits before halt order nothing on the core
            const isa::Instruction& instruction = package.programs[engine][i];
            if (instruction.get(isa::field::WaitMode) == 0) continue;
            neff::Package broken = package;
            broken.programs[engine][i].set(isa::field::WaitMode, 0);
            ++waits;
            Interpreter machine(broken);
            try {
                machine.run();
            } catch (const Error&) {
                ++noticed;
            }
        }
    }
    std::printf("noticed %zu of %zu\n", noticed, waits);
    EXPECT_GT(waits, 100u);
    EXPECT_GE(noticed * 100,
              waits * 95);  // the first matmul waits for more than it needs, to run without stalls
}

TEST(Interpreter, ReportsADeadlock) {
    neff::Package package = sample_matmul();
    auto& tensor = package.programs[static_cast<std::size_t>(isa::Engine::Tensor)];
    for (isa::Instruction& instruction : tensor) instruction.set(isa::field::UpdateMode, 0);
    Interpreter machine(package);
    try {
        machine.run();
        FAIL() << "no deadlock reported";
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("deadlock:")) << error.what();
        EXPECT_NE(std::string(error.what()).find("] at compiler/kernels/"), std::string::npos)
            << error.what();
    }
}

// Returns what the interpreter says of a package; empty if it runs to its end.
std::string complaint(const neff::Package& package, const Options& options = {}) {
    Interpreter machine(package, options);
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_input(tensor.kind))
            machine.set(tensor.name, std::vector<std::uint8_t>(neff::tensor_bytes(tensor)));
    }
    try {
        machine.run();
    } catch (const Error& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
        return error.what();
    }
    return {};
}

// Stores the first `rows` rows of a result of eight.
neff::Package stores_some(std::uint32_t rows) {
    KernelBuilder builder("some", "", test::small_target());
    const TensorView out = builder.tensor("y", TensorKind::Output, Dtype::Bf16, {8, 3});
    const Tile result = builder.sbuf(8, Dtype::Bf16, {3});
    builder.memset(result, 1.0f);
    if (rows != 0) {
        builder.store(builder.queue("out"), out.slice(0, 0, rows), result.partition_slice(0, rows));
    }
    return builder.finish();
}

// An output that the kernel stores in part, or not at all, is an error that says how much is missing.
TEST(Interpreter, EveryElementOfAnOutputIsWritten) {
    EXPECT_EQ(complaint(stores_some(8)), "");
    EXPECT_EQ(complaint(stores_some(5)),
              "output 'y': 9 of 24 elements are returned which nothing has written, the first at [5, 0]");
    EXPECT_EQ(complaint(stores_some(0)),
              "output 'y': 24 of 24 elements are returned which nothing has written, the first at [0, 0]");
    // Contents that the caller gave stay.
    const neff::Package package = stores_some(5);
    Interpreter machine(package);
    machine.set("y", std::vector<std::uint8_t>(48, 7));
    EXPECT_NO_THROW(machine.run());
    EXPECT_EQ(machine.get("y").back(), 7);
}

// Returns a kernel of one engine with this program.
neff::Package program_of(isa::Engine engine, std::vector<isa::Instruction> program) {
    neff::Package package = KernelBuilder("program", "", test::trn1_target()).finish();
    package.sources = {};
    package.programs[static_cast<std::size_t>(engine)] = std::move(program);
    return package;
}

isa::Instruction to_the_start() {
    return isa::Instruction(isa::Opcode::Branch).set(isa::field::Condition, isa::BranchCond::Always);
}

isa::Instruction memset_of(std::uint32_t elements) {
    isa::Instruction instruction(isa::Opcode::Memset);
    return instruction.set(isa::field::Partitions, 128)
        .set(isa::field::Count0, elements)
        .set(isa::field::Count1, 1)
        .set(isa::field::Count2, 1)
        .set(isa::field::Count3, 1)
        .set_signed(isa::field::DstStep0, 1)
        .set(isa::field::DstDtype, Dtype::Fp32);
}

// Programs that never end are stopped by the limit of work, or by that of the simulated time, and the message
// names the instruction.
TEST(Interpreter, EndlessProgramsEnd) {
    using isa::Instruction;
    using isa::Opcode;
    const neff::Package nothing =
        program_of(isa::Engine::Sync, {Instruction(Opcode::Nop), to_the_start(), Instruction(Opcode::Halt)});
    const neff::Package writes =
        program_of(isa::Engine::Vector, {memset_of(512), to_the_start(), Instruction(Opcode::Halt)});
    EXPECT_TRUE(complaint(nothing, {.limits = {.work = 1u << 20}})
                    .ends_with("]: no end within the work of 1048576 elements (max_work)"));
    const std::string work = complaint(writes, {.limits = {.work = 1u << 20}});
    EXPECT_TRUE(work.starts_with("vector instruction 0 [memset ")) << work;
    EXPECT_TRUE(work.ends_with("]: no end within the work of 1048576 elements (max_work)")) << work;
    EXPECT_TRUE(complaint(nothing, {.limits = {.cycles = 1000}})
                    .ends_with("]: no end within 1000 cycles of the core (max_time)"));
    EXPECT_TRUE(complaint(writes, {.limits = {.cycles = 1000}})
                    .ends_with("]: no end within 1000 cycles of the core (max_time)"));
    const neff::Package once = program_of(isa::Engine::Vector, {memset_of(512), Instruction(Opcode::Halt)});
    EXPECT_EQ(complaint(once, {.limits = {.work = 1u << 20, .cycles = 1000}}), "");
}

// Without a limit of its own a loop gets 2^28 elements of work, so that it ends within minutes; a number that is
// given is for all work.
TEST(Interpreter, LoopsEndWithoutALimitOfTheirOwn) {
    using isa::Instruction;
    using isa::Opcode;
    const auto work_of = [](Budget& budget, const Instruction& instruction, std::size_t pc) {
        std::uint64_t times = 0;
        try {
            for (;; ++times) budget.add(isa::Engine::Vector, pc, instruction);
        } catch (const Error& error) {
            EXPECT_STREQ(
                error.what(),
                "no end within the work of 268435456 elements by instructions that are executed again "
                "(max_work)");
        }
        return times;
    };
    const neff::Package package = program_of(isa::Engine::Vector, {});
    Budget budget({}, package);
    const std::uint64_t large = work_of(budget, memset_of(512), 0);
    EXPECT_NEAR(static_cast<double>(large), 0x1p28 / (512 * 128), 0x1p28 / (512 * 128) / 50);
    Budget other({}, package);
    EXPECT_EQ(work_of(other, Instruction(Opcode::Nop), 0), (1u << 28) / 16 + 1)
        << "the first is no repetition";
    Budget straight({}, package);
    for (std::size_t pc = 0; pc < 8192; ++pc)
        EXPECT_NO_THROW(straight.add(isa::Engine::Vector, pc, memset_of(512))) << "it ends by itself";
    Budget given({.work = std::uint64_t{1} << 30}, package);
    for (int i = 0; i < 8192; ++i) EXPECT_NO_THROW(given.add(isa::Engine::Vector, 0, memset_of(512)));
}

// Transfers count: their bytes, every piece, and for the simulated time what the DMA engines cannot exceed.
TEST(Interpreter, TransfersCountForTheLimits) {
    neff::Transfer dense;
    dense.element_bytes = 4;
    dense.from = dense.to = {neff::Pattern::Space::Tensor, 0, 0, {4, 4096}, {1024, 16, 1, 1}};
    neff::Transfer scattered = dense;
    scattered.to.step = {8, 8192};
    const neff::Package package = program_of(isa::Engine::Sync, {});
    const auto fits = [&](const neff::Transfer& transfer, const Limits& limits) {
        Budget budget(limits, package);
        try {
            budget.add(transfer);
            return true;
        } catch (const Error&) {
            return false;
        }
    };
    const std::uint64_t bytes = 1024 * 16 * 4, fixed = 4 * (2 * neff::EngineCount) * 16;
    EXPECT_TRUE(fits(dense, {.work = bytes / 4 + 4 * 16 + fixed}));
    EXPECT_FALSE(fits(dense, {.work = bytes / 4 + 4 * 16 + fixed - 1}));
    EXPECT_TRUE(fits(scattered, {.work = bytes / 4 + 4 * 16 * 1024 + fixed}));
    EXPECT_FALSE(fits(scattered, {.work = bytes / 4 + 4 * 16 * 1024 + fixed - 1}));
    EXPECT_TRUE(fits(dense, {.cycles = bytes / 64, .dma_bytes = 64}));
    EXPECT_FALSE(fits(dense, {.cycles = bytes / 64 - 1, .dma_bytes = 64}));
    EXPECT_TRUE(fits(dense, {.cycles = 1})) << "an unknown rate";
}

// Instructions with up to 65535 elements along each of four axes: the core refuses most of them, and the
// interpreter does without a list of their elements. The others are beyond what it takes.
TEST(Interpreter, NoInstructionTakesAllMemory) {
    using isa::Instruction;
    using isa::Opcode;
    const auto only = [](isa::Engine engine, const Instruction& instruction) {
        return complaint(program_of(engine, {instruction, Instruction(Opcode::Halt)}));
    };
    const auto shaped = [](Instruction instruction, std::array<std::uint32_t, 4> counts) {
        for (std::size_t dim = 0; dim < counts.size(); ++dim)
            instruction.set(*isa::count_fields()[dim], counts[dim]);
        return instruction;
    };
    Instruction load(Opcode::LoadStationary);
    load.set(isa::field::Partitions, 128).set(isa::field::ADtype, Dtype::Bf16);
    EXPECT_NE(only(isa::Engine::Tensor, shaped(load, {2, 1, 4097, 32769}))
                  .find("]: shape not supported by this instruction: more columns than the array"),
              std::string::npos);
    Instruction copy(Opcode::TensorCopy);
    copy.set(isa::field::Partitions, 128).set(isa::field::ADtype, Dtype::Fp32);
    copy.set(isa::field::DstDtype, Dtype::Fp32).set(isa::field::DstAddr, 0x8000);
    const auto many = [&](std::uint32_t partitions) {
        return only(isa::Engine::Vector,
                    shaped(Instruction(copy).set(isa::field::Partitions, partitions), {65535, 65535, 1, 1}));
    };
    EXPECT_NE(many(1).find("the interpreter takes at most"), std::string::npos) << many(1);
    EXPECT_TRUE(many(128).ends_with("]: no end within the work of 17179869184 elements (max_work)"))
        << many(128);
    Instruction in_place = Instruction(copy).set(isa::field::DstAddr, 0);
    EXPECT_NE(only(isa::Engine::Vector, shaped(in_place, {65535, 65535, 65535, 65535}))
                  .find("]: the destination overlaps this source"),
              std::string::npos);
    Instruction far = Instruction(copy).set_signed(isa::field::DstStep1, 1);
    EXPECT_NE(
        only(isa::Engine::Vector, shaped(far, {65535, 65535, 1, 1})).find("]: address out of range: sbuf"),
        std::string::npos);
    // A million elements at one place: memory for the place, not for the elements.
    Instruction same = memset_of(1000);
    same.set(isa::field::Partitions, 8).set(isa::field::Count1, 1000).set_signed(isa::field::DstStep0, 0);
    EXPECT_EQ(only(isa::Engine::Vector, same), "");
}

}  // namespace
}  // namespace trnsim::functional
