// The waveform of a core of a chip: it records as requested, at once or from the start of the first engine.
#pragma once

#include <optional>
#include <string>

#include "model/chip/chip.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class CoreWave {
  public:
    // Records this core of the chip, while its model is of the fidelity `recorded`. Throws
    // std::runtime_error.
    void record(tlm::chip::Chip& chip, unsigned core, Fidelity recorded, std::uint64_t clock,
                const WaveRequest& request);
    // Notes that the first engine starts now.
    void start();
    // Does the same as Device::close_wave().
    std::string close();

  private:
    tlm::chip::Chip* chip_ = nullptr;
    unsigned core_ = 0;
    std::uint64_t clock_ = 0;           // Hz, clock of the core
    std::optional<WaveRequest> waits_;  // a request that waits for the start
};

}  // namespace trnsim::runtime
