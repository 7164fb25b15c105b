#include "tools/profile/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/numbers.hpp"
#include "isa/disassembler.hpp"

namespace trnsim::profile {
namespace {

// Shares of the time above which the advice mentions something.
constexpr double Bound = 0.7, Wait = 0.2, Transfer = 0.2, Overlap = 0.5;
constexpr double FullDescriptor = 512;  // bytes of a descriptor from which on a DMA engine reaches its rate
constexpr double ArrayAtWork = 0.7;     // share of the cycles in which Tensor executes

struct Resource {
    std::string name, text;
    double share;
};

std::vector<Resource> resources(const Profile& profile) {
    std::vector<Resource> all;
    for (const EngineProfile& engine : profile.engines) {
        if (!engine.computes) continue;
        const double executes = ratio(as_double(engine.in(CycleClass::Executing)), as_double(profile.cycles));
        all.push_back(
            {fmt::format("{}-bound", name_of(engine.engine)),
             fmt::format("{} executes {:.0f} % of the time", name_of(engine.engine), 100 * executes),
             executes});
    }
    all.push_back(
        {"DMA-bound",
         fmt::format("the busiest DMA engine has a packet {:.0f} % of the time", 100 * profile.dma_busiest),
         profile.dma_busiest});
    const double mbu = profile.roofline.mbu();
    all.push_back({"HBM-bound", fmt::format("HBM moves data at {:.0f} % of its bandwidth", 100 * mbu), mbu});
    std::ranges::stable_sort(all, std::greater<>(), &Resource::share);
    return all;
}

std::string bound(const Profile& profile) {
    const std::vector<Resource> all = resources(profile);
    if (all.front().share >= Bound) return fmt::format("{}: {}", all.front().name, all.front().text);
    return fmt::format("latency-bound: nothing is at work all the time ({}, {})", all[0].text, all[1].text);
}

void add_waits(const Profile& profile, std::vector<std::string>& sentences) {
    for (const EngineProfile& engine : profile.engines) {
        if (!engine.computes) continue;
        for (const auto& [semaphore, cycles] : engine.wait_cycles) {
            const double waits = ratio(as_double(cycles), as_double(profile.cycles));
            const auto changes = profile.semaphores.find(semaphore);
            if (waits < Wait || changes == profile.semaphores.end()) continue;
            sentences.push_back(fmt::format(
                "{} is at rest {:.0f} % of the time for S[{}], which {} changes{}", name_of(engine.engine),
                100 * waits, semaphore, changes->second.by,
                changes->second.load
                    ? ": trigger the transfer earlier, or load the next tile while this one is used"
                    : ""));
        }
    }
}

void add_descriptors(const Profile& profile, std::vector<std::string>& sentences) {
    for (const QueueProfile& queue : profile.queues) {
        if (queue.descriptors == 0 || queue.mean_descriptor() >= FullDescriptor) continue;
        const double active = ratio(as_double(queue.active_time), as_double(profile.time));
        if (active < Transfer) continue;
        sentences.push_back(
            fmt::format("{:.0f}-byte descriptors on {} ({}), which is at work {:.0f} % of the time: let the "
                        "innermost dimension "
                        "of both sides be contiguous, {:.0f} bytes and more",
                        queue.mean_descriptor(), queue.name, queue.variables, 100 * active, FullDescriptor));
    }
}

void add_array(const Profile& profile, std::vector<std::string>& sentences) {
    for (const EngineProfile& engine : profile.engines) {
        const double executes = ratio(as_double(engine.in(CycleClass::Executing)), as_double(profile.cycles));
        if (engine.engine != isa::Engine::Tensor || executes < Overlap) continue;
        if (profile.array_utilisation >= ArrayAtWork * executes) continue;
        sentences.push_back(
            fmt::format("tensor executes {:.0f} % of the time, but a moving element enters the array in "
                        "{:.0f} % of its cycles: use "
                        "more moving columns for each stationary operand, or bf16 instead of fp32",
                        100 * executes, 100 * profile.array_utilisation));
    }
}

// Advises when data movement and computation do not overlap.
void add_overlap(const Profile& profile, std::vector<std::string>& sentences) {
    std::uint64_t most = 0;
    for (const EngineProfile& engine : profile.engines) {
        if (engine.computes) most = std::max(most, engine.in(CycleClass::Executing));
    }
    const double computes = ratio(as_double(most), as_double(profile.cycles)),
                 moves = ratio(as_double(profile.dma_active_time), as_double(profile.time));
    if (computes < Wait || moves < Wait || computes + moves > 1 || computes + moves < Bound) return;
    sentences.push_back(
        fmt::format("DMA ({:.0f} % of the time) and computing ({:.0f} %) take turns: split the work into "
                    "tiles and use two buffers",
                    100 * moves, 100 * computes));
}

}  // namespace

std::vector<std::string> advice(const Profile& profile) {
    std::vector<std::string> sentences{bound(profile)};
    add_overlap(profile, sentences);
    add_descriptors(profile, sentences);
    add_waits(profile, sentences);
    add_array(profile, sentences);
    return sentences;
}

}  // namespace trnsim::profile
