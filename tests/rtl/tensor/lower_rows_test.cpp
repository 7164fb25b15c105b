// The model of the array's lower blocks by itself: how its errors are reported.
#include "model/core/rtl/lower_rows.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace trnsim::tlm {
namespace {

class LowerRowsTest : public testing::TestWithParam<unsigned> {};

// The test sends a beat of stationary columns that lies beyond the last column.
TEST_P(LowerRowsTest, AFailedAssertionEndsTheRun) {
    VerilatedContext context;
    LowerRows rows(context, "lower", GetParam());
    rows.reset();
    for (int edge = 0; edge < 10; ++edge) {
        EXPECT_EQ(rows.results(), 0u);
        rows.edge(edge, 0, 0);
    }
    EXPECT_EQ(rows.results(), 0u);
    rows.edge(10, 0, ~std::uint64_t{0});
    try {
        rows.results();
        ADD_FAILURE() << "nothing was noticed";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("rtl/tensor/pe_block.sv:"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("RTL stopped"), std::string::npos) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, LowerRowsTest, testing::Values(1, 2));

}  // namespace
}  // namespace trnsim::tlm
