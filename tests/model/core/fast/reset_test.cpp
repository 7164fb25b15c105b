// Tests a reset of the fast core: its first cycle resets the core, the others change nothing more.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "memory_only.hpp"
#include "model/core/fast/fast_model.hpp"

namespace trnsim::test {
namespace {

using tlm::core_fast::FastModel;

class CountsRestarts final : public MemoryOnly {
  public:
    CountsRestarts(const config::Core& core, unsigned& restarts) : MemoryOnly(core), restarts_(restarts) {}
    void restart() override { ++restarts_; }

  private:
    unsigned& restarts_;
};

class FastReset : public testing::Test {
  protected:
    void steps(unsigned count) {
        for (unsigned i = 0; i < count; ++i) model.step();
    }
    void reset(unsigned cycles) {
        model.in = {};
        steps(cycles);
        model.in.reset_n = true;
    }
    // The address of a write is taken; its data are still to come.
    void begin_write() {
        constexpr unsigned Edges = 8;
        auto& port = model.in.port[0];
        port.aw_valid = true;
        steps(Edges);
        port.aw_valid = false;
    }

    config::Config config = config::load(config::resolve("small16"));
    unsigned restarts = 0;
    FastModel model{config.core, std::make_unique<CountsRestarts>(config.core, restarts)};
};

TEST_F(FastReset, IsOneHoweverLongItLasts) {
    EXPECT_EQ(restarts, 1U);
    reset(32);
    EXPECT_EQ(restarts, 2U);
    steps(1);
    reset(1);
    EXPECT_EQ(restarts, 3U);
    reset(1);  // the reset goes on
    EXPECT_EQ(restarts, 3U);
}

TEST_F(FastReset, EndsWhatWasUnderWay) {
    for (const unsigned cycles : {1U, 32U}) {
        begin_write();
        EXPECT_FALSE(model.out.port[0].aw_ready);
        reset(cycles);
        EXPECT_TRUE(model.out.port[0].aw_ready) << cycles;
        EXPECT_TRUE(model.out.idle) << cycles;
    }
}

// This includes bytes written during a reset.
TEST_F(FastReset, KeepsMemoriesOfGpsimdCores) {
    const std::vector<std::uint8_t> written{1, 2, 3, 4}, later{5, 6, 7, 8};
    std::vector<std::uint8_t> found(written.size());
    const std::uint32_t place = isa::window::GpsimdTcmBase + 64;
    ASSERT_TRUE(model.debug_write(place, written));
    reset(1);
    ASSERT_TRUE(model.debug_read(place, found));
    EXPECT_EQ(found, written);
    ASSERT_TRUE(model.debug_write(place, later));
    reset(2);
    ASSERT_TRUE(model.debug_read(place, found));
    EXPECT_EQ(found, later);
}

}  // namespace
}  // namespace trnsim::test
