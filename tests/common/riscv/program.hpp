// A program for a GpSimd core: an image of its TCM, and the ELF file of this image for an instruction-set
// simulator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace trnsim::test {

constexpr std::uint32_t TcmBase = 0x80000000;
constexpr std::uint32_t TcmBytes = 0x10000;
constexpr std::uint32_t SliceBase = 0x90000000;
constexpr std::uint32_t SliceBytes = 16 * 196608;

struct Program {
    std::vector<std::uint32_t> words;  // the whole TCM, from TcmBase on
    std::uint32_t to_host = 0;         // a store to this address ends the program
    std::uint32_t vlen = 0;            // bits of the vector registers that the program is for
    std::uint64_t most_steps = 0;      // a program that executes more instructions does not end
};

void write_elf(const Program& program, const std::filesystem::path& path);

}  // namespace trnsim::test
