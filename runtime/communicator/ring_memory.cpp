#include "runtime/communicator/ring_memory.hpp"

#include "arch/dma/registers.hpp"

namespace trnsim::communicator {
namespace {

using dma::Descriptor;
using dma::RingRegister;

std::uint64_t bytes_of(const std::vector<Descriptor>& descriptors) {
    return descriptors.size() * dma::DescriptorBytes;
}

std::vector<std::uint8_t> encoded(const std::vector<Descriptor>& descriptors) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(bytes_of(descriptors));
    for (const Descriptor& descriptor : descriptors) {
        const auto one = dma::encode(descriptor);
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

}  // namespace

RingMemory allocate(const Ring& ring, const Allocate& allocate) {
    RingMemory memory;
    memory.m2s = allocate(bytes_of(ring.m2s));
    memory.s2m = allocate(bytes_of(ring.s2m));
    return memory;
}

void write_descriptors(tlm::LinkedServer& server, CoreId core, const Ring& ring, const RingMemory& memory) {
    server.server().write(core.chip, memory.m2s, encoded(ring.m2s));
    server.server().write(core.chip, memory.s2m, encoded(ring.s2m));
}

void set_registers(tlm::LinkedServer& server, CoreId core, const RingId& id, const Ring& ring,
                   const RingMemory& memory) {
    tlm::dma::Engine& engine = server.server().chip(core.chip).dma(core.core).engine(id.engine);
    const auto set = [&](RingRegister low, RingRegister high, RingRegister size, std::uint64_t base,
                         std::size_t descriptors) {
        engine.write(id.ring, low, static_cast<std::uint32_t>(base));
        engine.write(id.ring, high, static_cast<std::uint32_t>(base >> 32));
        engine.write(id.ring, size, static_cast<std::uint32_t>(descriptors));
    };
    set(RingRegister::M2sBaseLow, RingRegister::M2sBaseHigh, RingRegister::M2sSize, memory.m2s,
        ring.m2s.size());
    set(RingRegister::S2mBaseLow, RingRegister::S2mBaseHigh, RingRegister::S2mSize, memory.s2m,
        ring.s2m.size());
}

}  // namespace trnsim::communicator
