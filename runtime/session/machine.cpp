#include "runtime/session/machine.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/loader/content.hpp"
#include "runtime/session/run.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::uint64_t FirstSlice = 1'000'000'000;  // fs of simulated time
constexpr std::uint64_t MinSlice = 10'000'000;
constexpr std::uint64_t MaxSlice = 100'000'000'000'000;
constexpr double MaxSliceGrowth = 8;
constexpr double ShortestSlice = 1e-6;  // s of wall time; a shorter slice counts as this long for the growth

}  // namespace

void CoreAccess::forget(std::uint64_t address, std::uint64_t bytes) {
    const std::vector<std::uint8_t> zeros(std::min(bytes, loader::PieceBytes));
    for (std::uint64_t done = 0; done < bytes; done += zeros.size())
        write(address + done, std::span(zeros).first(std::min<std::uint64_t>(zeros.size(), bytes - done)));
}

tlm::RunResult Machine::simulate(std::uint64_t limit, std::uint64_t longest, const Watch& watch) {
    constexpr std::uint64_t Never = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t most = std::min(longest, MaxSlice), begin = time();
    std::uint64_t slice = std::min(FirstSlice, most);
    for (;;) {
        const auto wall = std::chrono::steady_clock::now();
        const std::uint64_t passed = time() - begin;
        tlm::RunResult result = run(std::min(slice, limit == 0 ? Never : limit - passed));
        result.start = begin;
        if (result.outcome != tlm::Outcome::TimeLimit || !watch()) return result;
        if (limit != 0 && time() - begin >= limit) return result;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
        const double growth = std::min(MaxSliceGrowth, ProgressSeconds / std::max(ShortestSlice, seconds));
        slice =
            std::clamp(static_cast<std::uint64_t>(static_cast<double>(slice) * growth), MinSlice, MaxSlice);
        slice = std::min(slice, most);
    }
}

}  // namespace trnsim::runtime
