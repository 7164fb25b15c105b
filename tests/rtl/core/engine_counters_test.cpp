// engine_counters beside a model: the cycles that each counter counts, clearing, and the values that a reader
// sees.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vengine_counters.h"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

constexpr unsigned Engines = 5, Counters = 8;
// Bits of tensor_i, from the lowest: idle, load_normal, load_fast, matmul.
constexpr std::uint8_t LoadNormal = 2, LoadFast = 4, Matmul = 8;
enum : unsigned { CounterMatmul = 5, CounterFastLoad, CounterNormalLoad };

class Bench {
  public:
    Bench() {
        model_.rst_ni = 1;
        model_.eval();
        model_.rst_ni = 0;
        model_.eval();
        model_.rst_ni = 1;
    }

    void cycle(std::uint8_t busy, bool fire, std::uint8_t tensor, bool clear, bool bus_tick) {
        model_.busy_i = busy;
        model_.tensor_fire_i = fire;
        model_.tensor_i = tensor;
        model_.clear_i = clear;
        if (bus_tick) seen_ = count_;  // values from before the edge
        for (unsigned c = 0; c < Engines; ++c) count_[c] += busy >> c & 1;
        if (fire) {
            count_[CounterMatmul] += (tensor & Matmul) != 0 ? 1 : 0;
            count_[CounterFastLoad] += (tensor & LoadFast) != 0 ? 1 : 0;
            count_[CounterNormalLoad] += (tensor & LoadNormal) != 0 ? 1 : 0;
        }
        if (clear) count_ = {};
        model_.bus_tick_i = bus_tick;
        for (const int level : {0, 1}) {
            model_.clk_i = static_cast<std::uint8_t>(level);
            model_.eval();
        }
    }

    void expect_seen() {
        for (unsigned c = 0; c < Counters; ++c) {
            model_.select_i = static_cast<std::uint8_t>(c);
            model_.eval();
            ASSERT_EQ(model_.value_o, seen_[c]) << "counter " << c;
        }
    }

  private:
    test::Model<Vengine_counters> model_;
    std::array<std::uint64_t, Counters> count_{}, seen_{};
};

TEST(EngineCounters, Random) {
    auto random = test::generator();
    Bench bench;
    bench.expect_seen();
    for (std::uint64_t cycle = 0; cycle < 20'000 * test::scale(); ++cycle) {
        auto busy = static_cast<std::uint8_t>(random() % (1U << Engines));
        constexpr std::array<std::uint8_t, 5> Tensor{1, LoadNormal, LoadFast, Matmul, Matmul | LoadFast};
        const std::uint8_t tensor = Tensor[random() % Tensor.size()];
        const bool fire = random() % 3 != 0;
        if (fire && tensor != 1) busy |= 1;  // an engine at work is busy
        bench.cycle(busy, fire, tensor, random() % 500 == 0, random() % 2 == 0);
        bench.expect_seen();
    }
}

}  // namespace
}  // namespace trnsim
