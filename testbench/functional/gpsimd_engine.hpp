// The GpSimd engine: executes its instructions and keeps which image each core runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/neff/images.hpp"
#include "isa/instruction.hpp"
#include "testbench/functional/gpsimd_operators.hpp"
#include "testbench/functional/storage.hpp"

namespace trnsim::functional {

class GpsimdEngine {
  public:
    GpsimdEngine(const neff::Package& package, Storage& storage);

    // Runs gpsimd_arguments, gpsimd_command or gpsimd_start, which has been accepted (refusal.hpp); `actor`
    // makes their accesses. The host computes commands of the microcode, the code of the image computes custom
    // operators. Throws Error for what the cores do not do.
    void execute(const isa::Instruction& instruction, const Actor& actor);

  private:
    struct Image {
        neff::ImageContents contents;
        firmware::Image image;
        bool is_microcode;
    };
    static constexpr std::size_t ArgumentWords = 192;
    using Arguments = std::array<std::uint32_t, ArgumentWords>;

    std::vector<std::uint32_t> cores_of(const isa::Instruction& instruction) const;
    bool has(std::uint32_t core, const Image& image);
    // Returns words of the mailbox of a core, which loading an image overwrites.
    std::span<std::uint8_t> argument_bytes(std::uint32_t core, std::size_t first, std::size_t words);
    Arguments arguments_of(std::uint32_t core);
    void take_arguments(const isa::Instruction& instruction, const Actor& actor);
    void start(const isa::Instruction& instruction, const Actor& actor);
    void command(const isa::Instruction& instruction, const Actor& actor);
    void run_microcode_on(std::uint32_t core, std::uint32_t operation, const Image& image,
                          const Actor& actor);

    const neff::Package& package_;
    Storage& storage_;
    std::vector<Image> images_;
    std::vector<std::optional<std::size_t>> running_;  // image of each core
    GpsimdOperators operators_;
    std::uint32_t requests_ = 0;  // commands are numbered in order, whatever cores take part
};

}  // namespace trnsim::functional
