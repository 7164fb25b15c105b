// Registers and descriptors of the DMA engines, for the models and for the software that drives them.
//
// Descriptor bits and ring rules follow the public driver (its udma.h: 16-byte descriptors, length 0 for 64
// KiB, ring bases aligned to 256 B); the register offsets within a ring block and the meta word are ours, the
// real ones are not public.
//
// A transfer consists of packets. One *packet* is the m2s (read) descriptors from `first` to `last`; their
// bytes, in order, fill the next s2m (write) descriptors of the same ring, whose lengths must add up to the
// packet's. If a packet computes with elements, its results fill them instead (elements.hpp, docs/dma.md). A
// doorbell adds whole packets and exactly their s2m descriptors. Descriptors are read from memory any time
// after the doorbell that covers them. Head and tail go round the ring: a descriptor that has been executed
// may be handed over again. The tail must not overtake the head; a doorbell for more descriptors than fit
// stops the engine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace trnsim::dma {

// Register map

constexpr std::uint64_t RegisterBase = 0xffff0000000;  // system address of engine 0 of core 0
constexpr std::uint64_t CoreStride = 0x700000;         // from the engines of a core to those of the next
constexpr std::uint64_t EngineStride = 0x40000;
constexpr std::uint64_t RingStride = 0x1000;

// Offsets in the block of a ring; all registers are 32 bits and accessed whole.
enum class RingRegister : std::uint32_t {
    // System address of the descriptor ring, aligned to 256 B. Writing either word sets head and tail of its
    // direction to 0.
    M2sBaseLow = 0x00,   // rw
    M2sBaseHigh = 0x04,  // rw
    M2sSize = 0x08,      // rw  descriptors in the ring, 1 .. 2^24 - 16
    M2sHead = 0x0c,      // ro  {ring id[31:30], index[23:0]} of the next descriptor to execute
    M2sTail = 0x10,      // ro  the same of the one after the last handed over
    S2mBaseLow = 0x20,   // rw  the same for the s2m ring
    S2mBaseHigh = 0x24,  // rw
    S2mSize = 0x28,      // rw
    S2mHead = 0x2c,      // ro
    S2mTail = 0x30,      // ro
    // {s2m count[31:16], m2s count[15:0]}: descriptors to add to the tails, which wrap at the size.
    Doorbell = 0x40,  // wo
    Status = 0x44,    // ro  bit 0: the ring has work, bit 1: the engine has stopped for an error
};

// Offsets in the block of an engine, after the rings.
enum class EngineRegister : std::uint32_t {
    Error = 0x10000,             // ro  dma::ErrorCode
    ErrorRing = 0x10004,         // ro
    ErrorDescriptor = 0x10008,   // ro  index in the ring
    ErrorAddressLow = 0x1000c,   // ro  the address at fault, 0 where none applies
    ErrorAddressHigh = 0x10010,  // ro
    // Rounding of elements whose descriptor leaves it to the engine; 0 after a reset.
    SrControl = 0x10014,  // rw  1: stochastic rounding, 0: to nearest even
    SrSeed = 0x10018,     // rw
};

// The reason for which an engine stopped. A stopped engine ignores doorbells.
enum class ErrorCode : std::uint32_t {
    None = 0,
    RingSetup = 1,        // doorbell on a ring without size, or for more descriptors than fit
    Busy = 2,             // base or size written while the ring has work
    BadDescriptor = 3,    // a packet without `first` or `last`
    Unsupported = 4,      // an unknown operation, type or rounding
    LengthMismatch = 5,   // packet and s2m descriptors of different length
    DescriptorFetch = 6,  // the memory refused to give a descriptor
    Read = 7,             // error response to a read
    Write = 8,            // error response to a write
    Elements = 9,         // sources and results of a packet do not fit each other (docs/dma.md)
    Indices = 10,         // the same for its indices
    OutOfBounds = 11,     // an index out of bounds
    Transposition = 12,   // the shape of a packet that transposes and what it reads do not fit
};

// System addresses; engines count within their core.
constexpr std::uint64_t register_base(std::uint64_t core) {
    return RegisterBase + core * CoreStride;
}
constexpr std::uint64_t ring_address(std::uint64_t engine, std::uint64_t ring, RingRegister reg,
                                     std::uint64_t core = 0) {
    return register_base(core) + engine * EngineStride + ring * RingStride + static_cast<std::uint32_t>(reg);
}
constexpr std::uint64_t engine_address(std::uint64_t engine, EngineRegister reg, std::uint64_t core = 0) {
    return register_base(core) + engine * EngineStride + static_cast<std::uint32_t>(reg);
}
// Head and tail. The ring id counts how often the index has wrapped, modulo 4, so that a full ring differs
// from an empty one.
constexpr std::uint32_t PointerIndexMask = 0xffffff;
constexpr unsigned PointerRingIdShift = 30;

constexpr std::uint32_t pointer(std::uint32_t ring_id, std::uint32_t index) {
    return ring_id << PointerRingIdShift | index;
}
// Returns the descriptors from a head to a tail of a ring with `size`.
constexpr std::uint32_t distance(std::uint32_t head, std::uint32_t tail, std::uint32_t size) {
    const std::uint32_t wraps = ((tail >> PointerRingIdShift) - (head >> PointerRingIdShift)) % 4;
    return wraps * size + (tail & PointerIndexMask) - (head & PointerIndexMask);
}
constexpr std::uint32_t doorbell(std::uint16_t m2s_count, std::uint16_t s2m_count) {
    return std::uint32_t{s2m_count} << 16 | m2s_count;
}

// Descriptors

constexpr std::uint32_t DescriptorBytes = 16;
constexpr std::uint32_t MaxLength = 1U << 16;
constexpr std::uint64_t RingAlign = 256;
constexpr std::uint32_t MaxRingSize = (1U << 24) - 16;

// Word 0 of a descriptor.
constexpr std::uint32_t LengthMask = 0xffff;  // bits 15:0, 0 is 64 KiB
constexpr unsigned RingIdShift = 24;          // bits 25:24
constexpr std::uint32_t FirstBit = 1U << 26;  // m2s only: starts a packet
constexpr std::uint32_t LastBit = 1U << 27;   // m2s only: ends a packet
constexpr std::uint32_t InterruptBit = 1U << 28;
constexpr std::uint32_t BarrierBit = 1U << 30;  // m2s only, data memory barrier: its bytes are written after
                                                // the response to every earlier write of the engine
// Word 1 is the meta word: elements.hpp.

struct Descriptor {
    std::uint64_t address = 0;  // system address of the bytes
    std::uint32_t length = 0;   // 1 .. 65536 bytes
    std::uint8_t ring_id = 0;   // low two bits of the ring; carried, not used
    bool first = false;
    bool last = false;
    bool interrupt = false;
    bool barrier = false;
    std::uint32_t meta = 0;
    bool operator==(const Descriptor&) const = default;
};

// Returns words 0 and 1, then the address, little-endian. Throws std::invalid_argument for a length or
// ring_id out of range.
std::array<std::uint8_t, DescriptorBytes> encode(const Descriptor& descriptor);
Descriptor decode(std::span<const std::uint8_t, DescriptorBytes> bytes);

}  // namespace trnsim::dma
