// Upsets of single bits of SBUF and PSUM during a perturbed run: error correction leaves no trace of them in
// any result.
#pragma once

#include <array>
#include <cstdint>

#include "arch/config/config.hpp"
#include "model/perturb/perturb.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

class Upsets {
  public:
    // Acts on this core of the chip.
    Upsets(std::uint32_t seed, const config::Core& config, unsigned core = 0);

    // Returns the time until the next one, in fs.
    std::uint64_t pause();
    // Inverts a random bit of a random word, check bits included. A word is read again some upsets later, so
    // that no memory has more upsets than it can record.
    void inject(CoreAccess& machine);

  private:
    std::uint64_t pick(std::uint64_t n) { return random_.next() % n; }
    std::uint32_t any_word();

    const config::Core& config_;
    std::uint64_t window_;  // system address of the core's window
    tlm::perturb::Stream random_;
    std::array<std::uint64_t, 4> recent_{};  // system addresses; 0: none
    std::size_t next_ = 0;
};

}  // namespace trnsim::runtime
