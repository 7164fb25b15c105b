// Computes the commands of the GpSimd microcode element by element with the arithmetic of the host: a second
// definition beside the firmware's; the firmware's tests compare the two (docs/firmware.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firmware/include/trnsim/microcode.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

// SBUF as commands access it: bytes of partitions of the NeuronCore.
class GpsimdMemory {
  public:
    virtual ~GpsimdMemory() = default;
    // `bytes` is 1, 2 or 4.
    virtual std::uint32_t load(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes) = 0;
    virtual void store(std::uint32_t partition, std::uint32_t byte, std::uint32_t bytes,
                       std::uint32_t value) = 0;
};

// A command that ends with another status than Ok. what() says it in words.
struct Refused : Error {
    explicit Refused(firmware::Status status, const std::string& detail = "");
};

// Computes one core's part of a command. `words` are its arguments, which check_microcode() allows. Throws
// Refused for an index that is out of range.
void run_microcode(firmware::Command command, std::span<const std::uint32_t> words, std::uint32_t core,
                   GpsimdMemory& memory);

// Computes x^y with the bits that the microcode gives.
float gpsimd_power(float x, float y);

}  // namespace trnsim::functional
