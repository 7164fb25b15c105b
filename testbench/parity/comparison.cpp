#include "testbench/parity/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trnsim::parity {
namespace {

template <typename T>
void compare_list(const char* what, const std::vector<T>& want, const std::vector<T>& got,
                  std::vector<std::string>& lines) {
    if (want.size() != got.size()) {
        lines.push_back(fmt::format("{}: {} there, expected {}", what, got.size(), want.size()));
        return;
    }
    std::size_t differing = 0, first = 0;
    for (std::size_t i = want.size(); i > 0; --i) {
        if (want[i - 1] == got[i - 1]) continue;
        ++differing;
        first = i - 1;
    }
    if (differing != 0)
        lines.push_back(fmt::format("{}: {} of {} differ, the first at {}: {}, expected {}", what, differing,
                                    want.size(), first, got[first], want[first]));
}

std::uint64_t start_of(const Observation& observation) {
    std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
    for (const auto& instructions : observation.instructions)
        for (const Instruction& instruction : instructions) start = std::min(start, instruction.issued);
    return start;
}

void compare_engine(unsigned engine, const Observation& rtl, const Observation& other, std::uint64_t start,
                    double& sum, Comparison& result) {
    const auto &want = rtl.instructions[engine], &got = other.instructions[engine];
    const auto name = isa::name_of(static_cast<isa::Engine>(engine));
    if (want.size() != got.size())
        result.runs.push_back(
            fmt::format("{}: {} instructions completed, expected {}", name, got.size(), want.size()));
    for (std::size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
        ++result.timing.instructions;
        if (want[i].place != got[i].place) {
            result.runs.push_back(fmt::format("{}: number {} is instruction {}, expected {}", name, i,
                                              got[i].place, want[i].place));
            return;
        }
        if (want[i].completed == got[i].completed) continue;
        const double apart =
            std::abs(static_cast<double>(got[i].completed) - static_cast<double>(want[i].completed));
        const double error = apart / static_cast<double>(want[i].completed - start);
        sum += error;
        result.timing.worst = std::max(result.timing.worst, error);
        if (result.timing.differing++ == 0)
            result.timing.first = fmt::format("{} instruction {}: issued {}, completed {}; expected {}, {}",
                                              name, want[i].place, got[i].issued, got[i].completed,
                                              want[i].issued, want[i].completed);
    }
}

}  // namespace

Comparison compare(const Observation& rtl, const Observation& other) {
    Comparison result;
    if (rtl.message != other.message)
        result.runs.push_back(fmt::format("message '{}', expected '{}'", other.message, rtl.message));
    const std::uint64_t start = start_of(rtl);
    double sum = 0;
    for (unsigned e = 0; e < neff::EngineCount; ++e) compare_engine(e, rtl, other, start, sum, result);
    if (result.timing.instructions != 0)
        result.timing.mean = sum / static_cast<double>(result.timing.instructions);
    compare_list("bytes of SBUF", rtl.sbuf, other.sbuf, result.bytes);
    compare_list("bytes of PSUM", rtl.psum, other.psum, result.bytes);
    compare_list("bytes of the outputs", rtl.outputs, other.outputs, result.bytes);
    compare_list("HBM (numbers of pages, each with its CRC-32)", rtl.hbm, other.hbm, result.bytes);
    compare_list("semaphores", rtl.semaphores, other.semaphores, result.bytes);
    for (std::size_t i = 0; i < std::min(rtl.counted.size(), other.counted.size()); ++i) {
        const Counted &want = rtl.counted[i], &got = other.counted[i];
        if (want.value != got.value)
            result.counted.push_back(fmt::format("{} {}, expected {}", want.name, got.value, want.value));
    }
    if (other.seconds > 0) result.speed_up = rtl.seconds / other.seconds;
    return result;
}

}  // namespace trnsim::parity
