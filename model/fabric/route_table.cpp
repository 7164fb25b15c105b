#include "model/fabric/route_table.hpp"

#include <utility>

namespace trnsim::tlm::fabric {

Route& RouteTable::add(const Payload& payload, const Route& route) {
    if (2 * (used_ + 1) > cells_.size()) grow();
    if (free_.empty()) free_.push_back(&routes_.emplace_back());
    Route* place = free_.back();
    free_.pop_back();
    *place = route;
    cells_[place_of(payload)] = {&payload, place};
    ++used_;
    return *place;
}

// The entries after the hole move up as far as they may, so that no search ends too early.
void RouteTable::erase(const Payload& payload) {
    std::size_t hole = place_of(payload);
    if (cells_[hole].payload == nullptr) return;
    free_.push_back(cells_[hole].route);
    --used_;
    const std::size_t mask = cells_.size() - 1;
    for (std::size_t next = after(hole); cells_[next].payload != nullptr; next = after(next)) {
        const std::size_t distance = (next - home_of(cells_[next].payload)) & mask;
        if (distance < ((next - hole) & mask)) continue;
        cells_[hole] = cells_[next];
        hole = next;
    }
    cells_[hole] = {};
}

void RouteTable::grow() {
    --shift_;
    std::vector<Cell> before(2 * cells_.size());
    std::swap(before, cells_);
    for (const Cell& cell : before)
        if (cell.payload != nullptr) cells_[place_of(*cell.payload)] = cell;
}

}  // namespace trnsim::tlm::fabric
