// The semaphores by themselves: the requester that is served, writes and reads, cycle by cycle beside plain
// arrays.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "Vsemaphores.h"
#include "common/random.hpp"
#include "tests/common/model.hpp"

namespace trnsim {
namespace {

constexpr unsigned Requesters = 6, Semaphores = 256;
enum Mode : unsigned { Set = 1, Add = 2, Sub = 3 };

struct Update {
    unsigned mode, sem;
    std::uint32_t value;
};

class SemaphoresTest : public testing::Test {
  protected:
    void reset() {
        model_->update_valid_i = 0;
        model_->rst_ni = 1;
        clock(0);
        model_->rst_ni = 0;
        clock(0);
        clock(1);
        clock(0);
        model_->rst_ni = 1;
        values_ = {};
        last_ = Requesters - 1;
    }

    void clock(unsigned level) {
        model_->clk_i = level;
        model_->eval();
    }

    // Runs one cycle; reads see the values from before its update.
    void cycle(const std::array<Update, Requesters>& updates, unsigned valid,
               const std::array<unsigned, Requesters>& reads, bool hold = false) {
        model_->update_valid_i = valid;
        model_->hold_i = hold;
        model_->read_sem_i = 0;
        for (unsigned i = 0; i < Requesters; ++i) {
            model_->update_i[i] =
                std::uint64_t{updates[i].mode} << 40 | std::uint64_t{updates[i].sem} << 32 | updates[i].value;
            model_->read_sem_i |= std::uint64_t{reads[i]} << (8 * i);
        }
        model_->eval();
        for (unsigned i = 0; i < Requesters; ++i) {
            ASSERT_EQ(model_->read_value_o[i], values_[reads[i]]) << "semaphore " << reads[i];
        }
        ASSERT_NO_FATAL_FAILURE(serve(updates, hold ? 0 : valid));
        clock(1);
        clock(0);
    }

    std::unique_ptr<Vsemaphores> model_ = std::make_unique<test::Model<Vsemaphores>>();

  private:
    void serve(const std::array<Update, Requesters>& updates, unsigned valid) {
        if (valid == 0) {
            ASSERT_EQ(model_->update_ready_o, 0U);
            return;
        }
        do last_ = (last_ + 1) % Requesters;
        while ((valid >> last_ & 1) == 0);
        ASSERT_EQ(model_->update_ready_o, 1U << last_);
        const Update& update = updates[last_];
        std::uint32_t& value = values_[update.sem];
        std::uint32_t result = update.value;
        bool overflow = false;
        if (update.mode == Add) overflow = __builtin_add_overflow(value, update.value, &result);
        if (update.mode == Sub) overflow = __builtin_sub_overflow(value, update.value, &result);
        ASSERT_EQ(model_->overflow_o, overflow ? 1U : 0U);
        if (!overflow) value = result;
    }

    std::array<std::uint32_t, Semaphores> values_{};
    unsigned last_ = 0;
};

TEST_F(SemaphoresTest, RandomUpdates) {
    std::mt19937_64 random = test::generator();
    const std::uint64_t runs = 10 * test::scale();
    for (std::uint64_t run = 0; run < runs; ++run) {
        reset();
        // With few semaphores requests often meet; all of them show that each is separate.
        const std::uint64_t semaphores = run % 2 != 0 ? 3 : Semaphores;
        for (int i = 0; i < 2000; ++i) {
            std::array<Update, Requesters> updates{};
            std::array<unsigned, Requesters> reads{};
            for (unsigned r = 0; r < Requesters; ++r) {
                const auto wide = static_cast<std::uint32_t>(random());
                updates[r] = {Set + static_cast<unsigned>(random() % 3),
                              static_cast<unsigned>(random() % semaphores), random() % 2 ? wide : wide % 4};
                reads[r] = static_cast<unsigned>(random() % semaphores);
            }
            const auto valid = static_cast<unsigned>(random() % 4 ? random() % (1U << Requesters) : 0);
            const bool hold = run % 3 == 2 && random() % 4 == 0;
            ASSERT_NO_FATAL_FAILURE(cycle(updates, valid, reads, hold)) << "run " << run << ", cycle " << i;
        }
    }
}

TEST_F(SemaphoresTest, LimitsOfAdditionAndSubtraction) {
    reset();
    const auto update = [this](unsigned mode, std::uint32_t value) {
        cycle({Update{mode, 7, value}}, 1, {7});
    };
    constexpr std::uint32_t Max = 0xffffffff;
    for (const auto& [start, mode, value] : {std::tuple{Max, Add, 1U},
                                             {Max, Add, 0U},
                                             {Max - 1, Add, 1U},
                                             {0U, Sub, 1U},
                                             {0U, Sub, 0U},
                                             {1U, Sub, 1U},
                                             {Max, Sub, Max},
                                             {Max, Add, Max},
                                             {0U, Add, Max}}) {
        update(Set, start);
        update(mode, value);
        update(Add, 0);
    }
}

}  // namespace
}  // namespace trnsim
