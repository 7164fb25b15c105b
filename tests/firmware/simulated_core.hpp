// A GpSimd core, on the instruction-set simulator Spike (core_on_spike.cpp) or in RTL
// (tests/rtl/gpsimd/core_in_rtl.cpp): memory before and after a command.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "arch/firmware/image.hpp"
#include "trnsim/mailbox.hpp"
#include "trnsim/slice.hpp"

namespace trnsim::test {

// The first bytes of every partition of a core.
class Slice {
  public:
    explicit Slice(std::uint32_t partition_bytes = 0)
        : bytes(std::size_t{partition_bytes} * firmware::Partitions) {}

    template <class T>
    T get(std::uint32_t partition, std::uint32_t byte) const {
        T value;
        std::memcpy(&value, &bytes.at(firmware::slice_offset(partition, byte)), sizeof(T));
        return value;
    }
    template <class T>
    void set(std::uint32_t partition, std::uint32_t byte, T value) {
        std::memcpy(&bytes.at(firmware::slice_offset(partition, byte)), &value, sizeof(T));
    }

    std::vector<std::uint8_t> bytes;
};

// Returns whether the simulator is installed; tests are skipped without it.
bool has_simulator();

class SimulatedCore {
  public:
    explicit SimulatedCore(firmware::Image image) : image_(std::move(image)) {}

    Slice slice;
    std::uint32_t core = 0, cores = 8;
    std::uint32_t partition_bytes = firmware::PartitionBytes, partitions = 128;

    // Runs a command to its end; `slice` is then the memory that it left.
    template <class Arguments>
    firmware::Status run(std::uint32_t command, const Arguments& arguments) {
        static_assert(sizeof(Arguments) <= sizeof(firmware::Mailbox::arguments));
        return run_bytes(command, {reinterpret_cast<const std::uint8_t*>(&arguments), sizeof(arguments)});
    }

    // Returns the TCM after a command; `slice` is not read back then.
    template <class Arguments>
    std::vector<std::uint8_t> tcm_after(std::uint32_t command, const Arguments& arguments) {
        wants_tcm_ = true;
        run(command, arguments);
        wants_tcm_ = false;
        return tcm_;
    }

    // The number of the request that run() makes.
    static constexpr std::uint32_t Request = 7;

    static firmware::Mailbox mailbox_of(std::span<const std::uint8_t> tcm);
    static std::string printed(std::span<const std::uint8_t> tcm);

    const firmware::Image& image() const { return image_; }

  private:
    // Returns the mailbox with a request.
    firmware::Mailbox request(std::uint32_t command, std::span<const std::uint8_t> arguments) const;
    firmware::Status run_bytes(std::uint32_t command, std::span<const std::uint8_t> arguments);

    firmware::Image image_;
    std::vector<std::uint8_t> tcm_;
    bool wants_tcm_ = false;
};

}  // namespace trnsim::test
