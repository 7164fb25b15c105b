// Writes packets of DMA descriptors (docs/dma.md) at the end of a ring. All software of this tree that drives
// DMA engines uses it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/dma/elements.hpp"
#include "runtime/loader/ring.hpp"

namespace trnsim::loader {

// Elements of one type in `bytes` bytes from a system address on. `row`: bits of the meta word that name the
// index of their row.
struct Elements {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint32_t row = 0;
};

class DescriptorWriter {
  public:
    // Equal: if a packet has fewer write than read descriptors, descriptors that take nothing come before the
    // former, so that both directions of the ring have the same number.
    enum class Counts : std::uint8_t { AsNeeded, Equal };

    // `ring_id` is a field of the descriptors. The ring must outlive the writer.
    DescriptorWriter(Ring& ring, Counts counts, std::uint8_t ring_id = 0)
        : ring_(ring), counts_(counts), ring_id_(ring_id) {}

    // Add parts of the next packet, in the order of its reads and of its writes. `bytes` is 1 to
    // dma::MaxLength, `meta` the meta word.
    void read(std::uint64_t address, std::uint32_t bytes, std::uint32_t meta = 0);
    void write(std::uint64_t address, std::uint32_t bytes, std::uint32_t meta = 0);
    // Adds a number of dma::NumberBytes; `bits` are those of its meta word above the operation.
    void constant(dma::Operation operation, std::uint64_t value, std::uint32_t bits = 0);
    // Combines the elements of the first source with those of the others, at most dma::MaxSources in all, by
    // `operation`, and writes them to `result`.
    void combine(std::span<const Elements> sources, dma::Operation operation, const Elements& result,
                 isa::Rounding rounding);

    // Completes the packet. With `barrier` it is written after the response to every earlier write of the
    // engine.
    void end(bool barrier = false);

    // Adds a packet of its own that moves bytes.
    void copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes, bool barrier = false);

  private:
    Ring& ring_;
    Counts counts_;
    std::uint8_t ring_id_;
    std::vector<dma::Descriptor> reads_, writes_;  // descriptors of the next packet
};

}  // namespace trnsim::loader
