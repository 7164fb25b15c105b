// Tests GpSimd on the verilated core of configs/small16.yaml, in one session: the microcode is compared with
// the interpreter, custom operators with the host and the interpreter; prints of cores, failures in them, and
// refusals are tested too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "common/gpsimd_faults/faults.hpp"
#include "common/gpsimd_kernel.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "runtime/session/chip_of_process.hpp"
#include "runtime/session/session.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::runtime {
namespace {

using builder::KernelBuilder;
using builder::Number;
using builder::Tile;
using isa::Dtype;
using neff::TensorKind;

constexpr std::uint32_t Rows = 16;

class GpsimdRtl : public testing::Test {
  protected:
    GpsimdRtl() : config_(config::load("small16")), session_(config_, chip_of_process) {}

    // Runs the package; a run that never ends reaches the time limit.
    Result run(neff::Package package, const Arrays& inputs, std::uint64_t max_time = 5'000'000'000'000) {
        const runtime::Run options{.max_time = max_time};  // fs
        return session_.execute(session_.load(std::move(package)), inputs, options);
    }

    // Makes a kernel that calls an operator on a tensor of zeros.
    neff::Package call(const std::string& operation, const std::vector<Number>& scalars = {}) {
        KernelBuilder k(operation, "", target::of(config_));
        const builder::GpsimdImage checks = k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/checks.gpsimd");
        const Tile tile = k.sbuf(Rows, Dtype::Fp32, {4});
        k.memset(tile, 0.0f);
        k.custom_op(checks, operation, std::array{tile}, scalars);
        k.store(k.queue("out"), k.tensor("y", TensorKind::Output, Dtype::Fp32, {Rows, 4}), tile);
        return k.finish();
    }

    config::Config config_;
    Session session_;
};

npy::Array array_of(const neff::Tensor& tensor, const std::vector<std::uint8_t>& bytes) {
    return loader::from_device(tensor, bytes);
}

TEST_F(GpsimdRtl, EveryCommandOfTheMicrocode) {
    auto random = test::generator();
    const test::GpsimdKernel kernel = test::GpsimdKernelWriter(target::of(config_), random).write();
    functional::Interpreter machine(kernel.package);
    Arrays inputs;
    for (const neff::Tensor& tensor : kernel.package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        machine.set(tensor.name, kernel.inputs.at(tensor.name));
        inputs.emplace(tensor.name, array_of(tensor, kernel.inputs.at(tensor.name)));
    }
    machine.run();
    const Result result = run(kernel.package, inputs);
    ASSERT_TRUE(result.done()) << result.message;
    for (const auto& [name, bytes] : kernel.expected) {
        EXPECT_EQ(result.outputs.at(name).data, bytes) << name;
        EXPECT_EQ(machine.get(name), bytes) << name;
    }
}

TEST_F(GpsimdRtl, CommandsInALoop) {
    const test::GpsimdKernel kernel = test::gpsimd_loop(target::of(config_), 5);
    const neff::Tensor& x = kernel.package.tensors.at(0);
    const Result result = run(kernel.package, {{"x", array_of(x, kernel.inputs.at("x"))}});
    ASSERT_TRUE(result.done()) << result.message;
    EXPECT_EQ(result.outputs.at("y").data, kernel.expected.at("y"));
}

// Measures GpSimd cycles from one command to the next of the same kind: the table in docs/timing.md.
TEST_F(GpsimdRtl, TimesOfCommands) {
    using isa::AluOp;
    constexpr builder::OnEngine Gpsimd{.engine = isa::Engine::Gpsimd};
    constexpr double ClockRatio = 2;  // core clock / GpSimd's clock
    struct Operands {
        Tile a, b, dst, places, one;
        Tile half_a, half_b, half_dst;  // bf16
    };
    struct Row {
        const char* name;
        std::uint32_t columns;
        double cycles;
        std::function<void(KernelBuilder&, const Operands&)> call;
    };
    const auto copy = [&](KernelBuilder& k, const Operands& o) { k.tensor_copy(o.dst, o.a, Gpsimd); };
    const auto pack = [&](KernelBuilder& k, const Operands& o) { k.tensor_copy(o.half_dst, o.a, Gpsimd); };
    const auto multiply = [&](KernelBuilder& k, const Operands& o) {
        k.tensor_scalar(o.dst, o.a, {AluOp::Multiply, 2.0f}, {}, Gpsimd);
    };
    const auto multiply_bf16 = [&](KernelBuilder& k, const Operands& o) {
        k.tensor_scalar(o.half_dst, o.half_a, {AluOp::Multiply, 2.0f}, {}, Gpsimd);
    };
    const auto select = [&](KernelBuilder& k, const Operands& o) {
        k.affine_select(o.dst, o.a, {.steps = {1}}, AluOp::Greater, 0.0f);
    };
    const auto add = [&](KernelBuilder& k, const Operands& o) {
        k.tensor_tensor(o.dst, o.a, AluOp::Add, o.b, Gpsimd);
    };
    const auto add_bf16 = [&](KernelBuilder& k, const Operands& o) {
        k.tensor_tensor(o.half_dst, o.half_a, AluOp::Add, o.half_b, Gpsimd);
    };
    const auto set = [&](KernelBuilder& k, const Operands& o) { k.memset(o.dst, 1.0f, Gpsimd); };
    const auto count = [&](KernelBuilder& k, const Operands& o) { k.iota(o.places, {.steps = {1}}); };
    const std::vector<Row> rows{
        {"memset", 512, 798, set},
        {"memset", 2048, 2334, set},
        {"iota", 512, 846, count},
        {"iota", 2048, 2382, count},
        {"tensor_copy", 512, 838, copy},
        {"tensor_copy", 2048, 2374, copy},
        {"tensor_copy of every other one of", 512, 4205,
         [&](auto& k, auto& o) {
             Tile from = o.a;
             from.axes = {{256, 2}};
             k.tensor_copy(o.dst.slice(0, 0, 256), from, Gpsimd);
         }},
        {"tensor_copy, fp32 to bf16", 512, 4407, pack},
        {"tensor_copy, fp32 to bf16", 2048, 16119, pack},
        {"tensor_scalar multiply", 512, 1217, multiply},
        {"tensor_scalar multiply", 2048, 2945, multiply},
        {"tensor_scalar multiply, bf16", 512, 2683, multiply_bf16},
        {"tensor_scalar multiply, bf16", 2048, 8635, multiply_bf16},
        {"affine_select", 512, 1107, select},
        {"affine_select", 2048, 2643, select},
        {"tensor_tensor add", 64, 597, add},
        {"tensor_tensor add", 512, 1493, add},
        {"tensor_tensor add", 2048, 4565, add},
        {"tensor_tensor add, bf16", 512, 2988, add_bf16},
        {"tensor_tensor add, bf16", 2048, 10476, add_bf16},
        {"tensor_tensor power", 64, 13985,
         [&](auto& k, auto& o) { k.tensor_tensor(o.dst, o.a, AluOp::Power, o.b, Gpsimd); }},
        {"partition_reduce add", 64, 2438,
         [&](auto& k, auto& o) { k.partition_reduce(o.one, o.a, AluOp::Add); }},
        {"partition_broadcast", 64, 1146,
         [&](auto& k, auto& o) { k.partition_broadcast(o.dst, o.a.partition_slice(0, 1)); }},
        {"sort", 64, 8084, [&](auto& k, auto& o) { k.sort(o.dst, o.a); }},
        {"top_k of 8", 64, 22244,
         [&](auto& k, auto& o) { k.top_k(o.dst.slice(0, 0, 8), o.places.slice(0, 0, 8), o.a); }},
    };
    for (const Row& row : rows) {
        std::array<std::uint64_t, 2> total{};
        for (std::size_t more = 0; more < total.size(); ++more) {
            KernelBuilder k("times", "", target::of(config_));
            const auto tile = [&](std::uint32_t partitions, Dtype dtype) {
                return k.sbuf(partitions, dtype, {row.columns});
            };
            const Operands operands{tile(Rows, Dtype::Fp32), tile(Rows, Dtype::Fp32), tile(Rows, Dtype::Fp32),
                                    tile(Rows, Dtype::U32),  tile(1, Dtype::Fp32),    tile(Rows, Dtype::Bf16),
                                    tile(Rows, Dtype::Bf16), tile(Rows, Dtype::Bf16)};
            k.iota(operands.a, {.steps = {1}});  // ascending: top_k takes every element in
            k.memset(operands.b, 3.0f);
            k.memset(operands.half_a, 2.0f);
            k.memset(operands.half_b, 3.0f);
            for (std::size_t i = 0; i < more + 2; ++i) row.call(k, operands);
            const Result result = run(k.finish(), {});
            ASSERT_TRUE(result.done()) << result.message;
            total[more] = result.figures.cycles;
        }
        const double cycles = static_cast<double>(total[1] - total[0]) / ClockRatio;
        fmt::print("| {} | {} | {:g} |\n", row.name, row.columns, cycles);
        EXPECT_NEAR(cycles, row.cycles, row.cycles / 20) << row.name;
    }
}

// Compares the operators of firmware/examples, on the core and in the interpreter, with the host, bit for
// bit.
class GpsimdExamples : public GpsimdRtl {
  protected:
    struct Array {
        Dtype dtype;
        std::uint32_t columns;
        std::vector<std::uint8_t> bytes;  // [Rows, columns]
    };

    static Array array(const std::vector<float>& values) {
        return {Dtype::Fp32, static_cast<std::uint32_t>(values.size()) / Rows, test::bytes_of(values)};
    }
    static Array array(const std::vector<std::int32_t>& values) {
        return {Dtype::I32, static_cast<std::uint32_t>(values.size()) / Rows, test::bytes_of(values)};
    }

    void expect(const std::string& operation, const std::vector<Array>& inputs,
                const std::vector<Array>& outputs, const std::vector<Number>& scalars = {}) {
        KernelBuilder k(operation, "", target::of(config_));
        const builder::GpsimdImage image = k.gpsimd_image(TRNSIM_FIRMWARE_IMAGES "/" + operation + ".gpsimd");
        const builder::Queue queue = k.queue("q");
        std::vector<Tile> tiles;
        const auto tensor = [&](const std::string& name, TensorKind kind, const Array& array) {
            return k.tensor(name, kind, array.dtype, {Rows, array.columns});
        };
        for (const Array& in : inputs) {
            tiles.push_back(k.sbuf(Rows, in.dtype, {in.columns}));
            k.load(queue, tiles.back(), tensor("in" + std::to_string(tiles.size()), TensorKind::Input, in));
        }
        for (const Array& out : outputs) tiles.push_back(k.sbuf(Rows, out.dtype, {out.columns}));
        k.custom_op(image, operation, tiles, scalars,
                    {.results = static_cast<std::uint32_t>(outputs.size())});
        for (std::size_t i = 0; i < outputs.size(); ++i)
            k.store(queue, tensor("out" + std::to_string(i), TensorKind::Output, outputs[i]),
                    tiles[inputs.size() + i]);
        const neff::Package package = k.finish();
        functional::Interpreter machine(package);
        Arrays arrays;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            machine.set(package.tensors[i].name, inputs[i].bytes);
            arrays.emplace(package.tensors[i].name, array_of(package.tensors[i], inputs[i].bytes));
        }
        machine.run();
        const Result result = run(package, arrays);
        ASSERT_TRUE(result.done()) << result.message;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::string name = "out" + std::to_string(i);
            EXPECT_EQ(result.outputs.at(name).data, outputs[i].bytes);
            EXPECT_EQ(machine.get(name), outputs[i].bytes);
        }
    }

    std::vector<float> numbers(std::uint32_t columns) {
        std::vector<float> values(std::size_t{Rows} * columns);
        for (float& value : values)
            value = static_cast<float>(static_cast<int>(random_() % 4001) - 2000) / 64.0f;
        return values;
    }

    std::mt19937_64 random_ = test::generator();
};

TEST_F(GpsimdExamples, Relu) {
    const std::vector<float> x = numbers(70);
    std::vector<float> y(x.size());
    std::ranges::transform(x, y.begin(), [](float value) { return std::max(value, 0.0f); });
    expect("relu", {array(x)}, {array(y)});
}

TEST_F(GpsimdExamples, TopK) {
    constexpr std::uint32_t Columns = 60, Kept = 5;
    const std::vector<float> x = numbers(Columns);
    std::vector<float> best;
    std::vector<std::int32_t> places;
    for (std::uint32_t row = 0; row < Rows; ++row) {
        std::vector<std::int32_t> order(Columns);
        std::iota(order.begin(), order.end(), 0);
        const auto value = [&](std::int32_t k) { return x[row * Columns + static_cast<std::uint32_t>(k)]; };
        std::ranges::stable_sort(order, std::greater(), value);
        for (std::uint32_t k = 0; k < Kept; ++k) {
            places.push_back(order[k]);
            best.push_back(value(order[k]));
        }
    }
    expect("topk", {array(x)}, {array(places), array(best)});
}

TEST_F(GpsimdExamples, EmbeddingOfHashedKeys) {
    constexpr std::uint32_t Slots = 11, Width = 3, Queries = 6;
    constexpr std::int32_t Empty = -1;
    std::vector<std::int32_t> keys(std::size_t{Rows} * Slots, Empty), queries;
    const std::vector<float> vectors = numbers(Slots * Width);
    std::vector<float> result;
    for (std::uint32_t row = 0; row < Rows; ++row) {
        std::int32_t* table = &keys[row * Slots];
        for (std::uint32_t q = 0; q < Queries; ++q) {
            const auto key = static_cast<std::int32_t>(1000 * q + random_() % 1000);
            const bool known = q % 3 != 0;
            std::uint32_t slot = static_cast<std::uint32_t>(key) * 0x9e3779b1U % Slots;
            while (known && table[slot] != Empty) slot = (slot + 1) % Slots;
            if (known) table[slot] = key;
            queries.push_back(key);
            for (std::uint32_t k = 0; k < Width; ++k)
                result.push_back(known ? vectors[(row * Slots + slot) * Width + k] : 0.0f);
        }
    }
    expect("embedding", {array(keys), array(vectors), array(queries)}, {array(result)}, {Empty});
}

std::uint32_t mix(std::uint32_t v) {
    v = (v ^ v >> 16) * 0x85ebca6bU;
    v = (v ^ v >> 13) * 0xc2b2ae35U;
    return v ^ v >> 16;
}

TEST_F(GpsimdExamples, Augmentation) {
    constexpr std::uint32_t Columns = 90, Seed = 4'000'000'000;
    constexpr float Drop = 0.3f, Amplitude = 0.125f;
    const std::vector<float> x = numbers(Columns);
    std::vector<float> y;
    for (std::uint32_t i = 0; i < Rows * Columns; ++i) {
        const std::uint32_t stream = Seed + i / Columns * 0x9e3779b9U;
        const std::uint32_t first = mix(i % Columns ^ stream), second = mix(first + stream);
        const float unit = static_cast<float>(second >> 8) * 0x1p-23f - 1.0f;
        const bool drops = first < static_cast<std::uint32_t>(Drop * 0x1p32f);
        y.push_back(drops ? 0.0f : x[i] + unit * Amplitude);
    }
    expect("augmentation", {array(x)}, {array(y)}, {Seed, Drop, Amplitude});
}

TEST_F(GpsimdRtl, PrintsAndFaultsAndGoesOn) {
    const Result printed = run(call("print_much", {std::int32_t{2}}), {});
    ASSERT_TRUE(printed.done()) << printed.message;
    EXPECT_EQ(printed.printed,
              (std::vector<std::string>{"[gpsimd core 0] line 0", "[gpsimd core 0] line 1"}));

    const auto fails = [this](neff::Package package, const std::string& why, Status status) {
        const Result result = run(std::move(package), {}, 100'000'000'000);
        EXPECT_FALSE(result.done());
        EXPECT_EQ(result.status, status) << result.message;
        EXPECT_NE(result.message.find(why), std::string::npos) << result.message;
        return result;
    };
    const std::string where = "tests/firmware/checks.cpp:";
    const Result trap =
        fails(call("load_from_nowhere"), "gpsimd core 0: load outside its memory 0x80010000 at 0x",
              Status::ExecCompletedWithError);
    EXPECT_NE(trap.message.find(where), std::string::npos) << trap.message;
    EXPECT_EQ(trap.message.find('\n'), std::string::npos) << trap.message;
    fails(call("overflow_stack", {std::int32_t{200}}), "(stack overflow) at 0x",
          Status::ExecCompletedWithError);
    fails(call("gives_up"), "gpsimd core 0: gives_up: said that it failed", Status::ExecCompletedWithError);
    const Result spins = fails(call("spin"), "gpsimd core 0: running at 0x", Status::Timeout);
    EXPECT_NE(spins.message.find("spin"), std::string::npos) << spins.message;
    EXPECT_NE(spins.message.find(where), std::string::npos) << spins.message;

    const Result again = run(call("print_much", {std::int32_t{1}}), {});
    ASSERT_TRUE(again.done()) << again.message;
    EXPECT_EQ(again.printed, std::vector<std::string>{"[gpsimd core 0] line 0"});
}

// Core and interpreter refuse the same, as the documents say.
TEST_F(GpsimdRtl, WhatIsRefused) {
    const target::Core target = target::of(config_);
    const std::uint64_t rounds = test::scale();
    for (std::uint64_t i = 0; i < rounds * test::gpsimd_fault_kinds(); ++i) {
        const test::GpsimdFault fault =
            test::make_gpsimd_fault(target, i % test::gpsimd_fault_kinds(), test::seed() + i);
        SCOPED_TRACE(fmt::format("kind {}, expected {}", i, fault.expected));
        functional::Interpreter machine(fault.package);
        const std::string interpreted = test::message_of<functional::Error>([&] { machine.run(); });
        EXPECT_NE(interpreted.find(fault.expected), std::string::npos) << interpreted;
        const Result result = run(fault.package, {}, 100'000'000'000);
        EXPECT_FALSE(result.done());
        EXPECT_NE(result.message.find(fault.expected), std::string::npos) << result.message;
        // Both name the same instruction: "gpsimd instruction 7 [...]", "instruction 7 (...)".
        const std::size_t number = interpreted.find("instruction ");
        ASSERT_NE(number, std::string::npos) << interpreted;
        const std::string where = interpreted.substr(number, interpreted.find(' ', number + 12) - number);
        EXPECT_NE(result.message.find(where + " ("), std::string::npos) << result.message << ", " << where;
    }
}

}  // namespace
}  // namespace trnsim::runtime
