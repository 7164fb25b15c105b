// Tests the waits that the builder derives for calls. The interpreter's derived_waits_test checks that none
// is missing.
#include "compiler/builder/dependences.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/knowledge.hpp"

namespace trnsim::builder {

bool operator==(const Span& a, const Span& b) {
    return a.first == b.first && a.end == b.end;
}
bool operator==(const Box& a, const Box& b) {
    return a.along == b.along && a.across == b.across;
}
bool operator==(const Event& a, const Event& b) {
    return a.producer == b.producer && a.index == b.index;
}

namespace {

using isa::Dtype;

target::Core target() {
    target::Core target;
    target.rows = target.columns = target.partitions = 16;
    target.sbuf_partition = 16 << 10;
    target.psum_partition = 16 << 10;
    target.psum_banks = 8;
    target.dma_engines = 4;
    target.dma_rings = 8;
    return target;
}

Tile tile(std::uint32_t offset, std::vector<Axis> axes) {
    return {target::Memory::Sbuf, Dtype::Bf16, 4, 8, offset, std::move(axes)};
}

TEST(Footprint, OfTiles) {
    const Span partitions{4, 12};
    const auto boxes = [](const Tile& tile) { return footprint_of(tile).boxes; };
    EXPECT_EQ(boxes(tile(64, {{10, 1}})), (std::vector<Box>{{{64, 84}, partitions}}));
    EXPECT_EQ(boxes(tile(64, {{10, -1}})), (std::vector<Box>{{{46, 66}, partitions}}));
    EXPECT_EQ(boxes(tile(64, {{4, 1}, {5, 4}})), (std::vector<Box>{{{64, 104}, partitions}})) << "any order";
    EXPECT_EQ(boxes(tile(64, {{2, 10}, {4, 1}})),
              (std::vector<Box>{{{64, 72}, partitions}, {{84, 92}, partitions}}));
    const Footprint sparse = footprint_of(tile(0, {{100, 2}}));
    EXPECT_EQ(sparse.boxes, (std::vector<Box>{{{0, 398}, partitions}})) << "too many gaps count as accessed";
    EXPECT_FALSE(sparse.exact);
    EXPECT_TRUE(footprint_of(tile(0, {{10, 2}})).exact);
}

TEST(Footprint, OfViews) {
    const TensorView matrix{0, "m", Dtype::Fp32, 0, {{64, 100}, {100, 1}}};
    const auto boxes = [](const TensorView& view) { return footprint_of(view, 400).boxes; };
    EXPECT_EQ(boxes(matrix), (std::vector<Box>{{{0, 64}, {0, 400}}}));
    const TensorView part = matrix.slice(0, 8, 16).slice(1, 10, 20);
    EXPECT_EQ(boxes(part), (std::vector<Box>{{{8, 24}, {40, 120}}}));
    EXPECT_EQ(boxes(part.swapped(0, 1)), boxes(part));
    EXPECT_EQ(boxes(part.split(0, 8).swapped(0, 1)), boxes(part));
    TensorView flat = matrix;
    flat.axes = {{6400, 1}};
    EXPECT_EQ(boxes(flat.slice(0, 50, 300)),
              (std::vector<Box>{{{0, 1}, {200, 400}}, {{1, 3}, {0, 400}}, {{3, 4}, {0, 200}}}));
}

// Returns the completion of instruction `index` of an engine.
Event on(isa::Engine engine, std::uint64_t index) {
    return {static_cast<std::int32_t>(engine), index};
}

After after_of(Dependences& dependences, const Event& event, const Tile& part, bool write) {
    Dependences::Call call{event, true, {}};
    write ? dependences.write(call, part) : dependences.read(call, part);
    return call.after;
}

TEST(Dependences, ComeFromTheSameBytesAndPartitions) {
    using enum isa::Engine;
    Dependences d;
    const Tile all = tile(0, {{32, 1}}), left = tile(0, {{16, 1}}), right = tile(32, {{16, 1}});
    Tile others = all;
    others.partition = 0, others.partitions = 4;
    EXPECT_EQ(after_of(d, on(Vector, 0), left, true), After{});
    EXPECT_EQ(after_of(d, on(Scalar, 0), right, true), After{});
    EXPECT_EQ(after_of(d, on(Tensor, 0), others, false), After{});
    EXPECT_EQ(after_of(d, on(Tensor, 1), left, false), After{on(Vector, 0)});
    EXPECT_EQ(after_of(d, on(Tensor, 2), all, false), (After{on(Vector, 0), on(Scalar, 0)}));
    EXPECT_EQ(after_of(d, on(Vector, 1), left, true), After{on(Tensor, 2)}) << "its own write costs nothing";
    EXPECT_EQ(after_of(d, on(Scalar, 1), left, false), After{on(Vector, 1)}) << "covers what was before";
    EXPECT_EQ(after_of(d, on(Scalar, 2), right, false), After{}) << "its own";
}

TEST(Dependences, AWriteWithGapsHidesNothing) {
    using enum isa::Engine;
    Dependences d;
    after_of(d, on(Vector, 0), tile(0, {{200, 1}}), true);
    after_of(d, on(Scalar, 0), tile(0, {{100, 2}}), true);
    EXPECT_EQ(after_of(d, on(Tensor, 0), tile(2, {{1, 1}}), false), (After{on(Vector, 0), on(Scalar, 0)}));
}

TEST(Dependences, AWriteOfSomePartitionsHidesThoseOnly) {
    using enum isa::Engine;
    Dependences d;
    Tile whole = tile(0, {{8, 1}}), middle = whole, top = whole, bottom = whole;
    middle.partition = 6, middle.partitions = 2;
    top.partition = 4, top.partitions = 2;
    bottom.partition = 8, bottom.partitions = 4;
    after_of(d, on(Vector, 0), whole, true);
    after_of(d, on(Scalar, 0), middle, true);
    EXPECT_EQ(after_of(d, on(Tensor, 0), middle, false), After{on(Scalar, 0)});
    EXPECT_EQ(after_of(d, on(Tensor, 1), top, false), After{on(Vector, 0)});
    EXPECT_EQ(after_of(d, on(Tensor, 2), bottom, false), After{on(Vector, 0)});
}

TEST(AccessMap, StaysSmallWhereTilesAreUsedInTurn) {
    AccessMap map;
    const auto ignore = [](const AccessMap::Access&) {};
    for (std::uint64_t turn = 0; turn < 1000; ++turn) {
        const std::uint64_t first = turn % 2 * 1024;
        map.note({{first, first + 1024}, {0, 16}}, on(isa::Engine::Sync, turn), true, true, ignore);
        for (std::uint64_t part = 0; part < 16; ++part) {
            map.note({{first + part * 64, first + part * 64 + 64}, {0, 16}}, on(isa::Engine::Tensor, turn),
                     false, true, ignore);
        }
    }
    EXPECT_LE(map.size(), 34u);
}

TEST(Knowledge, WaitsThatOthersImplyAreLeftOut) {
    using enum isa::Engine;
    const auto number = [](isa::Engine engine) { return static_cast<std::size_t>(engine); };
    Knowledge knowledge;
    // Vector 3 waits for Scalar 5; Tensor 1 waits for Vector 4.
    knowledge.learn(number(Vector), {on(Scalar, 5)});
    knowledge.tells(on(Vector, 3), number(Vector));
    EXPECT_TRUE(knowledge.implies(on(Vector, 4), on(Scalar, 5)));
    EXPECT_FALSE(knowledge.implies(on(Vector, 2), on(Scalar, 5)));
    EXPECT_FALSE(knowledge.implies(on(Vector, 4), on(Scalar, 6)));
    EXPECT_EQ(knowledge.needed(number(Tensor), {on(Scalar, 5), on(Vector, 4)}, true), After{on(Vector, 4)});
    knowledge.learn(number(Tensor), {on(Vector, 4)});
    EXPECT_EQ(knowledge.needed(number(Tensor), {on(Scalar, 5), on(Vector, 1), on(Tensor, 0)}, true), After{});
    EXPECT_EQ(knowledge.needed(number(Tensor), {on(Scalar, 6), on(Tensor, 0)}, false),
              (After{on(Scalar, 6), on(Tensor, 0)}))
        << "the sequencer itself waits for its engine";
}

std::size_t waits_of(const neff::Package& package, isa::Engine engine) {
    const auto& program = package.programs[static_cast<std::size_t>(engine)];
    return static_cast<std::size_t>(std::ranges::count_if(program, [](const isa::Instruction& instruction) {
        return instruction.get(isa::field::WaitMode) != 0;
    }));
}

// One tile is loaded while the other is read: the loads need two waits, for tiles that are used again.
TEST(DerivedWaits, KeepTwoBuffersApart) {
    KernelBuilder k("buffers", "", target());
    const TensorView x = k.tensor("x", neff::TensorKind::Input, Dtype::Fp32, {4, 16, 8});
    const TensorView y = k.tensor("y", neff::TensorKind::Output, Dtype::Fp32, {4, 16, 8});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
    const Tile in = k.sbuf(16, Dtype::Fp32, {2, 8}), out = k.sbuf(16, Dtype::Fp32, {2, 8});
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
        const auto part = [&](const TensorView& view) {
            TensorView rows = view.slice(0, turn, 1);
            rows.axes.erase(rows.axes.begin());
            return rows;
        };
        k.load(loads, in.at(0, turn % 2), part(x));
        k.tensor_copy(out.at(0, turn % 2), in.at(0, turn % 2));
        k.store(stores, part(y), out.at(0, turn % 2));
    }
    const neff::Package package = k.finish();
    EXPECT_EQ(waits_of(package, isa::Engine::Sync), 2u + 1) << "and one for the queue at the end";
    EXPECT_EQ(waits_of(package, isa::Engine::Vector), 4u + 2) << "what is loaded; where a store is under way";
    EXPECT_EQ(waits_of(package, isa::Engine::Gpsimd), 4u + 1);
}

TEST(DerivedWaits, OrderMemoryThatIsReleasedAndUsedAgain) {
    KernelBuilder k("again", "", target());
    const TensorView x = k.tensor("x", neff::TensorKind::Input, Dtype::Fp32, {16, 8});
    const auto queue = k.queue("loads");
    const Tile result = k.sbuf(16, Dtype::Fp32, {8});
    const std::uint64_t mark = k.sbuf_mark();
    const Tile before = k.sbuf(16, Dtype::Fp32, {8});
    k.load(queue, before, x);
    k.tensor_copy(result, before);
    k.sbuf_release(mark);
    k.load(queue, k.sbuf(16, Dtype::Bf16, {8}), k.tensor("y", neff::TensorKind::Input, Dtype::Bf16, {16, 8}));
    const neff::Package package = k.finish();
    EXPECT_EQ(waits_of(package, isa::Engine::Sync), 1u + 1);
}

// A tensor is stored in one phase and loaded in the next: its columns are separate parts.
TEST(DerivedWaits, OfLoadsAreForStoresOfTheSamePartOfATensor) {
    KernelBuilder k("phases", "", target());
    const TensorView s = k.tensor("s", neff::TensorKind::Scratch, Dtype::Fp32, {16, 32});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Gpsimd);
    const Tile made = k.sbuf(16, Dtype::Fp32, {4}), read = k.sbuf(16, Dtype::Fp32, {3, 4});
    k.memset(made, 1.0f);
    const auto part = [&](std::uint32_t column) { return s.slice(1, column, 4); };
    k.store(stores, part(0), made);
    k.store(stores, part(4), made);
    k.load(loads, read.at(0, 0), part(8));
    k.load(loads, read.at(0, 1), part(0));
    k.load(loads, read.at(0, 2), part(2));
    const neff::Package package = k.finish();
    const auto& sync = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    ASSERT_EQ(sync.size(), 5u) << "three triggers, a wait for the queue, halt";
    const auto waits_for = [&](std::size_t trigger, std::size_t transfer) {
        return sync[trigger].get(isa::field::WaitMode) != 0 &&
               sync[trigger].get(isa::field::WaitSem) == package.transfers[transfer].semaphore;
    };
    EXPECT_EQ(sync[0].get(isa::field::WaitMode), 0u);
    EXPECT_TRUE(waits_for(1, 0));
    EXPECT_TRUE(waits_for(2, 1)) << "the later of two stores, which implies the other";
}

// A matmul's second wait moves to the load before it if the load waits for the same producer, or waits for
// nothing and the producer is a transfer; but not if the load would then wait for itself.
TEST(DerivedWaits, OfAMatmulAreSharedWithItsLoad) {
    const auto nops = [](bool load_waits, bool circle) {
        KernelBuilder k("share", "", target(), Waits::Explicit);
        const TensorView x = k.tensor("x", neff::TensorKind::Input, Dtype::Fp32, {16, 8});
        const Tile a = k.sbuf(16, Dtype::Fp32, {8}), b = k.sbuf(16, Dtype::Fp32, {8});
        const auto loads = k.queue("loads");
        const Event first = k.load(loads, a, x);
        const Event loaded = k.load_stationary(a, {.after = load_waits ? After{first} : After{}});
        const After back = circle ? After{loaded} : After{};
        const Event second = k.load(loads, a, x, back), copied = k.tensor_copy(b, b, {.after = back});
        k.multiply_moving(k.psum({0}, 8, 8), a, {.after = {second, copied}});
        const neff::Package package = k.finish();
        return std::ranges::count(package.programs[static_cast<std::size_t>(isa::Engine::Tensor)],
                                  isa::Opcode::EventSemaphore, &isa::Instruction::opcode);
    };
    EXPECT_EQ(nops(true, false), 0);
    EXPECT_EQ(nops(false, false), 0);
    EXPECT_EQ(nops(true, true), 1);
    EXPECT_EQ(nops(false, true), 1);
}

}  // namespace
}  // namespace trnsim::builder
