// Random programs with nested loops, forward branches, scalar registers and window accesses.
#pragma once

#include <cstdint>
#include <map>
#include <random>

#include "rtl/control/programs.hpp"

namespace trnsim::test {

// Returns the semaphore that the program of an engine counts up.
constexpr unsigned own_semaphore(int engine) {
    return 40 + static_cast<unsigned>(engine);
}

// Returns a program that always ends. Loads and stores stay within the engine's own words of SBUF.
Program random_loop_program(std::mt19937_64& random, int engine);

// The result of such a program when it runs alone.
struct LoopResult {
    unsigned executed = 0;
    std::uint32_t updates = 0;  // updates of its own semaphore
    std::map<std::uint32_t, std::uint32_t> words;
};
LoopResult run_loop_program(const Program& program);

}  // namespace trnsim::test
