// A core that runs the microcode, and the interpreter's definition of the commands to compare it with.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/files/files.hpp"
#include "common/lacking.hpp"
#include "common/random.hpp"
#include "testbench/functional/gpsimd_microcode.hpp"
#include "tests/firmware/microcode_cases.hpp"

// The VLEN of the microcode that runs.
#ifndef TRNSIM_FIRMWARE_VLEN
#define TRNSIM_FIRMWARE_VLEN 512
#endif

namespace trnsim::test {

inline constexpr AluOp Comparisons[] = {AluOp::IsEqual,      AluOp::NotEqual, AluOp::Greater,
                                        AluOp::GreaterEqual, AluOp::Less,     AluOp::LessEqual};

// The slice of a core in the form that the interpreter accesses.
class SliceMemory : public functional::GpsimdMemory {
  public:
    SliceMemory(Slice& slice, std::uint32_t core) : slice_(slice), first_(core * Partitions) {}

    std::uint32_t load(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes) override {
        std::uint32_t value = 0;
        for (std::uint32_t k = 0; k < bytes; ++k)
            value |= std::uint32_t{slice_.get<std::uint8_t>(partition - first_, byte + k)} << (8 * k);
        return value;
    }
    void store(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes,
               std::uint32_t value) override {
        for (std::uint32_t k = 0; k < bytes; ++k)
            slice_.set(partition - first_, byte + k, static_cast<std::uint8_t>(value >> (8 * k)));
    }

  private:
    Slice& slice_;
    std::uint32_t first_;
};

class Microcode : public testing::Test {
  protected:
    Microcode() : core_(image()) {}

    void SetUp() override {
        if (!has_simulator()) TRNSIM_END_WITHOUT("Spike, see tests/spike");
        seed();
    }

    static firmware::Image image() {
        const std::string path =
            fmt::format("{}/microcode_vlen{}.gpsimd", TRNSIM_FIRMWARE_IMAGES, TRNSIM_FIRMWARE_VLEN);
        return parse(files::read(path), path);
    }

    void begin(bool floats) {
        core_.core = cases_.number(0, 7);
        core_.slice = Slice(Regions * RegionBytes);
        cases_.fill(core_.slice, floats);
        expected_ = core_.slice;
    }

    // Expects the core and the interpreter to leave the same memory.
    template <class Arguments>
    void expect_result(Command command, const Arguments& arguments) {
        std::array<std::uint32_t, sizeof(Arguments) / 4> words;
        std::memcpy(words.data(), &arguments, sizeof(arguments));
        expected_ = core_.slice;
        SliceMemory memory(expected_, core_.core);
        functional::run_microcode(command, words, core_.core, memory);
        ASSERT_EQ(core_.run(static_cast<std::uint32_t>(command), arguments), Status::Ok);
        ASSERT_EQ(difference(core_.slice, expected_), "");
    }

    template <class Arguments>
    void expect_refusal(Command command, const Arguments& arguments, Status status) {
        begin(false);
        EXPECT_EQ(core_.run(static_cast<std::uint32_t>(command), arguments), status);
        EXPECT_EQ(difference(core_.slice, expected_), "") << "a refused command wrote";
    }

    std::uint64_t rounds(std::uint64_t quick) const { return quick * heavy_scale(); }

    std::mt19937_64 random_ = generator();
    Cases cases_{random_};
    SimulatedCore core_;
    Slice expected_;
};

}  // namespace trnsim::test
