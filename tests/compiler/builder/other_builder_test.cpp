// A builder refuses the objects of another builder.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;

// Two kernels of this kind have equal numbers of everything.
struct Kernel {
    explicit Kernel(Waits waits = Waits::Derived)
        : k("kernel", "", test::square_target(16, 16 << 10, 16 << 10, 8), waits) {}

    KernelBuilder k;
    Queue queue = k.queue("q"), collectives = k.queue("c");
    TensorView x = k.tensor("x", neff::TensorKind::Input, Dtype::Fp32, {16, 8});
    TensorView y = k.tensor("y", neff::TensorKind::Output, Dtype::Fp32, {16, 8});
    Tile tile = k.sbuf(16, Dtype::Fp32, {8}), result = k.sbuf(16, Dtype::Fp32, {8});
    Tile index = k.sbuf(16, Dtype::I32, {1}), column = tile.slice(0, 0, 1);
    Tile psum = k.psum({0}, 8, 8);
    Event event = k.load(queue, tile, x);
};

struct Row {
    std::string name;
    std::string message;
    std::function<void(Kernel&, const Kernel& of)> call;
};

neff::Collective all_reduce() {
    neff::Collective collective;
    collective.request = {.dtype = Dtype::Fp32, .count = 128, .ranks = 2};
    return collective;
}

const Row Rows[] = {
    {"queue of a load", "queue 0: a queue of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.load(of.queue, a.tile, a.x); }},
    {"queue of a gather", "queue 0: a queue of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.gather(of.queue, a.tile, a.x, a.index); }},
    {"tile of a load", "another kernel",
     [](Kernel& a, const Kernel& of) { a.k.load(a.queue, of.tile, a.x); }},
    {"tensor of a load", "x[16, 8]: a tensor of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.load(a.queue, a.tile, of.x); }},
    {"tensor of a store", "y[16, 8]: a tensor of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.store(a.queue, of.y, a.tile); }},
    {"slice of a tensor", "x[8, 8]: a tensor of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.load(a.queue, a.tile.partition_slice(0, 8), of.x.slice(0, 4, 8));
     }},
    {"tensor of a transposed store", "a tensor of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.store_transposed(a.queue, of.y.slice(0, 0, 8).swapped(0, 1).swapped(0, 1),
                              a.tile.partition_slice(0, 8));
     }},
    {"indices of a gather", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.gather(a.queue, a.tile, a.x, of.index); }},
    {"event of a load", "after: an event of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.load(a.queue, a.tile, a.x, {of.event}); }},
    {"event of an instruction", "after: an event of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.tensor_copy(a.result, a.tile, {.after = {of.event}}); }},
    {"event of a wait", "after: an event of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.wait(isa::Engine::Scalar, {a.event, of.event});
     }},
    {"source", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.tensor_copy(a.result, of.tile); }},
    {"destination", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.tensor_copy(of.result, a.tile); }},
    {"vector of scalars", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.tensor_scalar(a.result, a.tile, {isa::AluOp::Add, of.column});
     }},
    {"part of a tile", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.memset(of.result.partition_slice(4, 2).slice(0, 1, 4), 0.0f); }},
    {"operand of Scalar", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.activation(a.result, of.tile, isa::Activation::Exp); }},
    {"bias of Scalar", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.activation(a.result, a.tile, isa::Activation::Exp, {.bias = of.column});
     }},
    {"stationary operand", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.load_stationary(of.tile); }},
    {"PSUM", "a tile of another kernel",
     [](Kernel& a, const Kernel& of) {
         a.k.load_stationary(a.tile);
         a.k.multiply_moving(of.psum, a.result);
     }},
    {"input of a collective", "x[16, 8]: a tensor of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.collective(a.collectives, a.y, of.x, all_reduce()); }},
    {"output of a collective", "y[16, 8]: a tensor of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.collective(a.collectives, of.y, a.x, all_reduce()); }},
    {"queue of a collective", "queue 1: a queue of another kernel",
     [](Kernel& a, const Kernel& of) { a.k.collective(of.collectives, a.y, a.x, all_reduce()); }},
};

// Returns the message with which a call is refused, or an empty string.
std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(OtherBuilder, IsToldByWhatItHasMade) {
    for (const Waits waits : {Waits::Derived, Waits::Explicit}) {
        for (const Row& row : Rows) {
            SCOPED_TRACE(row.name);
            Kernel own(waits), kernel(waits);
            const Kernel other(waits);
            EXPECT_EQ(refusal([&] { row.call(own, own); }), "");
            const std::string refused = refusal([&] { row.call(kernel, other); });
            EXPECT_NE(refused.find(row.message), std::string::npos) << "'" << refused << "'";
        }
    }
}

TEST(OtherBuilder, HasLoopsOfItsOwn) {
    Kernel kernel, other;
    const LoopIndex i = kernel.k.begin_loop(4), j = other.k.begin_loop(4);
    const Tile rows = kernel.tile.partition_slice(0, 2);
    EXPECT_EQ(refusal([&] { kernel.k.load(kernel.queue, rows, kernel.x.slice(0, 14 - i * 2, 2)); }), "");
    for (const LoopOffset& offset : {j + 1, 1 + j, j - 0, 14 - j * 2, 2 * j}) {
        const std::string refused = refusal([&] { (void)kernel.x.slice(0, offset, 2); });
        EXPECT_NE(refused.find("x[16, 8] is a slice of another loop"), std::string::npos)
            << "'" << refused << "'";
    }
}

TEST(OtherBuilder, TakesWhatIsMadeByHand) {
    Kernel kernel;
    Tile tile;
    tile.partitions = 16;
    tile.axes = {{8, 1}};
    EXPECT_EQ(refusal([&] { kernel.k.load({0}, tile, kernel.x, {Event{}}); }), "");
}

// A refused call leaves the kernel unchanged.
TEST(OtherBuilder, LeavesTheKernelAsItWas) {
    const auto package = [](bool refuses) {
        Kernel kernel;
        if (refuses) {
            const Kernel other;
            for (const Row& row : Rows) {
                // These first load a tile of their own, or a table.
                if (row.name == "PSUM" || row.name.ends_with("of Scalar")) continue;
                EXPECT_NE(refusal([&] { row.call(kernel, other); }), "") << row.name;
            }
        }
        kernel.k.store(kernel.queue, kernel.y, kernel.tile);
        return kernel.k.finish();
    };
    const neff::Package with = package(true), without = package(false);
    EXPECT_EQ(with.transfers.size(), without.transfers.size());
    EXPECT_EQ(with.programs, without.programs);
}

}  // namespace
}  // namespace trnsim::builder
