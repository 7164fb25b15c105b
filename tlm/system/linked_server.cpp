#include "tlm/system/linked_server.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "tlm/system/load_server.hpp"

namespace trnsim::tlm {
namespace {

chip::Slots slots_of(const config::Server& server, unsigned chip, const CoreFactory& rtl) {
    chip::Slots slots;
    for (const config::CoreKind kind : server.slots[chip]) {
        if (kind == config::CoreKind::Rtl && !rtl)
            throw std::invalid_argument(
                fmt::format("{}: chip {} has a slot of kind rtl, expected none", server.name, chip));
        slots.push_back(kind == config::CoreKind::Rtl ? rtl : CoreFactory{});
    }
    return slots;
}

std::vector<ChipSetup> chips_of(const config::Server& server, const LinkedOptions& options) {
    std::vector<ChipSetup> chips;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        chips.push_back({slots_of(server, chip, options.rtl),
                         {.number = chip,
                          .check_protocol = options.check_protocol,
                          .perturb = options.perturb,
                          .random_memory = options.random_memory,
                          .linked = true,
                          .collectives = options.collectives}});
    }
    return chips;
}

}  // namespace

LinkedServer::LinkedServer(const config::Server& description, const LinkedOptions& options)
    : description_(description),
      server_(description_.chip, chips_of(description_, options)),
      network_("links", link_topology(description_), link_parameters(description_.links),
               {.perturb = options.perturb}) {
    for (unsigned chip = 0; chip < description_.chips(); ++chip) {
        neuronlink::Endpoint& endpoint = network_.node(chip).endpoint;
        server_.chip(chip).bind_links(endpoint.from_chip.socket, endpoint.to_chip.socket);
    }
}

RunResult LinkedServer::run(std::uint64_t limit) {
    RunResult result = server_.run(limit);
    if (result.outcome != Outcome::Done && !network_.reports().empty())
        result.message += "; links: " + network_.reports().front();
    return result;
}

}  // namespace trnsim::tlm
