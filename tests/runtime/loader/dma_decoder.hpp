// DMA engines as docs/dma.md describes them, and nothing else: they decode the words of descriptors in memory and carry
// packets out one after the other, byte by byte. All numbers of the encoding stand here a second time.
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

// op(x, r) of two elements in fp32; `operation`: 2 add, 3 multiply, 4 min, 5 max.
float combined(unsigned operation, float x, float r);
// An element of memory in fp32, and back, to nearest even.
float load_element(const PlainMemory& memory, std::uint64_t address, isa::Dtype dtype);
void store_element(PlainMemory& memory, std::uint64_t address, isa::Dtype dtype, float value);

struct DecodedDescriptor {
    std::uint64_t address = 0;
    std::uint32_t length = 0, meta = 0;
    bool first = false, last = false, barrier = false;
};

class DmaDecoder {
  public:
    // Is asked for each word that a packet of bytes writes; true: it has taken it, and it does not go to memory.
    // `barrier`: of its packet. Addresses are as the chip has them.
    using Take = std::function<bool(std::uint64_t address, std::uint64_t value, bool barrier)>;

    // Engines of a chip whose own addresses, those below 2^48, begin at `origin` of the memory.
    DmaDecoder(PlainMemory& memory, Take take, std::uint64_t origin = 0)
        : memory_(memory), take_(std::move(take)), origin_(origin) {}

    // Whether the address is that of a register of a ring.
    static bool has(std::uint64_t address);
    // A doorbell carries its packets out. Throws std::runtime_error for what an engine stops at.
    void write(std::uint64_t address, std::uint32_t value);

    // Index in its ring of the next m2s descriptor, by the address of the ring's registers.
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
    std::map<std::uint64_t, Ring> rings_;  // by the address of their registers
    std::uint64_t packets_ = 0;
};

}  // namespace trnsim::test
