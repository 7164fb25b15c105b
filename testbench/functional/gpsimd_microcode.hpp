// What the commands of the GpSimd microcode compute, element by element with the arithmetic of the host: a
// second definition beside the firmware's, which the firmware's tests compare with it (docs/firmware.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firmware/include/trnsim/microcode.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

// SBUF as commands see it: bytes of partitions of the NeuronCore.
class GpsimdMemory {
  public:
    virtual ~GpsimdMemory() = default;
    // `bytes`: 1, 2 or 4.
    virtual std::uint32_t load(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes) = 0;
    virtual void store(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes,
                       std::uint32_t value) = 0;
};

// A command that ends with a status. what() says it in words.
struct Refused : Error {
    explicit Refused(firmware::Status status, const std::string& detail = "");
};

// What one core does of a command, with its arguments' words, which check_microcode() allows. Throws Refused for indices of
// what is not there.
void run_microcode(firmware::Command command, std::span<const std::uint32_t> words, std::uint32_t core,
                   GpsimdMemory& memory);

// x^y, the bits that the microcode gives.
float gpsimd_power(float x, float y);

}  // namespace trnsim::functional
