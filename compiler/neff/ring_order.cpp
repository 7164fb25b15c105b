#include "compiler/neff/ring_order.hpp"

#include <algorithm>
#include <iterator>

namespace trnsim::neff {
void RingOrder::add(std::uint32_t transfer, std::optional<std::uint32_t> loop, std::uint32_t iterations) {
    if (sections_.empty() || sections_.back().loop != loop)
        sections_.push_back({.first = length(), .loop = loop, .iterations = iterations, .transfers = {}});
    sections_.back().transfers.push_back(transfer);
}

std::uint64_t RingOrder::length() const {
    if (sections_.empty()) return 0;
    const Section& last = sections_.back();
    return last.first + last.iterations * std::uint64_t{last.transfers.size()};
}

Firing RingOrder::at(std::uint64_t place) const {
    place %= length();
    const Section& section = *std::prev(std::ranges::upper_bound(sections_, place, {}, &Section::first));
    const std::uint64_t rest = place - section.first;
    return {section.transfers[rest % section.transfers.size()],
            static_cast<std::uint32_t>(rest / section.transfers.size())};
}

std::vector<RingOrder> ring_orders(const Package& package) {
    std::vector<RingOrder> orders(package.queues.size());
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program) {
            if (instruction.opcode() != isa::Opcode::DmaTrigger) continue;
            const auto id = static_cast<std::uint32_t>(instruction.get(isa::field::Address));
            const Transfer& transfer = package.transfers[id];
            orders[transfer.queue].add(id, transfer.loop, iterations_of(package, transfer));
        }
    }
    return orders;
}

std::uint32_t iterations_of(const Package& package, const Transfer& transfer) {
    return transfer.loop ? package.loops[*transfer.loop].iterations : 1;
}

Pattern at_iteration(const Pattern& pattern, std::uint32_t iteration) {
    Pattern moved = pattern;
    for (std::size_t dim = 0; dim < pattern.iteration_count.size(); ++dim) {
        moved.offset += static_cast<std::uint64_t>(pattern.iteration_step[dim]) *
                        (iteration % pattern.iteration_count[dim]);
        iteration /= pattern.iteration_count[dim];
    }
    moved.iteration_step = {};
    moved.iteration_count = {1, 1, 1, 1};
    return moved;
}

Transfer at_iteration(const Transfer& transfer, std::uint32_t iteration) {
    Transfer moved = transfer;
    moved.from = at_iteration(transfer.from, iteration);
    moved.to = at_iteration(transfer.to, iteration);
    if (moved.indirect) moved.indirect->index = at_iteration(transfer.indirect->index, iteration);
    moved.loop.reset();
    return moved;
}

}  // namespace trnsim::neff
