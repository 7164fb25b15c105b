// Work for chips in tests: cores with an engine 0 that waits for a semaphore, and DMA engines that copy.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "arch/dma/registers.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/fake_core.hpp"
#include "model/core/pin_core.hpp"
#include "model/system/server.hpp"

namespace trnsim::test {

constexpr std::uint64_t Start = isa::csr::EngineStart;  // offsets in a core window
constexpr std::uint64_t Semaphore = isa::window::SemInc + 4 * 7;
constexpr std::uint64_t One = 0xf0000;     // HBM address of the word 1
constexpr std::uint64_t Rings = 0x100000;  // HBM addresses, 64 KiB an engine

// System addresses of a core.
constexpr std::uint64_t start_of(unsigned core) {
    return addresses::core_window(core) + Start;
}
constexpr std::uint64_t semaphore_of(unsigned core) {
    return addresses::core_window(core) + Semaphore;
}

inline std::uint32_t word(FakeCore& core, std::uint32_t offset) {
    std::uint8_t bytes[4];
    core.memory.read(offset, bytes);
    return static_cast<std::uint32_t>(bytes[0]);
}

// Engine 0 is idle; after a write to the start register it waits for the semaphore, then it halts.
inline void wait_then_halt(FakeCore& core) {
    const bool started = word(core, Start) != 0;
    const bool there = started && word(core, Semaphore) != 0;
    const auto state = there ? isa::SeqState::Halted : started ? isa::SeqState::WaitSem : isa::SeqState::Idle;
    core.out.engine[0].state = static_cast<std::uint8_t>(state);
}

using Script = void (*)(FakeCore&);

inline std::unique_ptr<FakeCore> fake_core(const config::Config& config, Script script = wait_then_halt) {
    auto fake = std::make_unique<FakeCore>(
        FakeCore::Style{static_cast<unsigned>(config.core.bus.ports),
                        static_cast<std::uint32_t>(config.core.bus.data_bits / 8), 0, 2});
    fake->script = script;
    return fake;
}

// Fake cores in slots; they belong to the chip that is built from the slots.
class FakeSlots {
  public:
    FakeSlots(const config::Config& config, unsigned slots, Script script = wait_then_halt) {
        for (unsigned i = 0; i < slots; ++i) {
            auto one = fake_core(config, script);
            fakes.push_back(one.get());
            factories.push_back(tlm::core_of(std::move(one)));
        }
    }
    std::vector<FakeCore*> fakes;
    tlm::chip::Slots factories;
};

inline tlm::chip::Slots empty_slots(unsigned count) {
    return tlm::chip::Slots(count);
}

// A copy in one packet of up to 4 KiB a descriptor; then it adds 1 to a semaphore after a barrier.
struct Copy {
    unsigned core = 0, engine = 0;  // the engine that copies
    std::uint64_t from = 0, to = 0;
    std::uint32_t length = 0;
    std::uint64_t semaphore = 0;  // system address of its increment alias; 0 if there is none
};

// A chip of a server, for start().
struct ChipAccess {
    tlm::Server& server;
    unsigned chip;
    void write(std::uint64_t address, std::span<const std::uint8_t> data) {
        server.write(chip, address, data);
    }
    void write32(std::uint64_t address, std::uint32_t value) { server.write32(chip, address, value); }
};

inline std::uint64_t ring_base(const Copy& copy) {
    return Rings + (copy.core * 16ULL + copy.engine) * 0x10000;
}

// Writes the descriptors to memory and sets up ring 0 of the engine. Returns the value for the doorbell.
template <typename Access>
std::uint32_t prepare(Access& chip, const Copy& copy) {
    using enum dma::RingRegister;
    std::vector<dma::Descriptor> m2s, s2m;
    for (std::uint32_t done = 0; done < copy.length; done += 4096) {
        const std::uint32_t part = std::min<std::uint32_t>(4096, copy.length - done);
        m2s.push_back({.address = copy.from + done,
                       .length = part,
                       .first = done == 0,
                       .last = done + part == copy.length});
        s2m.push_back({.address = copy.to + done, .length = part});
    }
    if (copy.semaphore != 0) {
        constexpr std::uint8_t Word[] = {1, 0, 0, 0};
        chip.write(One, Word);
        m2s.push_back({.address = One, .length = 4, .first = true, .last = true, .barrier = true});
        s2m.push_back({.address = copy.semaphore, .length = 4});
    }
    const auto set_ring = [&](std::array<dma::RingRegister, 3> registers, std::uint64_t base,
                              const std::vector<dma::Descriptor>& list) {
        for (std::size_t i = 0; i < list.size(); ++i) chip.write(base + 16 * i, dma::encode(list[i]));
        const auto write = [&](dma::RingRegister reg, std::uint64_t value) {
            chip.write32(dma::ring_address(copy.engine, 0, reg, copy.core),
                         static_cast<std::uint32_t>(value));
        };
        write(registers[0], base);
        write(registers[1], base >> 32);
        write(registers[2], list.size());
    };
    set_ring({M2sBaseLow, M2sBaseHigh, M2sSize}, ring_base(copy), m2s);
    set_ring({S2mBaseLow, S2mBaseHigh, S2mSize}, ring_base(copy) + 0x8000, s2m);
    return dma::doorbell(static_cast<std::uint16_t>(m2s.size()), static_cast<std::uint16_t>(s2m.size()));
}

template <typename Access>
void ring_doorbell(Access& chip, const Copy& copy, std::uint32_t value) {
    chip.write32(dma::ring_address(copy.engine, 0, dma::RingRegister::Doorbell, copy.core), value);
}

template <typename Access>
void start(Access& chip, const Copy& copy) {
    ring_doorbell(chip, copy, prepare(chip, copy));
}

}  // namespace trnsim::test
