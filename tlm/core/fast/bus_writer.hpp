// Executes write and dma_trigger instructions: 32-bit writes on the manager port, one instruction at a time, engines in turn
// (rtl/control/bus_writer.sv, write_port.sv).
#pragma once

#include <array>
#include <cstdint>

#include "tlm/core/fast/control_types.hpp"
#include "tlm/core/fast/fields.hpp"
#include "tlm/core/fast/round_robin.hpp"
#include "tlm/core/rtl/core_model.hpp"

namespace trnsim::tlm::core_fast {

class BusWriter {
  public:
    using Instructions =
        std::array<const InstructionBytes*, EngineCount>;  // to execute until done; null: none

    bool done(unsigned engine) const { return last() && engine_ == engine; }
    bool failed() const { return failed_; }
    bool busy() const { return busy_; }
    void drive(AxiManagerOut& out) const;
    bool active(const Instructions& asking, const AxiManagerIn& in) const;
    void edge(const Instructions& asking, const AxiManagerIn& in);

  private:
    bool last() const { return busy_ && mask_ == 0 && responses_ == 0; }
    bool loads(const AxiManagerIn& in) const {
        return busy_ && mask_ != 0 && (!aw_valid_ || in.aw_ready) && (!w_valid_ || in.w_ready);
    }
    static std::uint32_t requests(const Instructions& asking);

    bool busy_ = false, failed_ = false;
    unsigned engine_ = 0;
    std::uint64_t address_ = 0;
    std::uint32_t stride_ = 0, mask_ = 0, data_ = 0;  // the mask keeps what has not been put on the channels
    unsigned responses_ = 0;                          // to come
    RoundRobin arbiter_;
    // The channels
    bool aw_valid_ = false, w_valid_ = false;
    std::uint8_t id_ = 0;
    std::uint64_t write_address_ = 0;
    std::uint32_t write_data_ = 0;
};

}  // namespace trnsim::tlm::core_fast
