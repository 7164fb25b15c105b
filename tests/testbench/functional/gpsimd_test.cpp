// Tests GpSimd in the interpreter: its commands, the builder's calls of them, and the refusals of both.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "base/files/files.hpp"
#include "common/gpsimd_faults/faults.hpp"
#include "common/gpsimd_kernel.hpp"
#include "common/random.hpp"
#include "common/refusal.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/neff/neff.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr builder::OnEngine Gpsimd{.engine = isa::Engine::Gpsimd};

target::Core with_cores(int partitions) {
    return test::square_target(partitions, 64 << 10, 4 << 10, 8);
}

TEST(Gpsimd, EveryCommandOnOneCoreAndOnSeveral) {
    auto random = test::generator();
    for (const int partitions : {8, 16, 64}) {
        SCOPED_TRACE(partitions);
        const test::GpsimdKernel kernel = test::GpsimdKernelWriter(with_cores(partitions), random).write();
        // The package goes through a container.
        const neff::Package package = neff::parse(neff::serialise(kernel.package), "gpsimd.neff");
        ASSERT_EQ(package.images.size(), 1u);
        for (const std::uint64_t order : {0, 1, 7}) {
            Interpreter machine(package, in_order(order));
            for (const auto& [name, bytes] : kernel.inputs) machine.set(name, bytes);
            machine.run();
            for (const auto& [name, bytes] : kernel.expected) EXPECT_EQ(machine.get(name), bytes) << name;
        }
    }
}

TEST(Gpsimd, ImagesTakeTurns) {
    KernelBuilder k("turns", "", with_cores(16));
    const Tile tile = k.sbuf(16, Dtype::I32, {4});
    k.memset(tile, 1.0f, Gpsimd);
    const builder::GpsimdImage again =
        k.gpsimd_image("another", files::read(TRNSIM_FIRMWARE_IMAGES "/microcode_vlen512.gpsimd"));
    k.gpsimd(again);
    k.tensor_scalar(tile, tile, {AluOp::Add, 2.0f}, {}, Gpsimd);
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, Dtype::I32, {16, 4}), tile);
    const neff::Package package = k.finish();
    ASSERT_EQ(package.images.size(), 2u);
    Interpreter machine(package, in_order(1));
    machine.run();
    EXPECT_EQ(machine.get("y"), test::bytes_of(std::vector<std::int32_t>(64, 3)));
}

TEST(Gpsimd, CommandsInALoop) {
    for (const std::uint32_t iterations : {1, 2, 5}) {
        const test::GpsimdKernel kernel = test::gpsimd_loop(with_cores(32), iterations);
        for (const std::uint64_t order : {0, 1, 5, 9}) {
            Interpreter machine(kernel.package, in_order(order));
            machine.set("x", kernel.inputs.at("x"));
            machine.run();
            EXPECT_EQ(machine.get("y"), kernel.expected.at("y")) << iterations << " " << order;
        }
    }
}

TEST(Gpsimd, ImagesAreNotLoadedInALoop) {
    KernelBuilder k("late", "", with_cores(16));
    const Tile tile = k.sbuf(16, Dtype::I32, {4});
    k.begin_loop(3);
    try {
        k.memset(tile, 1.0f, Gpsimd);
        FAIL() << "loaded";
    } catch (const builder::Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("gpsimd_test.cpp"), std::string::npos) << what;
        EXPECT_NE(what.find("before the loop"), std::string::npos) << what;
    }
}

TEST(Gpsimd, RacesAreFound) {
    KernelBuilder k("race", "", with_cores(16), builder::Waits::Explicit);
    const Tile tile = k.sbuf(16, Dtype::I32, {4});
    k.memset(tile, 1.0f, Gpsimd);
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, Dtype::I32, {16, 4}), tile);
    const neff::Package package = k.finish();
    Interpreter machine(package, in_order(0));
    EXPECT_THROW(machine.run(), Error);
}

// relu of rows that begin and end within cores, with images that take turns and a loop.
TEST(Gpsimd, CustomOperators) {
    constexpr std::uint32_t Columns = 11;
    for (const int partitions : {8, 16, 64}) {
        SCOPED_TRACE(partitions);
        const auto rows = static_cast<std::uint32_t>(partitions) - 3;
        KernelBuilder k("own", "", with_cores(partitions));
        const Tile in = k.sbuf(rows, Dtype::Fp32, {Columns}), out = k.sbuf(rows, Dtype::Fp32, {Columns});
        const builder::Queue queue = k.queue("q");
        k.load(queue, in, k.tensor("x", neff::TensorKind::Input, Dtype::Fp32, {rows, Columns}));
        const builder::GpsimdImage relu = k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd");
        k.custom_op(relu, "relu", std::array{in, out});
        k.tensor_scalar(out, out, {AluOp::Add, 1.0f}, {}, Gpsimd);
        k.gpsimd(relu);
        k.begin_loop(2);
        k.custom_op(relu, "relu", std::array{out, out});
        k.end_loop();
        k.store(queue, k.tensor("y", neff::TensorKind::Output, Dtype::Fp32, {rows, Columns}), out);
        const neff::Package package = k.finish();
        auto random = test::generator();
        std::vector<float> x(std::size_t{rows} * Columns), y;
        for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8.0f;
        y.reserve(x.size());
        for (const float value : x) y.push_back(std::max(value, 0.0f) + 1.0f);
        for (const std::uint64_t order : {0, 1, 7}) {
            Interpreter machine(package, in_order(order));
            machine.set("x", test::bytes_of(x));
            machine.run();
            EXPECT_EQ(machine.get("y"), test::bytes_of(y)) << order;
        }
    }
}

TEST(Gpsimd, CustomOperatorsThatReadOrWriteTooEarly) {
    const auto message_of = [](bool written, builder::Waits waits) {
        KernelBuilder k("early", "", with_cores(16), waits);
        const Tile in = k.sbuf(16, Dtype::Fp32, {8}), out = k.sbuf(16, Dtype::Fp32, {8});
        if (written) k.memset(in, 1.0f);
        k.custom_op(k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd"), "relu", std::array{in, out});
        const neff::Package package = k.finish();
        Interpreter machine(package, in_order(0));
        return test::message_of<Error>([&] { machine.run(); });
    };
    const std::string unwritten = message_of(false, builder::Waits::Derived),
                      race = message_of(true, builder::Waits::Explicit);
    EXPECT_NE(unwritten.find("which nothing has written"), std::string::npos) << unwritten;
    EXPECT_NE(race.find("race: "), std::string::npos) << race;
}

TEST(Gpsimd, FaultsOfCustomOperators) {
    const auto message_of = [](const std::string& operation, const std::vector<builder::Number>& scalars) {
        KernelBuilder k("fault", "", with_cores(16));
        const Tile tile = k.sbuf(16, Dtype::Fp32, {4});
        k.memset(tile, 0.0f);
        k.custom_op(k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/checks.gpsimd"), operation, std::array{tile},
                    scalars);
        const neff::Package package = k.finish();
        Interpreter machine(package);
        return test::message_of<Error>([&] { machine.run(); });
    };
    const std::string load = message_of("load_from_nowhere", {});
    EXPECT_NE(load.find("gpsimd core 0: load outside its memory 0x80010000 at 0x"), std::string::npos)
        << load;
    EXPECT_NE(load.find("tests/firmware/checks.cpp:"), std::string::npos) << load;
    const std::string stack = message_of("overflow_stack", {std::int32_t{200}});
    EXPECT_NE(stack.find("(stack overflow) at 0x"), std::string::npos) << stack;
    const std::string failed = message_of("gives_up", {});
    EXPECT_NE(failed.find("gpsimd core 0: gives_up: said that it failed"), std::string::npos) << failed;
    EXPECT_EQ(message_of("print_much", {std::int32_t{2}}), "");
    const std::string numbers = message_of("print_much", {});
    EXPECT_NE(numbers.find("gpsimd core 0: print_much: 1 tensors and 0 scalars, expected 1 and 1"),
              std::string::npos)
        << numbers;
}

TEST(Gpsimd, ATrapBeforeTheFirstCommandIsTold) {
    KernelBuilder k("start", "", with_cores(16));
    k.gpsimd(k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/traps_at_start.gpsimd"));
    const neff::Package package = k.finish();
    Interpreter machine(package);
    const std::string message = test::message_of<Error>([&] { machine.run(); });
    EXPECT_NE(message.find("gpsimd core 0: illegal instruction 0xc0001073 (require) at 0x"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("tests/firmware/traps_at_start.cpp:6"), std::string::npos) << message;
}

// The same cases are tested on the cores in tests/runtime/session/gpsimd_rtl_test.cpp.
TEST(Gpsimd, WhatTheMicrocodeRefuses) {
    for (const int partitions : {16, 128}) {
        const target::Core target = with_cores(partitions);
        for (std::uint64_t i = 0; i < 3 * test::scale() * test::gpsimd_fault_kinds(); ++i) {
            const test::GpsimdFault fault =
                test::make_gpsimd_fault(target, i % test::gpsimd_fault_kinds(), test::seed() + i);
            Interpreter machine(fault.package);
            const std::string message = test::message_of<Error>([&] { machine.run(); });
            EXPECT_NE(message.find(fault.expected), std::string::npos)
                << i << ": " << message << "; expected " << fault.expected;
        }
    }
}

// Commands address eight cores: a NeuronCore with more partitions than these have has no further cores.
TEST(Gpsimd, ReachesAHundredAndTwentyEightOfMorePartitions) {
    KernelBuilder k("wide", "", with_cores(256));
    const Tile all = k.sbuf(256, Dtype::I32, {4}), reached = all.partition_slice(112, 16);
    k.iota(reached, {.base = 1, .partition_step = 4, .steps = {1}});
    k.store(k.queue("out"), k.tensor("y", neff::TensorKind::Output, Dtype::I32, {16, 4}), reached);
    const Tile beyond = all.partition_slice(112, 17), first = all.partition_slice(0, 1);
    EXPECT_EQ(test::refusal_of([&] { k.iota(beyond, {.steps = {1}}); }),
              "iota: " + beyond.describe() + ": GpSimd's 8 cores reach partitions 0 to 127");
    for (const auto& [name, call] : std::map<std::string, std::function<void()>>{
             {"all_partition_reduce", [&] { k.all_partition_reduce(first, all, AluOp::Add); }},
             {"all_partition_broadcast", [&] { k.all_partition_broadcast(all, first); }}})
        EXPECT_EQ(test::refusal_of(call),
                  name + ": " + all.describe() + ": GpSimd's 8 cores reach partitions 0 to 127");
    const neff::Package package = k.finish();
    Interpreter machine(package, in_order(1));
    machine.run();
    std::vector<std::int32_t> expected(64);
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(machine.get("y"), test::bytes_of(expected));
}

TEST(Gpsimd, TheBuilderRefusesWhatTheCoresDo) {
    const target::Core target = with_cores(32);
    KernelBuilder k("refused", "", target);
    const Tile f = k.sbuf(32, Dtype::Fp32, {8}), i = k.sbuf(32, Dtype::I32, {8}),
               h = k.sbuf(32, Dtype::Fp16, {8});
    const Tile u = k.sbuf(32, Dtype::U16, {1}), sum = k.psum({0}, 32, 8);
    const builder::GpsimdImage relu = k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/relu.gpsimd");
    const auto refused = [](const auto& call, const std::string& why) {
        const std::string message = test::message_of<builder::Error>(call);
        EXPECT_NE(message.find(why), std::string::npos) << message << "; expected " << why;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    };
    refused([&] { k.tensor_copy(f, h, Gpsimd); }, "GpSimd has i8, u8");
    refused([&] { k.tensor_copy(f, sum, Gpsimd); }, "SBUF only");
    refused([&] { k.tensor_copy(f, f.slice(1 - 1, 0, 4), Gpsimd); }, "its shape differs");
    refused([&] { k.tensor_tensor(i, i, AluOp::Power, i, Gpsimd); }, "no power of integers");
    refused([&] { k.tensor_tensor(f, f, AluOp::BitwiseAnd, f, Gpsimd); }, "no bitwise_and of floats");
    refused([&] { k.tensor_scalar(i, i, {AluOp::Add, 0.5f}, {}, Gpsimd); }, "0.5 is no integer");
    refused(
        [&] { k.memset(f, 1.0f, {.rounding = isa::Rounding::Stochastic, .engine = isa::Engine::Gpsimd}); },
        "rounds to the nearest");
    refused([&] { k.memset(f, 1.0f, {.engine = isa::Engine::Scalar}); }, "Vector and GpSimd");
    refused([&] { k.iota(i, {.steps = {1, 2}}); }, "2 steps for the 1 axes");
    refused([&] { k.affine_select(f, f, {.steps = {1}}, AluOp::Add, 0); }, "add is no comparison");
    refused([&] { k.local_gather(f, f, u); }, "[indices, elements]");
    refused([&] { k.partition_reduce(f, f, AluOp::Add); }, "is not a partition of each core");
    refused([&] { k.all_partition_reduce(f, f, AluOp::Add); }, "the result has one");
    refused([&] { k.sort(h, h); }, "GpSimd has i8, u8");
    refused([&] { k.top_k(f.slice(0, 0, 9 - 1), k.sbuf(32, Dtype::U32, {8}), f.slice(0, 0, 4)); },
            "selects 64");
    refused([&] { k.sort(f.slice(0, 0, 7), f.slice(0, 1, 7)); }, "overlaps");
    refused([&] { k.custom_op(relu, "reluu", std::array{f, f}); }, "has no such operator, there are: relu");
    refused([&] { k.custom_op(relu, "relu", {}); }, "1 to 8 tensors");
    refused([&] { k.gpsimd_image("bad", {1, 2, 3, 4, 5}); }, "is not an image");
    KernelBuilder other("other", "", target);
    other.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/checks.gpsimd");
    refused(
        [&] {
            other.custom_op(relu, "relu", std::array{f, f});
        },
        "relu: the image is none of kernel 'other'");
    refused([&] { other.gpsimd(relu); }, "gpsimd: the image is none of kernel 'other'");
}

}  // namespace
}  // namespace trnsim::functional
