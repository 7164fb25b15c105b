#include "model/core/fast/core_function.hpp"

#include <algorithm>

namespace trnsim::tlm::core_fast {
namespace {

Verdict verdict(const fast::Fault& fault) {
    return {fault.code, fault.address};
}

}  // namespace

Verdict CoreFunction::issue(isa::Engine engine, const InstructionBytes& bytes) {
    const fast::Issued issued = core_.issue(engine, bytes);
    if (!issued.refused) issued_[static_cast<unsigned>(engine)].push_back(issued.operation);
    return verdict(issued.refused);
}

Effects CoreFunction::execute(isa::Engine engine) {
    auto& issued = issued_[static_cast<unsigned>(engine)];
    const fast::OperationPtr operation = std::move(issued.front());
    issued.pop_front();
    if (operation == nullptr) return {};
    const fast::Effects effects = core_.execute(*operation);
    return {effects.nan, effects.unfounded, verdict(effects.fault), effects.unwritten.words,
            effects.unwritten.address};
}

std::optional<fast::MemoryAddress> CoreFunction::place(std::uint32_t offset, std::size_t size) const {
    const fast::Memories& memories = core_.memories();
    const std::optional<fast::MemoryAddress> place = memories.locate(offset);
    if (!place || size > memories.partition_bytes(place->memory) - place->offset) return std::nullopt;
    return place;
}

bool CoreFunction::read(std::uint32_t offset, std::span<std::uint8_t> data) {
    const auto from = place(offset, data.size());
    if (from) std::ranges::copy(core_.memories().read(*from, data.size()), data.begin());
    return from.has_value();
}

bool CoreFunction::write(std::uint32_t offset, std::span<const std::uint8_t> data) {
    const auto to = place(offset, data.size());
    if (to) core_.memories().write(*to, data);
    return to.has_value();
}

rv32::Slice CoreFunction::slice(unsigned core) {
    fast::Memories& memories = core_.memories();
    const std::uint32_t first = core * TRNSIM_SLICE_PARTITIONS;
    return {.data = memories.byte({fast::MemoryId::Sbuf, first, 0}),
            .partition_bytes = memories.partition_bytes(fast::MemoryId::Sbuf),
            .partitions = std::min<std::uint32_t>(memories.partitions() - first, TRNSIM_SLICE_PARTITIONS),
            .pitch = memories.pitch(fast::MemoryId::Sbuf),
            .touched = memories.touched(first)};
}

void CoreFunction::restart() {
    core_.restart();
    for (auto& issued : issued_) issued.clear();
}

}  // namespace trnsim::tlm::core_fast
