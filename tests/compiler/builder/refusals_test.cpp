// Tests that a refusal names the line of the call, and which measure of a shape does not fit.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "common/refusal.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;
using neff::TensorKind;

// On a target of 8 partitions.
struct Bench {
    KernelBuilder k{"k", "", target::Chip(test::small_target())};
    TensorView x = k.tensor("x", TensorKind::Update, Dtype::Fp32, {8, 6});
    Queue q = k.queue("q");
    Tile tile = k.sbuf(8, Dtype::Fp32, {6}), narrow = k.sbuf(8, Dtype::Fp32, {5});
    Tile beyond = [this] {
        Tile tile = this->tile;
        tile.partition = 4;  // leaves the memory
        return tile;
    }();
};

// Calls of each file of the builder.
TEST(Refusals, NameTheLineOfTheCall) {
    Bench b;
    const Tile &t = b.tile, &o = b.beyond;
    const TensorView& x = b.x;
    KernelBuilder &k = b.k, other("o", "", target::Chip(test::small_target()));
    const Event foreign = other.memset(other.sbuf(8, Dtype::Fp32, {6}), 0.0f);
    using enum isa::AluOp;
    const std::map<std::string, std::function<void(Where)>> calls{
        {"tensor", [&](Where w) { k.tensor("x", TensorKind::Input, Dtype::Fp32, {1}, w); }},
        {"sbuf", [&](Where w) { k.sbuf(9, Dtype::Fp32, {1}, w); }},
        {"psum", [&](Where w) { k.psum({99}, 1, 1, w); }},
        {"buffer", [&](Where w) { k.buffer(target::Memory::Sbuf, 1, 1, "b", w); }},
        {"slice of a tile", [&](Where w) { t.slice(0, 6, 1, w); }},
        {"at", [&](Where w) { t.at(0, 6, w); }},
        {"partition_slice", [&](Where w) { t.partition_slice(8, 1, w); }},
        {"slice", [&](Where w) { x.slice(0, std::uint64_t{8}, 1, w); }},
        {"split", [&](Where w) { x.split(1, 4, w); }},
        {"swapped", [&](Where w) { x.swapped(0, 2, w); }},
        {"load", [&](Where w) { k.load(b.q, b.narrow, x, {}, w); }},
        {"store", [&](Where w) { k.store(b.q, x, b.narrow, {}, w); }},
        {"combine", [&](Where w) { k.combine(b.q, x, Subtract, t, {}, w); }},
        {"load_transposed", [&](Where w) { k.load_transposed(b.q, t, x, {}, w); }},
        {"store_transposed", [&](Where w) { k.store_transposed(b.q, x, t, {}, w); }},
        {"gather", [&](Where w) { k.gather(b.q, t, x, t, {}, w); }},
        {"scatter", [&](Where w) { k.scatter(b.q, x, t, t, {}, w); }},
        {"load_stationary", [&](Where w) { k.load_stationary(o, {}, w); }},
        {"multiply_moving", [&](Where w) { k.multiply_moving(t, t, {}, w); }},
        {"memset", [&](Where w) { k.memset(o, 0.0f, {}, w); }},
        {"tensor_copy", [&](Where w) { k.tensor_copy(t, o, {}, w); }},
        {"tensor_tensor", [&](Where w) { k.tensor_tensor(t, t, Add, b.narrow, {}, w); }},
        {"tensor_reduce", [&](Where w) { k.tensor_reduce(t, o, Add, {}, w); }},
        {"max8", [&](Where w) { k.max8(t, t, {}, w); }},
        {"activation", [&](Where w) { k.activation(o, t, isa::Activation::Exp, {}, w); }},
        {"iota", [&](Where w) { k.iota(o, {.steps = {1}}, {}, w); }},
        {"sort", [&](Where w) { k.sort(t, o, {}, w); }},
        {"partition_reduce", [&](Where w) { k.partition_reduce(t, o, Add, {}, w); }},
        {"gpsimd_image",
         [&](Where w) {
             k.gpsimd_image("none", std::vector<std::uint8_t>{1, 2}, w);
         }},
        {"gpsimd", [&](Where w) { k.gpsimd({7}, {}, w); }},
        {"wait", [&](Where w) { k.wait(isa::Engine::Sync, {foreign}, w); }},
        {"begin_loop", [&](Where w) { k.begin_loop(0, w); }},
    };
    for (const auto& [name, call] : calls) {
        try {
            call({"kernel.cpp", 7});
            ADD_FAILURE() << name << " is not refused";
        } catch (const Error& error) {
            const std::string message = error.what();
            EXPECT_TRUE(message.starts_with("kernel.cpp:7: ")) << name << ": " << message;
            EXPECT_EQ(message.find(".cpp:", 7), std::string::npos) << "one line: " << message;
        }
    }
}

TEST(Refusals, NameTheLineWithoutBeingTold) {
    Bench b;
    const std::uint32_t line = __LINE__ + 1;
    EXPECT_EQ(
        test::message_of<Error>([&] { b.tile.slice(0, 6, 1); }),
        place_name(Where::current(__FILE__, line)) + ": slice 6+1 of axis 0 is outside " + b.tile.describe());
}

// A call that a call makes is the author's, too: here tensor_copy() on GpSimd, and load() of a function with
// the place of its caller.
TEST(Refusals, NameTheOutermostCall) {
    Bench b;
    const auto load = [&](Where where = Where::current()) { b.k.load(b.q, b.narrow, b.x, {}, where); };
    for (const std::function<void()>& call :
         {std::function<void()>([&] {
              load({"kernel.cpp", 7});
          }),
          std::function<void()>([&] {
              b.k.tensor_copy(b.tile, b.narrow, {.engine = isa::Engine::Gpsimd}, {"kernel.cpp", 7});
          })}) {
        try {
            call();
            FAIL();
        } catch (const CallError& error) {
            EXPECT_EQ(error.what(), "kernel.cpp:7: " + error.reason);
        }
    }
}

TEST(Refusals, TellApartTypeAxesPartitionsColumnsAndSpace) {
    Bench b;
    KernelBuilder& k = b.k;
    const Tile half = k.sbuf(8, Dtype::Bf16, {6}), cube = k.sbuf(8, Dtype::Fp32, {6, 1});
    const auto load = [&](const Tile& tile) { return test::refusal_of([&] { k.load(b.q, tile, b.x); }); };
    EXPECT_EQ(load(b.tile), "");
    const std::string fits = "transfer: fp32 x[8, 6] does not fit ";
    EXPECT_EQ(load(half), fits + half.describe() + ": the types are fp32 and bf16, expected the same");
    EXPECT_EQ(load(cube), fits + cube.describe() + ": 2 axes for the partitions and 2 axes of columns");
    const Tile four = b.tile.partition_slice(0, 4);
    EXPECT_EQ(load(four), fits + four.describe() + ": axis 0 has 8 elements, for 4 partitions");
    EXPECT_EQ(load(b.narrow), fits + b.narrow.describe() + ": axis 1 has 6 elements, for 5 columns");

    const auto add = [&](const Tile& other) {
        return test::refusal_of([&] { k.tensor_tensor(b.tile, b.tile, isa::AluOp::Add, other); });
    };
    const auto ends = [](const std::string& text, const std::string& end) {
        EXPECT_TRUE(text.ends_with(end)) << text;
    };
    ends(add(four), "partitions");
    ends(add(b.narrow), "columns in axis 1");

    const auto sbuf = [&](std::uint32_t partitions, std::uint32_t columns) {
        return test::refusal_of([&] { k.sbuf(partitions, Dtype::Fp32, {columns}); });
    };
    ends(sbuf(9, 1), ": 9 partitions, expected 1 to 8");
    EXPECT_NE(sbuf(8, 100'000).find(" takes 400000 bytes of each SBUF partition, "), std::string::npos);
    const auto psum = [&](std::uint32_t partitions, std::uint32_t columns) {
        return test::refusal_of([&] { k.psum({0}, partitions, columns); });
    };
    ends(psum(9, 1), ": 9 partitions, expected 1 to 8");
    EXPECT_NE(psum(8, 100'000).find(": 100000 columns of 4 bytes, expected 1 to "), std::string::npos);
}

TEST(Refusals, OfCallsThatVectorAndScalarDoNotShare) {
    Bench b;
    KernelBuilder& k = b.k;
    const Tile& t = b.tile;
    EXPECT_EQ(test::refusal_of([&] { k.memset(t, 0.0f, {.either = true}); }),
              "memset: the scalar engine does not have it");
    EXPECT_EQ(test::refusal_of([&] { k.tensor_tensor(t, t, isa::AluOp::Add, t, {.either = true}); }),
              "tensor_tensor: the scalar engine does not have it");
    EXPECT_EQ(test::refusal_of([&] {
                  k.tensor_scalar(t, t, {isa::AluOp::Max, 1.0f}, {}, {.either = true});
              }),
              "tensor_scalar: the Scalar engine has bypass, add and multiply");
    EXPECT_EQ(test::refusal_of([&] { k.tensor_copy(t, t, {.engine = isa::Engine::Gpsimd, .either = true}); }),
              "GpSimd and a choice between Vector and Scalar, expected one of them");
    EXPECT_EQ(test::refusal_of([&] {
                  k.tensor_scalar(t, t, {isa::AluOp::Add, 1.0f}, {}, {.either = true});
              }),
              "");
}

}  // namespace
}  // namespace trnsim::builder
