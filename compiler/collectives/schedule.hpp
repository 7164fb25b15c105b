// A collective as transfers: for every rank a list of steps, each of which its DMA engines carry out.
// docs/collectives.md defines the guarantees for code that walks the lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/isa_tables.hpp"

namespace trnsim::collectives {

using Rank = std::uint32_t;

// The buffers of a rank. In place, input and output are one memory, which is called Output.
enum class Buffer : std::uint8_t { Input, Output, Scratch };
constexpr std::size_t BufferCount = 3;

struct BufferAddress {
    Rank rank = 0;
    Buffer buffer = Buffer::Input;
    std::uint64_t offset = 0;  // bytes
    bool operator==(const BufferAddress&) const = default;
};

// Elements of one type, one after the other.
struct ElementRun {
    BufferAddress place;
    isa::Dtype dtype = isa::Dtype::U8;
    bool operator==(const ElementRun&) const = default;
};

enum class Combine : std::uint8_t { Copy, Add, Multiply, Min, Max };

constexpr std::size_t MaxSources = 16;      // limit of a DMA engine (docs/dma.md)
constexpr std::size_t MaxDestinations = 2;  // one read, two writes

// Copy: the bytes of one source, all operands of one type. Otherwise r is loaded from source 0, combined with
// each further source in fp32, and converted to the destination's type: docs/dma.md. A destination either is
// one of the sources, with elements of the same size, or shares no byte with any source; two destinations
// share no byte.
struct Transfer {
    Combine combine = Combine::Copy;
    std::vector<ElementRun> sources;                  // 1 to MaxSources; a copy has 1
    std::vector<ElementRun> destinations;             // 1 to MaxDestinations, of one type
    std::uint64_t elements = 0;                       // in each operand, at least 1
    isa::Rounding rounding = isa::Rounding::Nearest;  // Nearest or Stochastic
    std::uint64_t first_element = 0;                  // number of the first element, for stochastic rounding
};

using StepId = std::uint32_t;

struct Step {
    Rank rank = 0;  // its engines carry out the step
    Transfer transfer;
    std::vector<StepId> waits;  // steps of any rank that have to be complete, in ascending order
};

struct Range {
    BufferAddress place;
    std::uint64_t bytes = 0;
};

struct Schedule {
    std::vector<Step> steps;  // by id; a step waits for earlier ones only
    // The steps of each rank in the order in which it starts them.
    std::vector<std::vector<StepId>> lists;
    std::array<std::vector<std::uint64_t>, BufferCount> buffer_bytes;  // for each rank
    std::vector<Range> inputs;   // ranges that are written when the schedule begins, without overlaps
    std::vector<Range> outputs;  // ranges that are written when it ends, without overlaps
};

}  // namespace trnsim::collectives
