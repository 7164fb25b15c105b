// Tests that the waits that the builder derives suffice: random kernels have no races and give the results of
// their calls one after the other. If a kind of dependence is left out, the interpreter finds races.
#include <gtest/gtest.h>

#include <random>

#include "common/random.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::functional {
namespace {

using builder::Dependences;
using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using builder::Waits;
using isa::AluOp;
using isa::Dtype;
using neff::TensorKind;

constexpr std::uint32_t Partitions = 8, Columns = 48, Banks = 2, BankColumns = 16;
constexpr std::uint32_t Rows = 32;  // rows of the tensors
constexpr int Calls = 120;

// A kernel of random calls on random parts of few tiles and tensors. At the beginning it writes everything.
class RandomKernel {
  public:
    RandomKernel(std::uint64_t seed, Waits waits)
        : random_(seed), waits_(waits), k_("random", "", test::small_target(), waits) {}

    KernelBuilder& builder() { return k_; }

    neff::Package build() {
        for (const auto& [name, kind] :
             {std::pair{"x", TensorKind::Input}, std::pair{"u", TensorKind::Update},
              std::pair{"s", TensorKind::Scratch}, std::pair{"y", TensorKind::Output}})
            tensors_.push_back(k_.tensor(name, kind, Dtype::Fp32, {Rows, Columns}));
        for (const isa::Engine owner :
             {isa::Engine::Sync, isa::Engine::Gpsimd, isa::Engine::Scalar, isa::Engine::Vector})
            queues_.push_back(k_.queue("q" + std::to_string(queues_.size()), owner));
        sbuf_ = k_.sbuf(Partitions, Dtype::Fp32, {Columns});
        next(k_.memset(sbuf_, 1.0f, {.after = after()}));
        for (std::uint32_t bank = 0; bank < Banks; ++bank)
            next(k_.memset(k_.psum({bank}, Partitions, BankColumns), 2.0f, {.after = after()}));
        for (std::uint32_t tensor = 2; tensor < 4; ++tensor) {
            for (std::uint32_t row = 0; row < Rows; row += Partitions)
                next(k_.store(queues_[0], tensors_[tensor].slice(0, row, Partitions), sbuf_, after()));
        }
        for (int i = 0; i < Calls;) {
            try {
                call();
                ++i;
            } catch (const builder::Error&) {
                // The hardware refuses these operands, so the next call has others.
            }
        }
        return k_.finish();
    }

  private:
    std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

    // Each call comes after the one before if waits are explicit.
    builder::After after() const {
        return waits_ == Waits::Explicit ? builder::After{last_} : builder::After{};
    }
    void next(Event event) { last_ = event; }

    // Returns a part of `partitions` and `elements` columns, which are neighbours or every other one.
    Tile part(Tile tile, std::uint32_t partitions, std::uint32_t elements) {
        const std::uint32_t granule = partitions <= Partitions / 4   ? Partitions / 4
                                      : partitions <= Partitions / 2 ? Partitions / 2
                                                                     : Partitions;
        tile = tile.partition_slice(pick(Partitions / granule) * granule, partitions);
        const std::uint32_t columns = tile.axes[0].count;
        const std::uint32_t step = 2 * elements <= columns && pick(3) == 0 ? 2 : 1;
        tile = tile.slice(0, pick(columns - step * (elements - 1)), 1);
        tile.axes = {{elements, step}};
        return tile;
    }
    Tile sbuf(std::uint32_t partitions, std::uint32_t elements) { return part(sbuf_, partitions, elements); }
    Tile any(std::uint32_t partitions, std::uint32_t elements) {
        if (elements > BankColumns || pick(3) != 0) return sbuf(partitions, elements);
        return part(k_.psum({pick(Banks)}, Partitions, BankColumns), partitions, elements);
    }

    void call() {
        const std::uint32_t partitions = 1 + pick(Partitions), elements = 1 + pick(20);
        const auto engine = pick(2) == 0 ? isa::Engine::Vector : isa::Engine::Scalar;
        const Tile dst = any(partitions, elements), a = any(partitions, elements);
        switch (pick(8)) {
            case 0:
                return next(k_.tensor_copy(dst, a, {.after = after(), .engine = engine}));
            case 1:
                return next(k_.tensor_scalar(dst, a, {AluOp::Add, sbuf(partitions, 1)}, {},
                                             {.after = after(), .engine = engine}));
            case 2:
                return next(
                    k_.tensor_tensor(dst, a, AluOp::Max, any(partitions, elements), {.after = after()}));
            case 3:
                return next(k_.tensor_reduce(any(partitions, 1), a, AluOp::Add, {.after = after()}));
            case 4:
                return next(k_.activation(dst, a, isa::Activation::Copy,
                                          {.bias = sbuf(partitions, 1), .after = after()}));
            case 5:
                return multiply(1 + pick(Partitions));
            default:
                return transfer(partitions, elements);
        }
    }

    void multiply(std::uint32_t rows) {
        const std::uint32_t columns = 1 + pick(Partitions), elements = 1 + pick(BankColumns);
        const Tile first = sbuf_.partition_slice(0, rows);
        const auto at = [&](std::uint32_t count) { return first.slice(0, pick(Columns - count), count); };
        const Tile sum = k_.psum({pick(Banks)}, columns, BankColumns).slice(0, 0, elements);
        for (const bool accumulate : {false, true}) {
            next(k_.load_stationary(at(columns), {.after = after()}));
            next(k_.multiply_moving(sum, at(elements), {.accumulate = accumulate, .after = after()}));
        }
    }

    // Moves rows of a tensor, or its columns, between HBM and the chip.
    void transfer(std::uint32_t partitions, std::uint32_t elements) {
        const bool load = pick(2) == 0;
        TensorView view = tensors_[load ? pick(3) : 1 + pick(3)];
        if (pick(4) == 0) view = view.swapped(0, 1);
        const auto slice = [&](std::size_t axis, std::uint32_t count) {
            view = view.slice(axis, pick(static_cast<std::uint32_t>(view.axes[axis].count) - count), count);
        };
        slice(0, partitions);
        slice(1, elements);
        const Tile tile = any(partitions, elements);
        const auto queue = queues_[pick(static_cast<std::uint32_t>(queues_.size()))];
        next(load ? k_.load(queue, tile, view, after()) : k_.store(queue, view, tile, after()));
    }

    std::mt19937_64 random_;
    Waits waits_;
    KernelBuilder k_;
    std::vector<TensorView> tensors_;
    std::vector<builder::Queue> queues_;
    Tile sbuf_;
    Event last_;
};

struct Outcome {
    std::vector<std::uint8_t> y, u;
    std::vector<std::string> races;
};

Outcome interpret(const neff::Package& package, std::uint64_t order) {
    Outcome outcome;
    Options options = in_order(order);
    options.races = &outcome.races;
    Interpreter machine(package, options);
    std::mt19937_64 random(7);
    for (const char* name : {"x", "u"}) {
        std::vector<float> values(std::size_t{Rows} * Columns);
        for (float& value : values) value = static_cast<float>(random() % 1000) - 500.0f;
        machine.set(name, test::pack(values));
    }
    machine.run();
    outcome.y = machine.get("y");
    outcome.u = machine.get("u");
    return outcome;
}

TEST(DerivedWaits, RandomKernelsGiveWhatTheirCallsGiveInOrder) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 20 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        const neff::Package derived = RandomKernel(seed, Waits::Derived).build();
        const Outcome expected = interpret(RandomKernel(seed, Waits::Explicit).build(), 0);
        EXPECT_TRUE(expected.races.empty()) << expected.races[0];
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
            const Outcome outcome = interpret(derived, order);
            EXPECT_TRUE(outcome.races.empty()) << outcome.races[0];
            EXPECT_EQ(outcome.y, expected.y);
            EXPECT_EQ(outcome.u, expected.u);
        }
    }
}

TEST(DerivedWaits, AMissingKindOfDependenceIsARace) {
    using enum Dependences::Kind;
    for (const Dependences::Kind kind : {ReadAfterWrite, WriteAfterRead, WriteAfterWrite}) {
        int noticed = 0;
        for (std::uint64_t seed = test::seed(); seed < test::seed() + 10; ++seed) {
            RandomKernel kernel(seed, Waits::Derived);
            kernel.builder().dependences().leave_out(kind);
            if (!interpret(kernel.build(), seed).races.empty()) ++noticed;
        }
        EXPECT_GE(noticed, 6) << static_cast<int>(kind);
    }
}

}  // namespace
}  // namespace trnsim::functional
