// numeric_errors beside a model.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vnumeric_errors.h"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

constexpr unsigned Engines = 5, NumberBits = 6;

class Bench {
  public:
    Bench() { reset(); }

    void reset() {
        model_.rst_ni = 1;
        model_.eval();
        model_.rst_ni = 0;
        model_.eval();
        model_.rst_ni = 1;
        nan_ = 0;
        number_ = {};
    }

    // Runs a cycle with the engines that write a NaN and the numbers of the instructions at work.
    void cycle(std::uint32_t nan, const std::array<std::uint8_t, Engines>& number) {
        model_.nan_i = static_cast<std::uint8_t>(nan);
        model_.number_i = 0;
        for (unsigned e = 0; e < Engines; ++e) {
            model_.number_i |= std::uint32_t{number[e]} << e * NumberBits;
            // The first one stays. While something new arrives, numbers of engines without a NaN do not
            // matter.
            if ((nan & ~nan_ & 1U << e) != 0) number_[e] = number[e];
        }
        nan_ |= nan;
        for (const int level : {0, 1}) {
            model_.clk_i = static_cast<std::uint8_t>(level);
            model_.eval();
        }
    }

    void expect_kept() {
        ASSERT_EQ(model_.nan_o, nan_);
        for (unsigned e = 0; e < Engines; ++e) {
            if ((nan_ >> e & 1) == 0) continue;
            ASSERT_EQ(model_.number_o >> e * NumberBits & 0x3f, number_[e]) << "engine " << e;
        }
    }

  private:
    test::Model<Vnumeric_errors> model_;
    std::uint32_t nan_ = 0;
    std::array<std::uint8_t, Engines> number_{};
};

TEST(NumericErrors, TheFirstOfEachEngineStays) {
    auto random = test::generator();
    Bench bench;
    for (int round = 0; round < 300; ++round) {
        bench.reset();
        bench.expect_kept();
        for (int cycle = 0; cycle < 40; ++cycle) {
            std::array<std::uint8_t, Engines> number{};
            for (std::uint8_t& n : number) n = static_cast<std::uint8_t>(random() % 64);
            // On average one engine writes a NaN in eight cycles.
            std::uint32_t nan = 0;
            for (unsigned e = 0; e < Engines; ++e) nan |= (random() % 40 == 0 ? 1U : 0U) << e;
            bench.cycle(nan, number);
            bench.expect_kept();
        }
    }
}

}  // namespace
}  // namespace trnsim
