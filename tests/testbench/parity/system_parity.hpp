// One package on the fast core in the whole system and on the verilated one.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/jobs/isolated.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"

namespace trnsim::test {

inline parity::Observation run_on(const parity::Subject& subject, bool fast) {
    return parity::from_text(jobs::run_isolated([&] {
        const tlm::CoreFactory core =
            fast ? tlm::core_fast::make_core(subject.config) : tlm::core_rtl::load_core(subject.config, 1);
        return parity::to_text(
            parity::observe(subject.package, subject.config, subject.inputs, subject.rounding, core));
    }));
}

// Expects the same completion cycles, statistics and bytes, and prints the error of the cycles.
inline void expect_same(const parity::Subject& subject) {
    SCOPED_TRACE(subject.name);
    const parity::Comparison found = parity::compare(run_on(subject, false), run_on(subject, true));
    std::printf(
        "%s: %llu instructions, %llu in another cycle, mean error %.4f %%, worst %.4f %%, %.0f times as "
        "fast\n",
        subject.name.c_str(), static_cast<unsigned long long>(found.timing.instructions),
        static_cast<unsigned long long>(found.timing.differing), 100 * found.timing.mean,
        100 * found.timing.worst, found.speed_up);
    EXPECT_EQ(found.timing.differing, 0u) << found.timing.first;
    for (const auto* lines : {&found.runs, &found.bytes, &found.counted})
        for (const std::string& line : *lines) ADD_FAILURE() << line;
}

}  // namespace trnsim::test
