#include "model/core/rtl/step_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace trnsim::tlm {
namespace {

class StepThreadTest : public testing::TestWithParam<unsigned> {};

TEST_P(StepThreadTest, RunsStepsInOrder) {
    int steps = 0;  // not atomic: start() and finish() order all uses
    StepThread thread(GetParam(), [&] { ++steps; });
    thread.finish();
    EXPECT_EQ(steps, 0);
    for (int i = 1; i <= 20000; ++i) {
        thread.start();
        thread.finish();
        ASSERT_EQ(steps, i);
    }
}

// The pauses are longer than a side spins before it sleeps.
TEST_P(StepThreadTest, WakesASleepingSide) {
    using namespace std::chrono_literals;
    int steps = 0;
    auto length = 20ms;
    StepThread thread(GetParam(), [&] {
        std::this_thread::sleep_for(length);
        ++steps;
    });
    for (int i = 1; i <= 3; ++i) {
        thread.start();
        thread.finish();
        ASSERT_EQ(steps, i);
        length = 0ms;
        std::this_thread::sleep_for(20ms);
    }
}

TEST_P(StepThreadTest, HandsOverExceptionsOnce) {
    bool fail = true;
    StepThread thread(GetParam(), [&] {
        if (fail) throw std::runtime_error("no step");
    });
    thread.start();
    EXPECT_THROW(thread.finish(), std::runtime_error);
    thread.finish();
    fail = false;
    thread.start();
    thread.finish();
}

TEST_P(StepThreadTest, EndsWithAStepUnderWay) {
    for (int i = 0; i < 100; ++i) {
        int steps = 0;
        {
            StepThread thread(GetParam(), [&] { ++steps; });
            for (int k = 0; k < i % 3; ++k) {
                thread.finish();
                thread.start();
            }
        }
        EXPECT_EQ(steps, i % 3);
    }
}

TEST(StepThread, UsesOtherThreadsFromTwoOn) {
    for (const unsigned threads : {1u, 2u, 3u}) {
        std::thread::id id;
        std::atomic<bool> begun = false;
        StepThread thread(threads, [&] {
            id = std::this_thread::get_id();
            begun = true;
        });
        thread.start();
        while (!begun) std::this_thread::yield();
        thread.finish();
        EXPECT_EQ(id == std::this_thread::get_id(), threads == 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, StepThreadTest, testing::Values(1, 2));

}  // namespace
}  // namespace trnsim::tlm
