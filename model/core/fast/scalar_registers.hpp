// The scalar registers of a sequencer and the operations on them (rtl/control/scalar_registers.sv).
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/control_types.hpp"
#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

class ScalarRegisters {
  public:
    // Returns the instruction with registers added to its addresses.
    InstructionBytes with_addresses(const InstructionBytes& bytes) const;
    std::uint32_t store_data(const InstructionBytes& bytes) const;
    bool taken(const InstructionBytes& branch) const;

    void start() { value_.fill(0); }
    void operate(const InstructionBytes& register_alu);
    void load(const InstructionBytes& register_load, std::uint32_t data);

    const std::array<std::uint32_t, 16>& values() const { return value_; }
    void set_all(const std::array<std::uint32_t, 16>& values) { value_ = values; }

  private:
    void set(const InstructionBytes& bytes, std::uint32_t value);

    std::array<std::uint32_t, 16> value_{};
};

}  // namespace trnsim::tlm::core_fast
