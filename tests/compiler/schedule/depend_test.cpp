// Compares dependences with those that a comparison of every pair of accesses finds, except for those that
// others imply.
#include "compiler/schedule/depend.hpp"

#include <gtest/gtest.h>

#include "compiler/schedule/order.hpp"
#include "compiler/schedule/random_kernel.hpp"
#include "compiler/schedule/states.hpp"

namespace trnsim::schedule {
namespace {

using builder::Access;
using builder::Role;
using builder::Sink;
using builder::Step;
using builder::Tile;

// Returns the bytes of an access one by one, to find those that two accesses share.
std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> bytes_of(const Access& access,
                                                                           std::uint32_t life) {
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> bytes;
    if (const Tile* tile = access.tile()) {
        for (std::uint32_t partition = 0; partition < tile->partitions; ++partition)
            for (std::uint32_t i = 0; i < tile->axes[0].count; ++i)
                for (std::uint32_t byte = 0; byte < 4; ++byte)
                    bytes.emplace(2 * life, tile->partition + partition,
                                  tile->offset + 4 * i * tile->axes[0].step + byte);
        return bytes;
    }
    const builder::TensorView& view = *access.view();
    for (std::uint64_t i = 0; i < view.axes[0].count; ++i)
        for (std::uint64_t j = 0; j < view.axes[1].count; ++j)
            bytes.emplace(2ULL * view.tensor + 1, 0,
                          view.offset + i * view.axes[0].step + j * view.axes[1].step);
    return bytes;
}

bool conflict(const Step& one, std::span<const std::uint32_t> lives, const Step& other,
              std::span<const std::uint32_t> others) {
    const auto use = state_of(one), another = state_of(other);
    // Weights: uses that load their own weights do not depend on each other; compile_test tests the others.
    if (use && another && use->state == another->state && use->state != State::Weights &&
        (use->changes || another->changes))
        return true;
    for (std::size_t i = 0; i < one.accesses.size(); ++i) {
        const auto bytes = bytes_of(one.accesses[i], lives[i]);
        for (std::size_t j = 0; j < other.accesses.size(); ++j) {
            if (one.accesses[i].role == Role::Read && other.accesses[j].role == Role::Read) continue;
            for (const auto& byte : bytes_of(other.accesses[j], others[j]))
                if (bytes.contains(byte)) return true;
        }
    }
    return false;
}

TEST(Depend, WhatConflictsKeepsItsOrder) {
    int conflicts = 0;
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 2 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        test::RandomKernel kernel(seed, Sink::Steps, {.calls = 50});
        std::vector<Step> steps = kernel.builder().take_steps();
        number(steps);
        const Lives lives(steps, kernel.builder().buffers());
        const Rows rows(4, 4ULL * test::RandomKernel::MostColumns);
        const Dependences found = depend(steps, lives, rows, LoadsWindow);
        std::vector<std::vector<bool>> after(found.units.size(), std::vector<bool>(found.units.size()));
        for (std::uint32_t unit = 0; unit < found.units.size(); ++unit)
            for (const std::uint32_t later : found.needed_by[unit]) after[later][unit] = true;
        for (std::size_t later = 0; later < after.size(); ++later)  // dependences that others imply
            for (std::size_t between = 0; between < later; ++between)
                if (after[later][between])
                    for (std::size_t first = 0; first < between; ++first)
                        if (after[between][first]) after[later][first] = true;
        for (std::uint32_t one = 0; one < found.units.size(); ++one) {
            for (std::uint32_t other = one + 1; other < found.units.size(); ++other) {
                bool needs = false;
                for (std::uint32_t i = found.units[one].first; i < found.units[one].end; ++i)
                    for (std::uint32_t j = found.units[other].first; j < found.units[other].end; ++j)
                        needs = needs || conflict(steps[i], lives.of(steps[i]), steps[j], lives.of(steps[j]));
                if (needs) ++conflicts;
                EXPECT_TRUE(!needs || after[other][one]) << one << " " << other;
            }
        }
    }
    EXPECT_GT(conflicts, 100);
}

}  // namespace
}  // namespace trnsim::schedule
