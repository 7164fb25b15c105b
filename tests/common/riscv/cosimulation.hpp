// The common part of co-simulations that compare random programs with Spike.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/common/riscv/instruction_plan.hpp"
#include "tests/common/riscv/random_program.hpp"

namespace trnsim::test {

namespace mixes {

constexpr Mix Integer{
    .floating = 0, .configure = 0, .vector_integer = 0, .vector_float = 0, .vector_memory = 0};
constexpr Mix FloatingPoint{
    .floating = 40, .configure = 0, .vector_integer = 0, .vector_float = 0, .vector_memory = 0};
constexpr Mix VectorMemory{
    .floating = 0, .configure = 8, .vector_integer = 4, .vector_float = 0, .vector_memory = 20};
constexpr Mix VectorInteger{.floating = 0, .configure = 6, .vector_integer = 40, .vector_float = 0};
constexpr Mix VectorFloatingPoint{.configure = 6, .vector_integer = 2, .vector_float = 40};
constexpr Mix Streams{.integer = 2,
                      .memory = 1,
                      .control = 1,
                      .floating = 1,
                      .configure = 1,
                      .vector_integer = 2,
                      .vector_float = 2,
                      .vector_memory = 1,
                      .streams = 10};
constexpr Mix Segments{.integer = 1,
                       .memory = 1,
                       .control = 0,
                       .floating = 0,
                       .configure = 0,
                       .vector_integer = 2,
                       .vector_float = 0,
                       .vector_memory = 0,
                       .segments = 16};
constexpr Mix Everything{};

}  // namespace mixes

inline std::string hex(std::uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", value);
    return text;
}

// Copies the program of a failure to the path in TRNSIM_KEEP_PROGRAM, if that is set.
inline void keep_program(const std::filesystem::path& elf) {
    if (const char* keep = std::getenv("TRNSIM_KEEP_PROGRAM"))
        std::filesystem::copy_file(elf, keep, std::filesystem::copy_options::overwrite_existing);
}

// Expects that every instruction of the plan has been executed, and none that is not in the plan.
inline void expect_complete(const InstructionPlan& plan, bool thorough) {
    std::printf("%llu instructions, %s\n", static_cast<unsigned long long>(plan.total()),
                plan.summary().c_str());
    EXPECT_EQ(plan.unknown(), 0U);
    for (const std::string& name : plan.missing(thorough)) ADD_FAILURE() << name << " has not been executed";
}

}  // namespace trnsim::test
