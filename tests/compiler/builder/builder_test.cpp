// Tests what the builder emits and what it refuses.
#include "compiler/builder/kernel_builder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "arch/target/dtype.hpp"
#include "arch/target/target.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/semaphore.hpp"
#include "compiler/neff/check.hpp"
#include "isa/disassembler.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;

target::Core target() {
    target::Core target;
    target.rows = target.columns = target.partitions = 128;
    target.sbuf_partition = 192 << 10;
    target.psum_partition = 16 << 10;
    target.psum_banks = 8;
    target.dma_engines = 16;
    target.dma_rings = 16;
    return target;
}

std::vector<std::string> listing(const neff::Package& package, isa::Engine engine) {
    std::vector<std::string> lines;
    for (const isa::Instruction& instruction : package.programs[static_cast<std::size_t>(engine)]) {
        lines.push_back(isa::disassemble(instruction));
    }
    return lines;
}

// The kernel stays as finish() returned it.
TEST(Builder, AddsNothingAfterFinish) {
    KernelBuilder k("once", "", target());
    const TensorView x = k.tensor("x", neff::TensorKind::Output, Dtype::Fp32, {16, 8});
    const Queue queue = k.queue("q");
    const Tile tile = k.sbuf(16, Dtype::Fp32, {8});
    k.memset(tile, 1.0f);
    k.store(queue, x, tile);
    const neff::Package package = k.finish();
    EXPECT_EQ(package.name, "once");
    const std::map<std::string, std::function<void()>> calls = {
        {"finish", [&] { k.finish(); }},
        {"gpsimd_image", [&] { k.gpsimd_image("image", std::vector<std::uint8_t>{}); }},
        {"load", [&] { k.load(queue, tile, x); }},
        {"loop", [&] { k.begin_loop(2); }},
        {"memset", [&] { k.memset(tile, 2.0f); }},
        {"queue", [&] { k.queue("another"); }},
        {"sbuf", [&] { k.sbuf(16, Dtype::Fp32, {8}); }},
        {"store", [&] { k.store(queue, x, tile); }},
        {"tensor",
         [&] {
             k.tensor("y", neff::TensorKind::Input, Dtype::Fp32, {16, 8});
         }},
        {"wait", [&] { k.wait(isa::Engine::Sync, {}); }},
    };
    for (const auto& [name, call] : calls) {
        std::string message;
        try {
            call();
        } catch (const Error& error) {
            message = error.what();
        }
        EXPECT_NE(message.find("kernel 'once' is finished"), std::string::npos) << name << ": " << message;
    }
}

// No other instruction would end it.
TEST(Builder, AnEmptyKernelHalts) {
    KernelBuilder k("empty", "", target());
    EXPECT_EQ(listing(k.finish(), isa::Engine::Sync), (std::vector<std::string>{"halt"}));
}

TEST(Builder, InstructionsKnowTheLineOfTheirCall) {
    KernelBuilder builder("copy", "", target(), Waits::Explicit);
    const TensorView in = builder.tensor("in", neff::TensorKind::Input, Dtype::Fp32, {128, 64});
    const TensorView out = builder.tensor("out", neff::TensorKind::Output, Dtype::Bf16, {128, 64});
    const Tile source = builder.sbuf(128, Dtype::Fp32, {64});
    const Tile result = builder.sbuf(128, Dtype::Bf16, {64});
    const auto loads = builder.queue("loads");
    const auto stores = builder.queue("stores", isa::Engine::Scalar);
    const int line = __LINE__;
    const Event loaded = builder.load(loads, source, in);
    const Event seeded = builder.memset(result, 0.0f);
    const Event copied =
        builder.tensor_copy(result, source, {.after = {loaded}, .engine = isa::Engine::Scalar});
    builder.activation(result, source, isa::Activation::Exp, {.after = {loaded, seeded}});
    builder.store(stores, out, result, {copied});
    const neff::Package package = builder.finish();
    const auto lines = [&](isa::Engine engine) {
        std::vector<int> found;
        const auto e = static_cast<std::size_t>(engine);
        for (std::size_t pc = 0; pc < package.programs[e].size(); ++pc) {
            const std::string text = neff::source_line(package, e, pc);
            const std::size_t colon = text.rfind(':');
            if (!text.empty()) {
                EXPECT_TRUE(text.substr(0, colon).ends_with("builder_test.cpp")) << text;
            }
            found.push_back(text.empty() ? 0 : std::stoi(text.substr(colon + 1)) - line);
        }
        return found;
    };
    EXPECT_EQ(lines(isa::Engine::Sync), (std::vector<int>{1, 0, 0})) << "what ends a program is nobody's";
    EXPECT_EQ(lines(isa::Engine::Vector), (std::vector<int>{2, 0}));
    EXPECT_EQ(lines(isa::Engine::Scalar), (std::vector<int>{4, 5, 5, 6, 0, 0}))
        << "tables and waits of a call are its own";
    EXPECT_EQ(neff::source_line_of_transfer(package, 1), neff::source_line(package, 2, 3));
    EXPECT_NE(package.origin.builder, "");
    EXPECT_EQ(package.origin.kernel, "");
}

TEST(Builder, TurnsEventsIntoSemaphores) {
    KernelBuilder builder("copy", "", target(), Waits::Explicit);
    const TensorView in = builder.tensor("in", neff::TensorKind::Input, Dtype::Fp32, {128, 64});
    const TensorView out = builder.tensor("out", neff::TensorKind::Output, Dtype::Bf16, {128, 64});
    const Tile source = builder.sbuf(128, Dtype::Fp32, {64});
    const Tile result = builder.sbuf(128, Dtype::Bf16, {64});
    const auto loads = builder.queue("loads");
    const auto stores = builder.queue("stores", isa::Engine::Scalar);
    const Event loaded = builder.load(loads, source, in);
    const Event copied = builder.tensor_copy(result, source, {.after = {loaded}});
    builder.tensor_copy(result, source, {.after = {loaded}});  // no new wait
    builder.store(stores, out, result, {copied});
    const neff::Package package = builder.finish();
    neff::check(package);
    EXPECT_EQ(listing(package, isa::Engine::Vector),
              (std::vector<std::string>{
                  "tensor_copy dst=sbuf[0+0x100]{bf16 64:1} a=sbuf[0+0x0]{fp32 64:1} partitions=128 wait "
                  "S[1]>=16 S[0]+=1",
                  "tensor_copy dst=sbuf[0+0x100]{bf16 64:1} a=sbuf[0+0x0]{fp32 64:1} partitions=128",
                  "halt",
              }));
    EXPECT_EQ(listing(package, isa::Engine::Scalar),
              (std::vector<std::string>{"dma_trigger transfer=1 wait S[0]>=1",
                                        "event_semaphore wait S[2]>=16", "halt"}));
    EXPECT_EQ(listing(package, isa::Engine::Sync),
              (std::vector<std::string>{"dma_trigger transfer=0", "event_semaphore wait S[1]>=16", "halt"}));
    EXPECT_TRUE(package.programs[0].empty());
    EXPECT_EQ(package.transfers[0].semaphore, 1);
    EXPECT_EQ(package.transfers[1].semaphore, 2);
}

TEST(Builder, PutsFurtherWaitsIntoNops) {
    KernelBuilder builder("copy", "", target());
    const TensorView in = builder.tensor("in", neff::TensorKind::Input, Dtype::Fp32, {128, 64});
    const Tile a = builder.sbuf(128, Dtype::Fp32, {64});
    const Tile b = builder.sbuf(128, Dtype::Fp32, {64});
    const Event one = builder.load(builder.queue("one"), a, in);
    const Event two = builder.load(builder.queue("two"), b, in);
    builder.tensor_tensor(a, a, isa::AluOp::Add, b, {.after = {one, two}});
    const auto lines = listing(builder.finish(), isa::Engine::Vector);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "event_semaphore wait S[0]>=16");
    EXPECT_TRUE(lines[1].ends_with("wait S[1]>=16")) << lines[1];
}

TEST(Counter, GoesOnInAFreshSemaphore) {
    SemaphorePool pool;
    Counter counter(pool, 40);
    EXPECT_EQ(counter.advance(16), (Point{0, 16}));
    EXPECT_EQ(counter.advance(16), (Point{0, 32}));
    EXPECT_EQ(counter.advance(16), (Point{1, 16}));
    EXPECT_THROW(counter.advance(41), Error);
    for (unsigned i = pool.taken(); i < SemaphorePool::Count; ++i) pool.take();
    EXPECT_THROW(pool.take(), Error);
}

TEST(TransferCounter, TransfersTakeTurnsOnSemaphores) {
    SemaphorePool pool;
    pool.take();
    const TransferCounter counter(pool, 3, 16);
    EXPECT_EQ(counter.completion(0), (Point{1, 16}));
    EXPECT_EQ(counter.completion(2), (Point{3, 16}));
    EXPECT_EQ(counter.completion(3), (Point{1, 32}));
    EXPECT_EQ(counter.completion(7), (Point{2, 48}));
    EXPECT_THROW(counter.completion(std::uint64_t{3} << 20), Error);
}

// One tile is stored repeatedly on a queue: tests what the owner waits for before each trigger.
TEST(Builder, TriggersWaitForTheTransferThatHadTheirSemaphore) {
    for (const std::size_t queues : {1u, 5u, 16u}) {
        KernelBuilder builder("stores", "", target());
        const std::size_t transfers = 150;
        const TensorView out =
            builder.tensor("out", neff::TensorKind::Output, Dtype::Fp32, {queues * transfers * 128, 1});
        const Tile tile = builder.sbuf(128, Dtype::Fp32, {1});
        const Event made = builder.memset(tile, 1.0f);
        for (std::size_t q = 0; q < queues; ++q) {
            const auto queue = builder.queue("q" + std::to_string(q));
            for (std::size_t i = 0; i < transfers; ++i) {
                builder.store(queue, out.slice(0, (q * transfers + i) * 128, 128), tile, {made});
            }
        }
        const neff::Package package = builder.finish();
        neff::check(package);
        // A semaphore never stands for two transfers in flight.
        std::map<std::uint64_t, std::uint64_t> triggered, proved;
        for (const isa::Instruction& instruction :
             package.programs[static_cast<std::size_t>(isa::Engine::Sync)]) {
            if (instruction.get(isa::field::WaitMode) != 0) {
                auto& count = proved[instruction.get(isa::field::WaitSem)];
                count = std::max(count, instruction.get(isa::field::WaitValue));
            }
            if (instruction.opcode() != isa::Opcode::DmaTrigger) continue;
            const std::uint64_t semaphore = package.transfers[instruction.get(isa::field::Address)].semaphore;
            EXPECT_EQ(proved[semaphore], 16 * triggered[semaphore]);
            ++triggered[semaphore];
        }
        EXPECT_EQ(triggered.size(), queues == 1 ? 64u : queues == 5 ? 5 * 48u : 16 * 15u);
    }
}

TEST(Builder, MergesContiguousTransferDimensions) {
    KernelBuilder builder("load", "", target());
    const TensorView in = builder.tensor("in", neff::TensorKind::Input, Dtype::Bf16, {256, 64});
    const Tile tile = builder.sbuf(128, Dtype::Bf16, {2, 64});
    builder.load(builder.queue("q"), tile, in.split(0, 128).swapped(0, 1));
    const neff::Transfer transfer = builder.finish().transfers[0];
    EXPECT_EQ(transfer.from.count, (std::array<std::uint32_t, 4>{64, 2, 128, 1}));
    EXPECT_EQ(transfer.from.step, (std::array<std::int64_t, 4>{2, 128 * 64 * 2, 64 * 2, 0}));
    EXPECT_EQ(transfer.to.step, (std::array<std::int64_t, 4>{2, 128, 0x40000, 0}));
}

TEST(Builder, RefusesWhatTheHardwareRefuses) {
    KernelBuilder builder("bad", "", target());
    const Tile sbuf = builder.sbuf(128, Dtype::Bf16, {600});
    const Tile wide = builder.sbuf(128, Dtype::Fp32, {512});
    const Tile psum = builder.psum({0}, 128, 512);
    EXPECT_THROW(builder.sbuf(128, Dtype::Fp32, {100'000}), Error);
    EXPECT_THROW(builder.sbuf(129, Dtype::Fp32, {1}), Error);
    EXPECT_THROW(builder.psum({8}, 1, 1), Error);
    EXPECT_THROW(builder.psum({0}, 1, 513), Error);
    EXPECT_THROW(sbuf.slice(0, 599, 2), Error);
    EXPECT_THROW(builder.multiply_moving(psum, sbuf.slice(0, 0, 512)), Error);  // nothing loaded
    EXPECT_THROW(builder.load_stationary(sbuf), Error);                         // 600 columns
    EXPECT_THROW(builder.load_stationary(psum.slice(0, 0, 128)), Error);        // PSUM
    for (const std::uint32_t first : {32u, 64u, 96u}) {
        const Tile rows = sbuf.partition_slice(first, 32).slice(0, 0, 8);
        EXPECT_THROW(builder.load_stationary(rows), Error) << first;
        if (first != 64) {
            EXPECT_THROW(builder.load_stationary(rows, {.row_tile = true}), Error) << first;
        }
    }
    EXPECT_NO_THROW(builder.load_stationary(sbuf.partition_slice(64, 64).slice(0, 0, 8), {.row_tile = true}));
    EXPECT_THROW(builder.load_stationary(sbuf.slice(0, 0, 65), {.column_group = 1}),
                 Error);  // half the columns
    EXPECT_THROW(builder.load_stationary(sbuf.slice(0, 0, 64), {.column_group = 2}), Error);
    EXPECT_NO_THROW(builder.load_stationary(sbuf.slice(0, 0, 64), {.column_group = 1}));
    builder.load_stationary(sbuf.slice(0, 0, 128));
    EXPECT_THROW(builder.multiply_moving(psum, wide), Error);                   // bf16 x fp32
    EXPECT_THROW(builder.multiply_moving(psum, sbuf.slice(0, 0, 500)), Error);  // shapes
    EXPECT_THROW(builder.multiply_moving(wide, sbuf.slice(0, 0, 512)), Error);  // to SBUF
    Tile crossing = psum;
    crossing.offset = 4;
    EXPECT_THROW(builder.multiply_moving(crossing, sbuf.slice(0, 0, 512)), Error);  // into bank 1
    EXPECT_NO_THROW(builder.multiply_moving(psum, sbuf.slice(0, 0, 512)));
    const Tile single = builder.sbuf(128, Dtype::Tf32, {512});
    builder.load_stationary(single.slice(0, 0, 128));
    EXPECT_NO_THROW(builder.multiply_moving(psum, wide));
    EXPECT_THROW(builder.multiply_moving(psum, sbuf.slice(0, 0, 512)), Error);  // tf32 x bf16

    const auto rows = [&](std::uint32_t first, std::uint32_t count) {
        return wide.partition_slice(first, count);
    };
    EXPECT_NO_THROW(builder.tensor_copy(rows(96, 32), rows(32, 32)));
    EXPECT_NO_THROW(builder.tensor_copy(rows(64, 64), rows(0, 64)));
    EXPECT_THROW(builder.tensor_copy(rows(16, 32), rows(32, 32)), Error);
    EXPECT_THROW(builder.tensor_copy(rows(32, 64), rows(0, 64)), Error);
    EXPECT_THROW(builder.tensor_copy(rows(64, 33), rows(0, 34)), Error);
    EXPECT_THROW(builder.tensor_tensor(wide, psum, isa::AluOp::Add, psum), Error);
    EXPECT_THROW(builder.tensor_scalar(wide, psum, {isa::AluOp::Add, sbuf.slice(0, 0, 1)}),
                 Error);  // bf16 operand
    EXPECT_THROW(builder.activation(wide, wide, isa::Activation::Copy, {.scale = sbuf.slice(0, 0, 1)}),
                 Error);
    EXPECT_THROW(builder.activation(wide, wide, isa::Activation::Copy, {.bias = sbuf.slice(0, 0, 2)}), Error);
    Tile odd = sbuf;
    odd.offset += 1;
    EXPECT_THROW(builder.tensor_copy(odd.slice(0, 0, 512), wide), Error);
    EXPECT_THROW(target::parse_dtype("bf17"), Error);
}

// GpSimd's cores reach only their own partitions.
TEST(Builder, RefusesOperandsThatGpsimdsCoresDoNotReach) {
    KernelBuilder builder("elsewhere", "", target());
    const Tile whole = builder.sbuf(128, Dtype::I32, {8}), other = builder.sbuf(128, Dtype::I32, {8});
    const Tile places = builder.sbuf(128, Dtype::U32, {8});
    const Tile dst = whole.partition_slice(64, 16), a = other.partition_slice(0, 16);
    const auto refused = [](const auto& call) {
        try {
            call();
        } catch (const Error& error) {
            return std::string(error.what()).find("is not in the partitions of") != std::string::npos;
        }
        return false;
    };
    const OnEngine gpsimd{.engine = isa::Engine::Gpsimd};
    const AluStep none{isa::AluOp::Bypass, 0.0f};
    const Affine affine{0, 1, {1}};
    using enum isa::AluOp;
    EXPECT_TRUE(refused([&] { builder.tensor_copy(dst, a, gpsimd); }));
    EXPECT_TRUE(refused([&] { builder.tensor_tensor(dst, a, Add, dst, gpsimd); }));
    EXPECT_TRUE(refused([&] { builder.tensor_tensor(dst, dst, Add, a, gpsimd); }));
    EXPECT_TRUE(refused([&] { builder.tensor_scalar(dst, a, {Add, 1.0f}, none, gpsimd); }));
    EXPECT_TRUE(refused([&] { builder.tensor_scalar(dst, dst, {Add, a.slice(0, 0, 1)}, none, gpsimd); }));
    EXPECT_TRUE(refused([&] { builder.affine_select(dst, a, affine, Greater, 0); }));
    EXPECT_TRUE(refused([&] { builder.sort(dst, a); }));
    EXPECT_TRUE(refused([&] { builder.sort(dst, dst, {.indices = places.partition_slice(0, 16)}); }));
    EXPECT_TRUE(refused([&] { builder.top_k(dst, places.partition_slice(0, 16), dst); }));
}

// The bias of an activation has any type except tf32; the probability of dropout has any float type if the
// data are floats.
TEST(Builder, TypesOfPerPartitionOperands) {
    KernelBuilder builder("types", "", target());
    const Tile data = builder.sbuf(128, Dtype::Fp32, {4}), whole = builder.sbuf(128, Dtype::I32, {4});
    std::size_t biases = 0, probabilities = 0;
    for (const isa::EnumValue& value : isa::dtype_values()) {
        const auto dtype = static_cast<Dtype>(value.value);
        const Tile column = builder.sbuf(128, dtype, {1});
        const auto bias = [&] { builder.activation(data, data, isa::Activation::Copy, {.bias = column}); };
        const auto drop = [&](const Tile& from) { builder.dropout(from, from, column); };
        SCOPED_TRACE(value.name);
        if (dtype == Dtype::Tf32) {
            EXPECT_THROW(bias(), Error);
        } else {
            EXPECT_NO_THROW(bias());
            ++biases;
        }
        if (target::is_float(dtype)) {
            EXPECT_NO_THROW(drop(data));
            ++probabilities;
        } else {
            EXPECT_THROW(drop(data), Error);
        }
        if (dtype == Dtype::Fp32) {
            EXPECT_NO_THROW(drop(whole));
        } else {
            EXPECT_THROW(drop(whole), Error);
        }
    }
    const neff::Package package = builder.finish();
    const auto codes = [&](isa::Engine engine, isa::Opcode opcode, const isa::Field& dtype) {
        std::set<std::uint64_t> found;
        for (const isa::Instruction& i : package.programs[static_cast<std::size_t>(engine)])
            if (i.opcode() == opcode) found.insert(i.get(dtype));
        return found;
    };
    EXPECT_EQ(codes(isa::Engine::Scalar, isa::Opcode::Activation, isa::field::BiasDtype).size(), biases);
    EXPECT_EQ(codes(isa::Engine::Vector, isa::Opcode::Dropout, isa::field::Imm0Dtype).size(), probabilities);
    EXPECT_EQ(biases, 12u);
    EXPECT_EQ(probabilities, 7u);
}

TEST(Builder, LimitsQueuesToTheRings) {
    target::Core small = target();
    small.dma_rings = 1;
    KernelBuilder builder("queues", "", small);
    builder.queue("one");
    EXPECT_THROW(builder.queue("two"), Error);
}

TEST(Target, ComesFromTheConfiguration) {
    config::Config config;
    config.core.array = {8, 16};
    config.core.partitions = 16;
    config.core.sbuf_partition = 4096;
    config.core.psum_partition = 2048;
    config.core.psum_banks = 4;
    config.core.gpsimd.vlen = 256;
    config.dma.engines = 3;
    config.dma.rings = 5;
    EXPECT_EQ(target::of(config), (target::Core{8, 16, 16, 4096, 2048, 4, 3, 5, 256}));
}

}  // namespace
}  // namespace trnsim::builder
