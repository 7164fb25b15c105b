#include "model/chip/address_map.hpp"

#include "arch/addresses/pooled.hpp"
#include "arch/collective_cores/registers.hpp"
#include "arch/dma/registers.hpp"

namespace trnsim::tlm::chip {

Ports ports_of(const config::Config& config, const Layout& layout) {
    Ports ports;
    unsigned &initiator = ports.initiators, &target = ports.targets;
    target = static_cast<unsigned>(config.hbm.stacks);
    for (const bool core : layout.cores) {
        Ports::Slot& slot = ports.slots.emplace_back();
        slot.dma = initiator;
        initiator += static_cast<unsigned>(config.dma.engines);
        if (core) {
            slot.manager = initiator++;
            slot.tables = initiator++;
            slot.window = target++;
        }
        slot.registers = target++;
    }
    ports.host = initiator++;
    if (layout.linked) {
        ports.link_in = initiator++;
        ports.link_out = target++;
    }
    if (layout.collectives) {
        ports.collectives_out = initiator++;
        ports.collectives_in = target++;
    }
    return ports;
}

std::vector<fabric::Range> address_map(const config::Config& config, const Layout& layout) {
    const Ports ports = ports_of(config, layout);
    std::vector<fabric::Range> map;
    for (unsigned stack = 0; stack < config.hbm.stacks; ++stack)
        map.push_back({HbmBase + stack * addresses::HbmStackStride, config.hbm.capacity, stack});
    for (std::size_t slot = 0; slot < layout.cores.size(); ++slot) {
        const Ports::Slot& at = ports.slots[slot];
        if (layout.cores[slot]) map.push_back({addresses::core_window(slot), CoreBytes, at.window});
        map.push_back({dma::register_base(slot), config.dma.engines * dma::EngineStride, at.registers});
    }
    if (layout.linked) map.push_back({addresses::PooledBase, addresses::PooledBytes, ports.link_out});
    if (layout.collectives)
        map.push_back({collective_cores::Base, collective_cores::Bytes, ports.collectives_in});
    return map;
}

fabric::Sides sides_of(const config::Config& config, const Layout& layout, std::uint64_t bandwidth) {
    const Ports ports = ports_of(config, layout);
    fabric::Sides sides;
    sides.bandwidth = bandwidth;
    sides.initiators.resize(ports.initiators);
    sides.targets.resize(ports.targets);
    for (unsigned slot = 0; slot < ports.slots.size(); ++slot) {
        const Ports::Slot& at = ports.slots[slot];
        for (unsigned engine = 0; engine < config.dma.engines; ++engine)
            sides.initiators[at.dma + engine] = slot;
        if (config.hbm.stacks == ports.slots.size()) sides.targets[slot] = slot;
        if (!layout.cores[slot]) continue;
        sides.initiators[at.manager] = sides.initiators[at.tables] = slot;
        sides.targets[at.window] = slot;
    }
    return sides;
}

}  // namespace trnsim::tlm::chip
