// Tests loops of the builder: with any calls and in every order they give the results of their calls one
// after the other, and every one of their waits is needed.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "common/loop_kernels.hpp"
#include "common/random.hpp"
#include "common/waits.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "isa/disassembler.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::functional {
namespace {

using builder::Dependences;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;
using neff::TensorKind;
using test::LoopKernel;
using test::Written;

// The contents of the outputs, or the message of the error.
struct Outcome {
    std::vector<std::vector<std::uint8_t>> outputs;
    std::string error;
};

Outcome interpret(const neff::Package& package, std::uint64_t order) {
    Outcome outcome;
    Interpreter machine(package, in_order(order));
    std::mt19937_64 random(7);
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_input(tensor.kind)) continue;
        std::vector<float> values(machine.get(tensor.name).size() / sizeof(float));
        for (float& value : values) value = static_cast<float>(random() % 1000) / 64.0f - 8.0f;
        machine.set(tensor.name, test::pack(values));
    }
    try {
        machine.run();
    } catch (const Error& error) {
        outcome.error = error.what();
        return outcome;
    }
    for (const neff::Tensor& tensor : package.tensors) {
        if (neff::is_output(tensor.kind)) outcome.outputs.push_back(machine.get(tensor.name));
    }
    return outcome;
}

using Build = std::function<neff::Package(const LoopKernel&)>;

const std::vector<std::pair<const char*, Build>>& kernels() {
    static const std::vector<std::pair<const char*, Build>> all{
        {"elementwise", [](const LoopKernel& k) { return test::elementwise_loop(test::small_target(), k); }},
        {"matmul", [](const LoopKernel& k) { return test::matmul_loop(test::small_target(), k); }},
        {"softmax", [](const LoopKernel& k) { return test::softmax_loop(test::small_target(), k); }}};
    return all;
}

TEST(DerivedLoops, GiveWhatTheirCallsGiveInOrder) {
    for (const auto& [name, build] : kernels()) {
        for (const std::uint32_t iterations : {1u, 2u, 3u, 17u}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(iterations));
            const Outcome expected = interpret(build({iterations, Written::Unrolled}), 0);
            ASSERT_EQ(expected.error, "");
            const neff::Package package = build({iterations, Written::AsLoop});
            for (std::uint64_t order = 0; order < 6; ++order) {
                const Outcome outcome = interpret(package, order);
                EXPECT_EQ(outcome.error, "") << order;
                EXPECT_EQ(outcome.outputs, expected.outputs) << order;
            }
        }
    }
}

// Some order shows a fault within a few iterations if any single wait in the loop is missing.
TEST(DerivedLoops, NoWaitCanBeLeftOut) {
    for (const auto& [name, build] : kernels()) {
        const neff::Package sound = build({5});
        for (const auto& [engine, pc] : test::waits_of(sound)) {
            if (test::is_last(sound, engine, pc)) continue;  // the kernel ends right after this wait
            neff::Package package = sound;
            isa::Instruction& instruction = package.programs[engine][pc];
            const isa::Instruction whole = instruction;
            instruction.set(isa::field::WaitMode, isa::WaitMode::None);
            bool noticed = false;
            for (std::uint64_t order = 0; order < 8 && !noticed; ++order)
                noticed = !interpret(package, order).error.empty();
            EXPECT_TRUE(noticed) << name << ": " << isa::disassemble(whole);
        }
    }
}

// A kernel of random calls in a loop, before it and after it, on random parts of few tiles and tensors.
constexpr std::uint32_t Partitions = 8, Columns = 48, Banks = 2, BankColumns = 16;
constexpr std::uint32_t TensorRows = 32, TensorColumns = 64;

class RandomLoop {
  public:
    RandomLoop(std::uint64_t seed, Written written)
        : seed_(seed), written_(written), k_("random", "", test::small_target()) {}

    KernelBuilder& builder() { return k_; }

    neff::Package build() {
        for (const auto& [name, kind] :
             {std::pair{"x", TensorKind::Input}, std::pair{"u", TensorKind::Update},
              std::pair{"s", TensorKind::Scratch}, std::pair{"y", TensorKind::Output}})
            tensors_.push_back(k_.tensor(name, kind, Dtype::Fp32, {TensorRows, TensorColumns}));
        for (const isa::Engine owner : {isa::Engine::Sync, isa::Engine::Gpsimd, isa::Engine::Scalar})
            queues_.push_back(k_.queue("q" + std::to_string(queues_.size()), owner));
        sbuf_ = k_.sbuf(Partitions, Dtype::Fp32, {Columns});
        k_.memset(sbuf_, 1.0f);
        for (std::uint32_t bank = 0; bank < Banks; ++bank)
            k_.memset(k_.psum({bank}, Partitions, BankColumns), 2.0f);
        for (std::uint32_t tensor = 2; tensor < 4; ++tensor) {
            for (std::uint32_t row = 0; row < TensorRows; row += Partitions) {
                for (std::uint32_t column = 0; column < TensorColumns; column += 32)
                    k_.store(queues_[0], tensors_[tensor].slice(0, row, Partitions).slice(1, column, 32),
                             sbuf_.slice(0, 0, 32));
            }
        }
        random_.seed(seed_);
        calls(8, 0u, 1);
        const std::uint32_t iterations = 1 + pick(5), length = 1 + pick(12);
        test::repeat(k_, written_, iterations, [&](auto i) {
            random_.seed(seed_ + 1);
            calls(length, i, iterations);
        });
        random_.seed(seed_ + 2);
        calls(8, 0u, 1);
        if (pick(2) == 0)
            test::repeat(k_, written_, 2, [&](auto i) {
                random_.seed(seed_ + 3);
                calls(5, i, 2);
            });
        return k_.finish();
    }

  private:
    std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

    Tile part(Tile tile, std::uint32_t partitions, std::uint32_t elements) {
        const std::uint32_t granule = partitions <= Partitions / 4   ? Partitions / 4
                                      : partitions <= Partitions / 2 ? Partitions / 2
                                                                     : Partitions;
        tile = tile.partition_slice(pick(Partitions / granule) * granule, partitions);
        return tile.slice(0, pick(tile.axes[0].count - elements), elements);
    }
    Tile sbuf(std::uint32_t partitions, std::uint32_t elements) { return part(sbuf_, partitions, elements); }
    Tile any(std::uint32_t partitions, std::uint32_t elements) {
        if (elements >= BankColumns || pick(3) != 0) return sbuf(partitions, elements);
        return part(k_.psum({pick(Banks)}, Partitions, BankColumns), partitions, elements);
    }

    template <typename Index>
    void calls(std::uint32_t count, Index i, std::uint32_t iterations) {
        for (std::uint32_t made = 0; made < count;) {
            try {
                call(i, iterations);
                ++made;
            } catch (const builder::Error&) {
                // The hardware refuses these operands, so the next call has others.
            }
        }
    }

    template <typename Index>
    void call(Index i, std::uint32_t iterations) {
        const std::uint32_t partitions = 1 + pick(Partitions), elements = 1 + pick(20);
        const auto engine = pick(2) == 0 ? isa::Engine::Vector : isa::Engine::Scalar;
        const Tile dst = any(partitions, elements), a = any(partitions, elements);
        switch (pick(8)) {
            case 0:
                k_.tensor_scalar(dst, a, {AluOp::Multiply, 0.5f}, {AluOp::Add, 1.0f}, {.engine = engine});
                return;
            case 1:
                k_.tensor_scalar(dst, a, {AluOp::Add, sbuf(partitions, 1)}, {}, {.engine = engine});
                return;
            case 2:
                k_.tensor_tensor(dst, a, AluOp::Max, any(partitions, elements));
                return;
            case 3:
                k_.tensor_reduce(any(partitions, 1), a, AluOp::Max);
                return;
            case 4:
                return multiply(1 + pick(Partitions));
            default:
                return transfer(partitions, elements, i, iterations);
        }
    }

    void multiply(std::uint32_t rows) {
        const std::uint32_t columns = 1 + pick(Partitions), elements = 1 + pick(BankColumns);
        const Tile first = sbuf_.partition_slice(0, rows);
        const auto at = [&](std::uint32_t count) { return first.slice(0, pick(Columns - count), count); };
        const Tile sum = k_.psum({pick(Banks)}, columns, BankColumns).slice(0, 0, elements);
        for (const bool accumulate : {false, true}) {
            k_.load_stationary(at(columns));
            k_.multiply_moving(sum, at(elements), {.accumulate = accumulate});
        }
    }

    // Takes `count` elements of an axis of `size` elements; the slice may step in either direction.
    template <typename Index>
    TensorView slice(const TensorView& view, std::size_t axis, std::uint32_t count, Index i,
                     std::uint32_t iterations) {
        const auto left = static_cast<std::int64_t>(view.axes[axis].count) - count;
        const std::int64_t step = iterations > 1 && pick(2) == 0
                                      ? pick(static_cast<std::uint32_t>(left / (iterations - 1)) + 1)
                                      : 0;
        const std::int64_t reach = step * (std::int64_t{iterations} - 1);
        const std::int64_t first = pick(static_cast<std::uint32_t>(left - reach) + 1);
        if (step == 0) return view.slice(axis, static_cast<std::uint64_t>(first), count);
        if (pick(2) == 0) return at(view, axis, i * -step + (first + reach), count);
        return at(view, axis, i * step + first, count);
    }
    static TensorView at(const TensorView& view, std::size_t axis, std::int64_t first, std::uint32_t count) {
        return view.slice(axis, static_cast<std::uint64_t>(first), count);
    }
    static TensorView at(const TensorView& view, std::size_t axis, const builder::LoopOffset& first,
                         std::uint32_t count) {
        return view.slice(axis, first, count);
    }

    template <typename Index>
    void transfer(std::uint32_t partitions, std::uint32_t elements, Index i, std::uint32_t iterations) {
        const bool load = pick(2) == 0;
        TensorView view = tensors_[load ? pick(3) : 1 + pick(3)];
        if (pick(4) == 0) view = view.swapped(0, 1);
        view = slice(slice(view, 0, partitions, i, iterations), 1, elements, i, iterations);
        const Tile tile = any(partitions, elements);
        const auto queue = queues_[pick(static_cast<std::uint32_t>(queues_.size()))];
        load ? k_.load(queue, tile, view) : k_.store(queue, view, tile);
    }

    std::uint64_t seed_;
    Written written_;
    std::mt19937_64 random_;
    KernelBuilder k_;
    std::vector<TensorView> tensors_;
    std::vector<builder::Queue> queues_;
    Tile sbuf_;
};

TEST(DerivedLoops, OfRandomCallsGiveWhatTheyGiveInOrder) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 60 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        const Outcome expected = interpret(RandomLoop(seed, Written::Unrolled).build(), 0);
        ASSERT_EQ(expected.error, "");
        const neff::Package package = RandomLoop(seed, Written::AsLoop).build();
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
            const Outcome outcome = interpret(package, order);
            EXPECT_EQ(outcome.error, "");
            EXPECT_EQ(outcome.outputs, expected.outputs);
        }
    }
}

TEST(DerivedLoops, AMissingKindOfDependenceIsARace) {
    using enum Dependences::Kind;
    for (const Dependences::Kind kind : {ReadAfterWrite, WriteAfterRead, WriteAfterWrite}) {
        int noticed = 0;
        for (std::uint64_t seed = test::seed(); seed < test::seed() + 10; ++seed) {
            RandomLoop kernel(seed, Written::AsLoop);
            kernel.builder().dependences().leave_out(kind);
            if (!interpret(kernel.build(), seed).error.empty()) ++noticed;
        }
        EXPECT_GE(noticed, 6) << static_cast<int>(kind);
    }
}

}  // namespace
}  // namespace trnsim::functional
