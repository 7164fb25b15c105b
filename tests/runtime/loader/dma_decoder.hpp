// DMA engines as docs/dma.md describes them: they decode the words of descriptors in memory and execute
// packets one after the other, byte by byte. All numbers of the encoding are written here a second time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "isa/isa_tables.hpp"
#include "runtime/loader/plain_memory.hpp"

namespace trnsim::test {

// Returns op(x, r) of two elements in fp32; `operation` is 2 add, 3 multiply, 4 min, 5 max.
float combined(unsigned operation, float x, float r);
// Convert an element of memory to fp32, and back with rounding to nearest even.
float load_element(const PlainMemory& memory, std::uint64_t address, isa::Dtype dtype);
void store_element(PlainMemory& memory, std::uint64_t address, isa::Dtype dtype, float value);

struct DecodedDescriptor {
    std::uint64_t address = 0;
    std::uint32_t length = 0, meta = 0;
    bool first = false, last = false, barrier = false;
};

class DmaDecoder {
  public:
    // This is called for each word that a packet of bytes writes. If it returns true, it has taken the word,
    // which then does not go to memory. `barrier` is the packet's. Addresses are those of the chip.
    using Take = std::function<bool(std::uint64_t address, std::uint64_t value, bool barrier)>;

    // Makes the engines of a chip. The chip's own addresses, those below 2^48, begin at `origin` of the
    // memory.
    DmaDecoder(PlainMemory& memory, Take take, std::uint64_t origin = 0)
        : memory_(memory), take_(std::move(take)), origin_(origin) {}

    // Returns whether the address is a register of a ring.
    static bool has(std::uint64_t address);
    // Writes a register; a doorbell executes its packets. Throws std::runtime_error for faults at which an
    // engine stops.
    void write(std::uint64_t address, std::uint32_t value);

    // Returns the index in its ring of the next m2s descriptor. `ring` is the address of the ring's
    // registers.
    std::uint32_t head(std::uint64_t ring) const { return rings_.at(ring).m2s.head; }

    std::uint64_t packets() const { return packets_; }

  private:
    struct Direction {
        std::uint64_t base = 0;
        std::uint32_t size = 0, head = 0;
    };
    struct Ring {
        Direction m2s, s2m;
    };
    struct Indices;
    struct Packet;

    std::uint64_t at(std::uint64_t address) const { return address >> 48 == 0 ? origin_ + address : address; }
    DecodedDescriptor fetch(Direction& direction);
    void carry_out(Direction& m2s, Direction& s2m, std::uint32_t& reads, std::uint32_t& writes);

    PlainMemory& memory_;
    Take take_;
    std::uint64_t origin_;
    std::map<std::uint64_t, Ring> rings_;  // by the address of the ring's registers
    std::uint64_t packets_ = 0;
};

}  // namespace trnsim::test
