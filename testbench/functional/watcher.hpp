// Follows a run of the interpreter: what is executed, and every write with the place it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compiler/neff/package.hpp"
#include "isa/instruction.hpp"

namespace trnsim::functional {

class Storage;

// A byte of a tensor, or an address of the core window.
struct Place {
    neff::Pattern::Space space = neff::Pattern::Space::Tensor;
    std::uint32_t tensor = 0;  // index in Package::tensors, 0 in the core
    std::uint64_t byte = 0;

    bool operator==(const Place&) const = default;
};

// A write of consecutive bytes by an agent (agents.hpp) at its own time.
struct Written {
    Place to;
    std::uint64_t bytes = 0;
    std::size_t agent = 0;
    std::uint32_t time = 0;
    std::uint32_t work = 0;       // index of the agent's instruction or transfer
    std::optional<Place> from{};  // the bytes that a DMA engine moves or combines
};

class Watcher {
  public:
    virtual ~Watcher() = default;

    // An instruction is about to be executed, with the registers added to its addresses. With
    // Adversary::Earliest a transfer is moved while its trigger is executed.
    virtual void begins(isa::Engine engine, std::size_t pc, const isa::Instruction& instruction,
                        const Storage& storage) = 0;
    // The writes of an instruction of the data path are told before it has read anything.
    virtual void writes(const Written& written) = 0;
};

}  // namespace trnsim::functional
