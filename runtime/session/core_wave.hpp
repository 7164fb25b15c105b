// The waveform of a core of a chip: what a request asks for, at once or from the start of the first engine on.
#pragma once

#include <optional>
#include <string>

#include "model/chip/chip.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class CoreWave {
  public:
    // Of this core of the chip, whose model is of the fidelity `recorded` when it is recorded. Throws std::runtime_error.
    void record(tlm::chip::Chip& chip, unsigned core, Fidelity recorded, std::uint64_t clock,
                const WaveRequest& request);
    // The first engine starts now.
    void start();
    // As Device::close_wave().
    std::string close();

  private:
    tlm::chip::Chip* chip_ = nullptr;
    unsigned core_ = 0;
    std::uint64_t clock_ = 0;           // Hz, of the core
    std::optional<WaveRequest> waits_;  // for the start
};

}  // namespace trnsim::runtime
