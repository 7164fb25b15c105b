// Where the transactions under way in a fabric come from and go to: a hash table by address of the payload, with
// linear probing, that allocates nothing once it has been as full as it gets. Routes stay where they are until
// they are erased.
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
};

class RouteTable {
  public:
    // The route of a payload that has none.
    Route& add(const Payload& payload, const Route& route);
    // Null: it has none.
    Route* find(const Payload& payload) {
        const Cell& cell = cells_[place_of(payload)];
        return cell.payload == nullptr ? nullptr : cell.route;
    }
    // Of a payload that has a route.
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
    // Where it stands, or the free cell where it would.
    std::size_t place_of(const Payload& payload) const {
        std::size_t place = home_of(&payload);
        while (cells_[place].payload != nullptr && cells_[place].payload != &payload) place = after(place);
        return place;
    }
    std::size_t after(std::size_t place) const { return (place + 1) & (cells_.size() - 1); }
    void grow();

    unsigned shift_ = 60;  // 64 less the bits of a cell's number
    std::vector<Cell> cells_ = std::vector<Cell>(16);
    std::size_t used_ = 0;
    std::deque<Route> routes_;
    std::vector<Route*> free_;
};

}  // namespace trnsim::tlm::fabric
