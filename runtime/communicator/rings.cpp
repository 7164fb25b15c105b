#include "runtime/communicator/rings.hpp"

namespace trnsim::communicator {
namespace {

using addresses::CoreId;

tlm::dma::Engine& engine_of(tlm::LinkedServer& server, CoreId core, unsigned engine) {
    return server.server().chip(core.chip).dma(core.core).engine(engine);
}

}  // namespace

void write_descriptors(tlm::LinkedServer& server, CoreId core, const loader::Ring& ring) {
    if (!server.here(core.chip)) return;
    for (const loader::MemoryWrite& write : memory_writes(ring))
        server.server().write(core.chip, write.address, write.bytes);
}

void set_registers(tlm::LinkedServer& server, CoreId core, const loader::RingId& id,
                   const loader::Ring& ring) {
    if (!server.here(core.chip)) return;
    tlm::dma::Engine& engine = engine_of(server, core, id.engine);
    for (const loader::RingSetting& setting : settings(ring))
        engine.write(id.ring, setting.reg, setting.value);
}

void set_rounding_seed(tlm::LinkedServer& server, CoreId core, unsigned engine, std::uint32_t seed) {
    if (server.here(core.chip)) engine_of(server, core, engine).write(dma::EngineRegister::SrSeed, seed);
}

}  // namespace trnsim::communicator
