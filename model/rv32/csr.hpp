// The control and status registers.
#pragma once

#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

struct Csr {
    std::uint32_t number;
    enum Needs : std::uint8_t { Nothing, Floats, Vectors } needs;  // field of mstatus that must be on
    std::uint32_t (*read)(const State&);
    void (*write)(State&, std::uint32_t);  // null: writes change nothing
};

// Returns null if there is no such CSR.
const Csr* csr_of(std::uint32_t number);

}  // namespace trnsim::rv32
