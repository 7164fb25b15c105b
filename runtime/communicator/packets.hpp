// A transfer of a schedule as packets of a DMA ring (docs/dma.md).
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/collectives/schedule.hpp"
#include "runtime/communicator/lower.hpp"

namespace trnsim::communicator {

// Elements [first, first + count) of a transfer's operands.
struct Share {
    std::uint64_t first = 0, count = 0;
};

// The system address of an operand for the engine.
using AddressOf = std::function<std::uint64_t(const collectives::Place&)>;

// Appends the packets of a share. A second destination takes packets of its own.
void append_packets(Ring& ring, const collectives::Transfer& transfer, const Share& share,
                    const AddressOf& address_of);

// Appends a packet that writes the word at `one` to a flag. `barrier`: when all that the engine has written
// before has been answered.
void append_flag(Ring& ring, std::uint64_t one, std::uint64_t flag, bool barrier);

}  // namespace trnsim::communicator
