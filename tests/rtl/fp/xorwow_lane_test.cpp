// Compares the generators of the lanes with the host's: seeding, draws, lanes that are not in use.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vxorwow_lane_tb.h"
#include "arch/numerics/xorwow.hpp"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

using numerics::Stream;

constexpr std::size_t Lanes = 128;

class Bench {
  public:
    void seed(Stream stream, std::uint32_t seed) {
        model_.seed_valid_i = 1;
        model_.stream_i = static_cast<std::uint16_t>(stream);
        model_.seed_i = seed;
        step();
        model_.seed_valid_i = 0;
        expected_ = numerics::generators(stream, Lanes, seed);
    }

    // Makes one draw of the lanes in use; returns whether each is the host's.
    bool draw_agrees(const std::vector<bool>& in_use) {
        for (std::size_t word = 0; word < Lanes / 32; ++word) model_.in_use_i[word] = 0;
        for (std::size_t k = 0; k < Lanes; ++k) model_.in_use_i[k / 32] |= unsigned{in_use[k]} << k % 32;
        step();
        for (std::size_t k = 0; k < Lanes; ++k) {
            if (in_use[k] && model_.draw_o[k] != expected_[k].draw()) return false;
        }
        return true;
    }

  private:
    void step() {
        model_.clk_i = 0;
        model_.eval();
        model_.clk_i = 1;
        model_.eval();
    }

    test::Model<Vxorwow_lane_tb> model_;
    std::vector<numerics::Xorwow> expected_;
};

constexpr Stream Streams[] = {Stream::VectorRounding, Stream::ScalarRounding, Stream::GpsimdRounding,
                              Stream::VectorRandom};

TEST(XorwowLane, DrawsLikeTheHost) {
    auto generator = test::generator();
    Bench bench;
    const std::vector<bool> all(Lanes, true);
    for (const Stream stream : Streams) {
        for (const std::uint32_t seed :
             {0u, 1u, 0x80000000u, 0xffffffffu, static_cast<std::uint32_t>(generator())}) {
            bench.seed(stream, seed);
            const std::uint64_t draws = 500 * test::scale();
            for (std::uint64_t i = 0; i < draws; ++i) ASSERT_TRUE(bench.draw_agrees(all)) << i;
        }
    }
}

TEST(XorwowLane, LanesNotInUseKeepTheirState) {
    auto generator = test::generator();
    Bench bench;
    bench.seed(Stream::VectorRounding, 5);
    const std::uint64_t draws = 2000 * test::scale();
    for (std::uint64_t i = 0; i < draws; ++i) {
        std::vector<bool> in_use(Lanes);
        const std::size_t first = generator() % Lanes;
        const bool block = generator() % 2 != 0;
        for (std::size_t k = 0; k < Lanes; ++k) in_use[k] = block ? k < first : generator() % 2 != 0;
        ASSERT_TRUE(bench.draw_agrees(in_use)) << i;
    }
}

}  // namespace
}  // namespace trnsim
