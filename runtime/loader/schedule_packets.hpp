// The transfers of a schedule as packets of a DMA ring.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/collectives/schedule.hpp"
#include "runtime/loader/descriptor_writer.hpp"

namespace trnsim::loader {

// Elements [first, first + count) of a transfer's operands.
struct ElementRange {
    std::uint64_t first = 0, count = 0;
};

// Returns the system address of an operand for the engine.
using AddressOf = std::function<std::uint64_t(const collectives::BufferAddress&)>;

// Adds the packets of a range. A second destination takes packets of its own.
void add_packets(DescriptorWriter& writer, const collectives::Transfer& transfer, const ElementRange& range,
                 const AddressOf& address_of);

}  // namespace trnsim::loader
