#include "runtime/session/collectives.hpp"

#include <utility>

#include "runtime/communicator/rings.hpp"

namespace trnsim::runtime {

void Collectives::write() {
    for (const auto& [id, ring] : lowered().rings)
        communicator::write_descriptors(server_, core(id.rank), ring);
}

void Collectives::start(std::uint32_t rounding_seed, const Writes& writes) {
    for (const auto& [id, ring] : lowered().rings) {
        communicator::set_registers(server_, core(id.rank), id, ring);
        communicator::set_rounding_seed(server_, core(id.rank), id.engine, rounding_seed);
    }
    for (const loader::CollectiveCoreId id : load(writes))
        server_.server().chip(id.chip).collective_cores().start(id.core);
}

std::vector<loader::CollectiveCoreId> Collectives::load(const Writes& writes) {
    std::vector<loader::CollectiveCoreId> loaded;
    for (auto& [id, program] : programs(writes)) {
        if (!server_.here(id.chip)) continue;
        server_.server().chip(id.chip).collective_cores().load(id.core, std::move(program));
        loaded.push_back(id);
    }
    return loaded;
}

}  // namespace trnsim::runtime
