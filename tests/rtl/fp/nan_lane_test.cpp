// Compares the NaNs among the elements of every type with the host's numbers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "Vnan_lane_tb.h"
#include "arch/numerics/format.hpp"
#include "common/random.hpp"
#include "isa/isa_tables.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using isa::Dtype;

constexpr std::size_t Lanes = 128;

struct Type {
    Dtype dtype;
    unsigned bits;
};

constexpr std::array Types{Type{Dtype::Fp32, 32},   Type{Dtype::Tf32, 32},   Type{Dtype::Bf16, 16},
                           Type{Dtype::Fp16, 16},   Type{Dtype::Fp8E3m4, 8}, Type{Dtype::Fp8E4m3, 8},
                           Type{Dtype::Fp8E5m2, 8}, Type{Dtype::I8, 8},      Type{Dtype::U8, 8},
                           Type{Dtype::I16, 16},    Type{Dtype::U16, 16},    Type{Dtype::I32, 32},
                           Type{Dtype::U32, 32}};

class Bench {
  public:
    explicit Bench(Dtype dtype) { model_.dtype_i = static_cast<std::uint8_t>(dtype); }

    void set(std::size_t lane, std::uint32_t element) { model_.row_i[lane] = element; }
    void use(std::size_t lane, bool used) {
        model_.mask_i[lane / 32] &= ~(1U << lane % 32);
        model_.mask_i[lane / 32] |= unsigned{used} << lane % 32;
    }
    bool found() {
        model_.eval();
        return model_.found_o != 0;
    }

  private:
    test::Model<Vnan_lane_tb> model_;
};

bool is_nan(const Type& type, std::uint32_t element) {
    return numerics::is_float(type.dtype) && std::isnan(numerics::to_fp32(element, type.dtype));
}

// Tests every element of the narrow types; of fp32 the ones around infinity, infinity with one more bit, and
// random ones.
TEST(NanLane, EachElement) {
    auto random = test::generator();
    for (const Type& type : Types) {
        Bench bench(type.dtype);
        bench.use(5, true);
        const std::uint64_t count = type.bits == 32 ? 100'000 : std::uint64_t{1} << type.bits;
        std::uint64_t nans = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            auto element = static_cast<std::uint32_t>(i);
            if (type.bits == 32) {
                element = static_cast<std::uint32_t>(random());
                if (i % 2 == 0) element = (element & 0x8000'0007) + 0x7f7f'fffc;
                if (i % 4 == 1) element = (element & 0x8000'0000) | 0x7f80'0000 | 1U << i / 4 % 23;
                // The bits that tf32 does not have are zero.
                if (type.dtype == Dtype::Tf32) element &= ~0x1fffU;
            }
            bench.set(5, element);
            ASSERT_EQ(bench.found(), is_nan(type, element))
                << name_of(type.dtype) << " " << std::hex << element;
            nans += is_nan(type, element) ? 1 : 0;
        }
        EXPECT_EQ(nans != 0, numerics::is_float(type.dtype)) << name_of(type.dtype);
    }
}

TEST(NanLane, InARowOfNothingElse) {
    Bench bench(Dtype::Fp16);
    for (std::size_t lane = 0; lane < Lanes; ++lane) bench.set(lane, 0x7e00);
    EXPECT_FALSE(bench.found());
    bench.use(Lanes - 1, true);
    EXPECT_TRUE(bench.found());
}

TEST(NanLane, OnlyInTheMask) {
    Bench bench(Dtype::Bf16);
    for (std::size_t nan = 0; nan < Lanes; ++nan) {
        bench.set(nan, 0xff81);
        EXPECT_FALSE(bench.found());
        for (const std::size_t lane : {nan, (nan + 1) % Lanes, (nan + 77) % Lanes}) {
            bench.use(lane, true);
            EXPECT_EQ(bench.found(), lane == nan) << nan << " " << lane;
            bench.use(lane, false);
        }
        for (std::size_t lane = 0; lane < Lanes; ++lane) bench.use(lane, lane != nan);
        EXPECT_FALSE(bench.found());
        for (std::size_t lane = 0; lane < Lanes; ++lane) bench.use(lane, false);
        bench.set(nan, 0);
    }
}

}  // namespace
}  // namespace trnsim
