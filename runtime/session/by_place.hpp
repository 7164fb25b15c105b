// Events of the units of a server, by their place, and as bytes for another process.
#pragma once

#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>
#include <vector>

#include "model/processes/bytes.hpp"

namespace trnsim::runtime {

// A unit of a chip: a port; a DMA engine or collective core, with its ring or channel as `part`; a stack of
// HBM with its pseudo channel as `part`, 2 channel + pseudo channel.
struct UnitId {
    unsigned chip = 0, unit = 0, part = 0;
    bool operator<(const UnitId& other) const {
        return std::tie(chip, unit, part) < std::tie(other.chip, other.unit, other.part);
    }
};

template <typename T>
using ByPlace = std::map<UnitId, std::vector<T>>;

template <typename T>
void put(tlm::processes::Writer& to, const ByPlace<T>& places) {
    static_assert(std::is_trivially_copyable_v<T>);
    to.put(places.size());
    for (const auto& [place, events] : places) {
        to.put(place);
        to.put_bytes({reinterpret_cast<const std::uint8_t*>(events.data()), events.size() * sizeof(T)});
    }
}

// Reads the result of put(), for places that `places` does not have yet.
template <typename T>
void get(tlm::processes::Reader& from, ByPlace<T>& places) {
    for (auto left = from.get<std::size_t>(); left != 0; --left) {
        std::vector<T>& events = places[from.get<UnitId>()];
        const auto bytes = from.get_bytes();
        events.resize(bytes.size() / sizeof(T));
        if (!events.empty()) std::memcpy(events.data(), bytes.data(), bytes.size());
    }
}

}  // namespace trnsim::runtime
