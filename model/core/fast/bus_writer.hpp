// Executes write and dma_trigger instructions: 32-bit writes over WritePort, one instruction at a time,
// engines in turn (rtl/control/bus_writer.sv).
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/control_types.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/round_robin.hpp"
#include "model/core/fast/write_port.hpp"

namespace trnsim::tlm::core_fast {

class BusWriter {
  public:
    using Instructions = std::array<const InstructionBytes*, EngineCount>;  // executed until done; null: none

    bool done(unsigned engine) const { return last() && engine_ == engine; }
    bool failed() const { return failed_; }
    bool busy() const { return busy_; }
    bool asks() const { return busy_ && mask_ != 0; }
    BusWrite write() const;  // valid while it asks
    // Returns whether an edge changes anything besides its writes and the responses to them.
    bool active(const Instructions& asking) const { return (!busy_ && requests(asking) != 0) || last(); }
    // `taken`: its write is taken; `response`: a response to a write has come; `error`: it is an error.
    void edge(const Instructions& asking, bool taken, bool response, bool error);

  private:
    bool last() const { return busy_ && mask_ == 0 && responses_ == 0; }
    static std::uint32_t requests(const Instructions& asking);

    bool busy_ = false, failed_ = false;
    unsigned engine_ = 0;
    std::uint64_t address_ = 0;
    std::uint32_t stride_ = 0, mask_ = 0, data_ = 0;  // the mask keeps the part not yet written
    unsigned responses_ = 0;                          // responses to come
    RoundRobin arbiter_;
};

}  // namespace trnsim::tlm::core_fast
