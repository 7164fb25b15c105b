// The GpSimd engine: its instructions, and which image each core runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/instruction.hpp"
#include "testbench/functional/storage.hpp"

namespace trnsim::functional {

class GpsimdEngine {
  public:
    GpsimdEngine(const neff::Package& package, Storage& storage);

    // Runs gpsimd_arguments, gpsimd_command or gpsimd_start, whose accesses `actor` makes. Throws Error for
    // what the cores do not do, and for operators that are no commands of the microcode.
    void execute(const isa::Instruction& instruction, const Actor& actor);

  private:
    struct Image {
        std::string name;
        std::uint32_t address, entry;  // in the memory of a core
        std::vector<std::uint8_t> bytes;
        std::vector<std::string> operations;
        bool is_microcode;
    };

    static constexpr std::size_t ArgumentWords = 192;

    std::vector<std::uint32_t> cores_of(const isa::Instruction& instruction) const;
    void take_arguments(const isa::Instruction& instruction);
    void start(const isa::Instruction& instruction, const Actor& actor);
    void command(const isa::Instruction& instruction, const Actor& actor);

    const neff::Package& package_;
    Storage& storage_;
    std::vector<Image> images_;
    std::array<std::uint32_t, ArgumentWords> arguments_{};
    std::vector<std::optional<std::size_t>> running_;  // by core: the image
};

// The operators of the package's images that only the cores can run: "relu of image 'relu'".
std::vector<std::string> custom_operators(const neff::Package& package);

}  // namespace trnsim::functional
