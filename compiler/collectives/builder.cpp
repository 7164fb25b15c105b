#include "compiler/collectives/builder.hpp"

#include <algorithm>

#include "isa/element_type.hpp"

namespace trnsim::collectives {
namespace {

constexpr std::uint64_t ScratchAlignment = 64;

}  // namespace

Builder::Builder(Rank ranks) : maps_(BufferCount * ranks) {
    schedule_.lists.resize(ranks);
    for (auto& bytes : schedule_.buffer_bytes) bytes.resize(ranks);
    for (Map& map : maps_) map[0];
}

void Builder::grow(const BufferAddress& place, std::uint64_t bytes) {
    std::uint64_t& size = schedule_.buffer_bytes[static_cast<std::size_t>(place.buffer)][place.rank];
    size = std::max(size, place.offset + bytes);
}

BufferAddress Builder::scratch(Rank rank, std::uint64_t bytes) {
    std::uint64_t& size = schedule_.buffer_bytes[static_cast<std::size_t>(Buffer::Scratch)][rank];
    const BufferAddress place{rank, Buffer::Scratch,
                              (size + ScratchAlignment - 1) / ScratchAlignment * ScratchAlignment};
    if (bytes != 0) size = place.offset + bytes;
    return place;
}

void Builder::input(BufferAddress place, std::uint64_t bytes) {
    grow(place, bytes);
    if (bytes != 0) schedule_.inputs.push_back({place, bytes});
}

void Builder::output(BufferAddress place, std::uint64_t bytes) {
    grow(place, bytes);
    if (bytes != 0) schedule_.outputs.push_back({place, bytes});
}

// Returns the map of the operand's buffer, with keys at the operand's first byte and after its last.
Builder::Map& Builder::split(const ElementRun& operand, std::uint64_t elements) {
    const BufferAddress& place = operand.place;
    Map& map = maps_[BufferCount * place.rank + static_cast<std::size_t>(place.buffer)];
    const std::uint64_t end = place.offset + elements * isa::element_size(operand.dtype);
    for (const std::uint64_t at : {place.offset, end})
        map.insert({at, std::prev(map.upper_bound(at))->second});
    return map;
}

void Builder::read(StepId step, const ElementRun& source, std::uint64_t elements) {
    Map& map = split(source, elements);
    const std::uint64_t end = source.place.offset + elements * isa::element_size(source.dtype);
    for (auto it = map.find(source.place.offset); it->first != end; ++it) {
        if (it->second.writer) pending_.push_back(*it->second.writer);
        it->second.readers.push_back(step);
    }
}

void Builder::write(StepId step, const ElementRun& destination, std::uint64_t elements) {
    Map& map = split(destination, elements);
    const std::uint64_t end = destination.place.offset + elements * isa::element_size(destination.dtype);
    const auto first = map.find(destination.place.offset), last = map.find(end);
    for (auto it = first; it != last; ++it) {
        if (it->second.writer) pending_.push_back(*it->second.writer);
        pending_.insert(pending_.end(), it->second.readers.begin(), it->second.readers.end());
    }
    first->second = {step, {}};
    map.erase(std::next(first), last);
}

// Adds the waits, without those that another step of the list has waited for itself.
void Builder::wait_for_others(StepId step, std::vector<StepId> others) {
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::erase(others, step);
    const auto implied = [&](StepId id) {
        return std::ranges::any_of(others, [&](StepId other) {
            return other > id && std::ranges::binary_search(schedule_.steps[other].waits, id);
        });
    };
    std::vector<StepId>& waits = schedule_.steps[step].waits;
    std::ranges::copy_if(others, std::back_inserter(waits), [&](StepId id) { return !implied(id); });
}

void Builder::add(Rank rank, Transfer transfer) {
    const bool stays = transfer.combine == Combine::Copy && transfer.destinations == transfer.sources;
    if (transfer.elements == 0 || stays) return;
    const auto id = static_cast<StepId>(schedule_.steps.size());
    pending_.clear();
    for (const ElementRun& source : transfer.sources) read(id, source, transfer.elements);
    for (const ElementRun& destination : transfer.destinations) write(id, destination, transfer.elements);
    schedule_.lists[rank].push_back(id);
    schedule_.steps.push_back({rank, std::move(transfer), {}});
    wait_for_others(id, pending_);
}

void Builder::copy(BufferAddress source, BufferAddress destination, std::uint64_t elements,
                   isa::Dtype dtype) {
    Transfer transfer;
    transfer.sources = {{source, dtype}};
    transfer.destinations = {{destination, dtype}};
    transfer.elements = elements;
    add(source.rank, std::move(transfer));
}

Schedule Builder::finish() && {
    return std::move(schedule_);
}

}  // namespace trnsim::collectives
