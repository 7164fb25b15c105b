// What calls of collectives become.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "common/temporary_directory.hpp"
#include "lib/builder/error.hpp"
#include "lib/builder/kernel_builder.hpp"
#include "lib/kernels/targets.hpp"
#include "lib/neff/neff.hpp"

namespace trnsim::builder {
namespace {

using collectives::Operation;
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

// Its trigger waits for collectives before it that read what it writes.
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

}  // namespace
}  // namespace trnsim::builder
