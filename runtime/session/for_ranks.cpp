#include "runtime/session/for_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/session/error.hpp"

namespace trnsim::runtime {
namespace {

using addresses::CoreId;
using config::CoreKind;

std::vector<CoreId> all_cores(const config::Server& server) {
    std::vector<CoreId> cores;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        for (unsigned slot = 0; slot < server.slots[chip].size(); ++slot)
            if (server.slots[chip][slot] != CoreKind::None) cores.push_back({chip, slot});
    }
    return cores;
}

}  // namespace

std::vector<CoreId> cores_of(const config::Server& server, std::optional<std::uint32_t> ranks) {
    std::vector<CoreId> cores = all_cores(server);
    const std::size_t wanted = ranks ? *ranks : cores.size();
    if (wanted == 0 || wanted > cores.size())
        throw Error(fmt::format("{}: {} ranks, expected 1 to {}, the cores that its slots have", server.name,
                                wanted, cores.size()));
    cores.resize(wanted);
    return cores;
}

config::Server only(config::Server server, std::span<const CoreId> cores) {
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        for (unsigned slot = 0; slot < server.slots[chip].size(); ++slot)
            if (std::ranges::find(cores, CoreId{chip, slot}) == cores.end())
                server.slots[chip][slot] = CoreKind::None;
    }
    return server;
}

config::Server for_ranks(config::Server server, std::optional<std::uint32_t> ranks,
                         std::span<const std::uint32_t> rtl_ranks) {
    if (all_cores(server).empty()) {
        for (config::SlotKinds& chip : server.slots) std::ranges::fill(chip, CoreKind::Fast);
    }
    const std::vector<CoreId> cores = cores_of(server, ranks);
    for (const std::uint32_t rank : rtl_ranks) {
        if (rank >= cores.size())
            throw Error(fmt::format("RTL rank {}: expected ranks below {}", rank, cores.size()));
        server.slots[cores[rank].chip][cores[rank].core] = CoreKind::Rtl;
    }
    return only(std::move(server), cores);
}

}  // namespace trnsim::runtime
