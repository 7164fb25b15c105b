// Tests figures that several parts of the project share.
#include <gtest/gtest.h>

#include "isa/core_window.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "isa/instruction.hpp"

namespace trnsim::isa {
namespace {

TEST(CoreWindow, SbufIsCutIntoAPowerOfTwoOfPartitions) {
    EXPECT_EQ(sbuf_partition_stride(1), 0x40000u);
    EXPECT_EQ(sbuf_partition_stride(128), 0x40000u);
    EXPECT_EQ(sbuf_partition_stride(129), 0x20000u) << "neither a share of 129";
    EXPECT_EQ(sbuf_partition_stride(192), 0x20000u);
    EXPECT_EQ(sbuf_partition_stride(256), 0x20000u);
    EXPECT_EQ(format_address(0x40001), "sbuf[1+0x1]");
    EXPECT_EQ(format_address(0x2610040), "tcm[1+0x40]");
}

TEST(ElementType, EveryCodeHasASizeAndOthersHaveNone) {
    std::uint32_t bytes = 0, integers = 0;
    for (const EnumValue& value : dtype_values()) {
        const auto dtype = static_cast<Dtype>(value.value);
        EXPECT_NE(element_size(dtype), 0u) << value.name;
        bytes += element_size(dtype);
        integers += is_integer_type(dtype) ? 1 : 0;
    }
    EXPECT_EQ(bytes, 5 * 1u + 4 * 2u + 4 * 4u);
    EXPECT_EQ(integers, 6u);
    EXPECT_EQ(element_size(static_cast<Dtype>(1)), 0u);
    EXPECT_EQ(element_size(Dtype::Tf32), 4u);
}

}  // namespace
}  // namespace trnsim::isa
