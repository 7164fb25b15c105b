// SystemC elaborates once, so each server is made in a child process.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/jobs/process.hpp"

namespace trnsim::test {

// Expects that the child returns an empty text, which means that nothing is wrong.
inline void in_a_child(const std::function<std::string()>& work) {
    const jobs::Outcome outcome = jobs::run({.work = work});
    ASSERT_TRUE(outcome.returned()) << outcome.explanation() << "\n" << outcome.log;
    EXPECT_EQ(outcome.text, "");
}

}  // namespace trnsim::test
