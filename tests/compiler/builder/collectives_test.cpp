// Tests the instructions that calls of collectives emit, in loops and outside, and the messages for calls
// that are refused. The interpreter's collective_loops_test checks that they wait for what they depend on.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "common/temporary_directory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;
using isa::Opcode;
using neff::TensorKind;

constexpr std::uint32_t Ranks = 4;

// A kernel with two tensors and a queue for collectives.
struct Sample {
    KernelBuilder k;
    TensorView x, y;
    Queue meets;

    Sample()
        : k("sample", "", test::small_target()),
          x(k.tensor("x", TensorKind::Update, Dtype::Fp32, {16, 64})),
          y(k.tensor("y", TensorKind::Update, Dtype::Fp32, {16, 64})),
          meets(k.queue("meets", isa::Engine::Gpsimd)) {}

    Event all_reduce(const TensorView& output, const TensorView& input, std::uint32_t ranks = Ranks,
                     Where where = Where::current()) {
        std::uint64_t count = 1;
        for (const TensorView::Axis& axis : input.axes) count *= axis.count;
        return k.collective(meets, output, input, {{.count = count, .ranks = ranks}}, {}, where);
    }
};

// Returns the message of the Error that `call` throws, without the prefix "FILE:LINE: collective: ", which it
// must have.
template <typename Call>
std::string refusal(std::uint32_t line, const Call& call) {
    const std::string message = test::message_of<Error>(call);
    const std::string place = place_name(Where::current(__FILE__, line)) + ": collective: ";
    return message.starts_with(place) ? message.substr(place.size()) : "elsewhere: " + message;
}

TEST(Collectives, InALoopStepWithIt) {
    Sample s;
    s.k.loop(5, [&](LoopIndex i) {
        s.all_reduce(s.y.slice(0, i * 3, 2), s.x.slice(0, 12 - i * 3, 2));
        s.all_reduce(s.x.slice(0, 15U, 1), s.y.slice(0, i + 2, 1));
    });
    const neff::Package package = s.k.finish();
    ASSERT_EQ(package.transfers.size(), 2u);
    ASSERT_EQ(package.loops.size(), 1u);
    EXPECT_EQ(package.loops[0].iterations, 5u);
    const neff::Pattern &from = package.transfers[0].from, &to = package.transfers[0].to;
    EXPECT_EQ(from.offset, 12u * 256);
    EXPECT_EQ(from.iteration_step[0], -3 * 256);
    EXPECT_EQ(from.iteration_count[0], 5u);
    EXPECT_EQ(to.offset, 0u);
    EXPECT_EQ(to.iteration_step[0], 3 * 256);
    EXPECT_EQ(package.transfers[1].to.iteration_count[0], 1u);
    EXPECT_EQ(package.transfers[1].loop, package.transfers[0].loop);
    EXPECT_NO_THROW(neff::serialise(package));
}

TEST(Collectives, AContainerDoesNotGrowWithTheIterations) {
    const auto bytes = [](std::uint32_t iterations) {
        Sample s;
        s.k.loop(iterations, [&](LoopIndex) { s.all_reduce(s.y, s.x); });
        return static_cast<double>(neff::serialise(s.k.finish()).size());
    };
    EXPECT_NEAR(bytes(2), bytes(200), 1024);
}

// The trigger of the second collective, which is in place, waits for the one before it that reads the same
// tensor.
TEST(Collectives, InPlaceComesAfterThoseThatReadWhatItWrites) {
    Sample s;
    s.all_reduce(s.y, s.x);
    s.all_reduce(s.x, s.x);
    const neff::Package package = s.k.finish();
    const auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)];
    ASSERT_EQ(program[1].opcode(), Opcode::DmaTrigger);
    EXPECT_EQ(program[1].get(isa::field::WaitSem), package.transfers[0].semaphore);
    EXPECT_NE(program[1].get(isa::field::WaitMode), 0u);
}

TEST(Collectives, RefusePlaces) {
    Sample s;
    s.k.loop(4, [&](LoopIndex i) {
        EXPECT_EQ(refusal(__LINE__, [&] { s.all_reduce(s.y.slice(1, i * 16, 16), s.x.slice(1, 0U, 16)); }),
                  "fp32 x[16, 16]: expected 256 fp32 elements that lie one after the other");
        const std::uint32_t line = __LINE__ + 1;
        const auto meeting = [&] { s.all_reduce(s.y.slice(0, i * 2, 2), s.y.slice(0, 3U, 2)); };
        EXPECT_EQ(
            refusal(line, meeting),
            "all-reduce y[2, 64], iteration 1: input and output are partly the same, expected two that do "
            "not meet");
        EXPECT_EQ(refusal(__LINE__, [&] { s.all_reduce(s.y.slice(0, i * 2, 1), s.y.slice(0, i, 1)); }),
                  "all-reduce y[1, 64], iteration 1: input and output are apart, expected one place");
        s.all_reduce(s.y, s.x);
    });
    const TensorView left = [&] {
        TensorView view = s.x;
        s.k.loop(2, [&](LoopIndex i) {
            view = s.x.slice(0, i, 1);
            s.all_reduce(s.y.slice(0, 0U, 1), view);
        });
        return view;
    }();
    const std::uint32_t line = __LINE__ + 1;
    const std::string message = test::message_of<Error>([&] { s.all_reduce(s.y.slice(0, 0U, 1), left); });
    EXPECT_EQ(message, place_name(Where::current(__FILE__, line)) +
                           ": transfer: x[1, 64] is a slice of a loop that has ended");
}

TEST(Collectives, RefuseOtherQueuesAndRanks) {
    Sample s;
    const Tile tile = s.k.sbuf(8, Dtype::Fp32, {64});
    const TensorView rows = s.x.slice(0, 0U, 8);
    const Queue loads = s.k.queue("loads"), other = s.k.queue("other");
    const neff::Collective one{{.count = 1024, .ranks = Ranks}};
    s.k.load(loads, tile, rows);
    EXPECT_EQ(refusal(__LINE__, [&] { s.k.collective(loads, s.y, s.x, one); }),
              "queue 'loads' has other transfers, expected one for collectives alone");
    s.all_reduce(s.y, s.x);
    EXPECT_EQ(refusal(__LINE__, [&] { s.k.collective(other, s.y, s.x, one); }),
              "in queue 'other', expected 'meets' as those before");
    EXPECT_EQ(refusal(__LINE__, [&] { s.all_reduce(s.y, s.x, Ranks + 1); }),
              "of 5 ranks, expected 4 as those before");
    const std::uint32_t line = __LINE__ + 1;
    const std::string message = test::message_of<Error>([&] { s.k.load(s.meets, tile, rows); });
    EXPECT_EQ(message, place_name(Where::current(__FILE__, line)) +
                           ": transfer: queue 'meets' has collectives, expected one for other transfers");
}

TEST(Collectives, RefuseMoreThanAKernelHas) {
    Sample s;
    s.k.loop(40'000, [&](LoopIndex) {
        s.all_reduce(s.y, s.x);
        EXPECT_EQ(refusal(__LINE__, [&] { s.all_reduce(s.y, s.x); }),
                  "with those before 80000 in all iterations, expected at most 65536 in a kernel");
    });
    Sample other;
    other.k.loop(70'000, [&](LoopIndex) {
        EXPECT_EQ(refusal(__LINE__, [&] { other.all_reduce(other.y, other.x); }),
                  "all-reduce y[16, 64]: 70000 collectives, expected at most 65536 in a kernel");
        other.k.memset(other.k.sbuf(8, Dtype::Fp32, {1}), 0.0F);
    });
}

}  // namespace
}  // namespace trnsim::builder
