// Compares the fast core in the whole system with the verilated one, for random programs on a small core.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "testbench/parity/subjects.hpp"
#include "testbench/parity/system_parity.hpp"

namespace trnsim::test {
namespace {

// The programs of a run, in parts that run side by side.
class ProgramParity : public ::testing::TestWithParam<std::uint64_t> {
  public:
    static constexpr std::uint64_t Parts = 4;
};

// The RTL takes most of the time: 15 programs a second of one processor.
TEST_P(ProgramParity, OnASmallCore) {
    constexpr std::uint64_t Batch = 25, Quick = 50, Full = 100;
    const std::uint64_t count = scale() == 1 ? Quick : Full * scale(), begin = GetParam() * count;
    for (std::uint64_t first = begin; first < begin + count; first += Batch)
        expect_same(parity::programs(config::load("small16"), seed(), first, first + Batch - 1));
}

// Cores whose rates of Tensor and Vector are others: at the ends of their ranges, and between.
class ProgramParityRates : public ::testing::TestWithParam<const char*> {};

TEST_P(ProgramParityRates, OnASmallCore) {
    const std::uint64_t count = scale() == 1 ? 25 : 20 * scale();
    const auto config = config::load(fmt::format("{}/{}.yaml", TRNSIM_TEST_CONFIGS, GetParam()));
    expect_same(parity::programs(config, seed(), 0, count - 1));
}

INSTANTIATE_TEST_SUITE_P(, ProgramParityRates, ::testing::Values("vlen128", "vlen256"));
INSTANTIATE_TEST_SUITE_P(, ProgramParity, ::testing::Range<std::uint64_t>(0, ProgramParity::Parts));

}  // namespace
}  // namespace trnsim::test
