// Arguments of commands of the GpSimd microcode that each break one rule of docs/firmware.md.
#pragma once

#include <functional>
#include <vector>

#include "testbench/random_programs/gpsimd_generator.hpp"

namespace trnsim::test {

using random_programs::GpsimdGenerator;

using GpsimdWords = std::vector<std::uint32_t>;

struct GpsimdSpoil {
    std::vector<firmware::Command> commands;  // any of them
    const char* status;                       // the status that the command ends with, in words
    // Changes the words of a command's arguments; false, and nothing is changed, where these are not the ones
    // to spoil.
    std::function<bool(GpsimdGenerator&, GpsimdWords&)> spoil;
};

const std::vector<GpsimdSpoil>& gpsimd_spoils();

}  // namespace trnsim::test
