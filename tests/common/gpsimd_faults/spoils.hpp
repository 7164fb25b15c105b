// Arguments of commands of the GpSimd microcode; each breaks one rule of docs/firmware.md.
#pragma once

#include <functional>
#include <vector>

#include "testbench/random_programs/gpsimd_generator.hpp"

namespace trnsim::test {

using random_programs::GpsimdGenerator;

using GpsimdWords = std::vector<std::uint32_t>;

struct GpsimdSpoil {
    std::vector<firmware::Command> commands;  // the commands that it fits
    const char* status;                       // the status that the command ends with, in words
    // Changes the words of a command's arguments. Returns false and changes nothing if these words cannot be
    // spoiled so.
    std::function<bool(GpsimdGenerator&, GpsimdWords&)> spoil;
};

const std::vector<GpsimdSpoil>& gpsimd_spoils();

}  // namespace trnsim::test
