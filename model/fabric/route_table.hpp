// The source and the target of each transaction under way in a fabric: a hash table with linear probing,
// keyed by the address of the payload. It allocates nothing once it has reached its largest size. Routes stay
// where they are until they are erased.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/protocol/types.hpp"

namespace trnsim::tlm::fabric {

struct Route {
    int initiator = 0;
    unsigned target = 0;
    bool held = false;   // the initiator still waits for END_REQ
    bool ended = false;  // the target has seen the end of the response
    Time late = 0;       // time by which the path between the sides delays the response
};

class RouteTable {
  public:
    // Adds the route of a payload that has none.
    Route& add(const Payload& payload, const Route& route);
    // Returns the payload's route, or null if it has none.
    Route* find(const Payload& payload) {
        const Cell& cell = cells_[place_of(payload)];
        return cell.payload == nullptr ? nullptr : cell.route;
    }
    // Returns the route of a payload that has one.
    Route& at(const Payload& payload) { return *find(payload); }
    void erase(const Payload& payload);

    std::size_t size() const { return used_; }

  private:
    struct Cell {
        const Payload* payload = nullptr;
        Route* route = nullptr;
    };

    std::size_t home_of(const Payload* payload) const {
        constexpr std::uint64_t Golden = 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(payload) * Golden >> shift_);
    }
    // Returns the cell of the payload, or the free cell for it.
    std::size_t place_of(const Payload& payload) const {
        std::size_t place = home_of(&payload);
        while (cells_[place].payload != nullptr && cells_[place].payload != &payload) place = after(place);
        return place;
    }
    std::size_t after(std::size_t place) const { return (place + 1) & (cells_.size() - 1); }
    void grow();

    unsigned shift_ = 60;  // 64 minus the bits of a cell's number
    std::vector<Cell> cells_ = std::vector<Cell>(16);
    std::size_t used_ = 0;
    std::deque<Route> routes_;
    std::vector<Route*> free_;
};

}  // namespace trnsim::tlm::fabric
