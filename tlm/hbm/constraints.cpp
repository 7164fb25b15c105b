#include "tlm/hbm/constraints.hpp"

#include <algorithm>

namespace trnsim::tlm::hbm {

Constraints::Constraints(const config::DramTiming& timing) {
    for (const Edge& edge : edges()) {
        const Cycle distance = edge.distance(timing);
        if (edge.nth > 1) {
            windows_.push_back({edge.from, edge.to, distance, std::vector<Cycle>(edge.nth), 0});
            continue;
        }
        for (std::size_t from = 0; from < Commands; ++from) {
            if (!contains(edge.from, static_cast<Command>(from))) continue;
            for (std::size_t to = 0; to < Commands; ++to) {
                if (contains(edge.to, static_cast<Command>(to)))
                    followers_[from].push_back({edge.scope, static_cast<std::uint8_t>(to), distance});
            }
        }
    }
}

void Constraints::raise(Scope scope, unsigned bank, std::size_t command, Cycle at) {
    Cycle& next = scope == Scope::Bank    ? bank_[bank][command]
                  : scope == Scope::Group ? group_[group_of(bank)][command]
                                          : pseudo_[command];
    next = std::max(next, at);
}

void Constraints::issue(Command command, unsigned bank, Cycle at) {
    for (const Follower& follower : followers_[static_cast<std::size_t>(command)])
        raise(follower.scope, bank, follower.command, at + follower.distance);
    for (Window& window : windows_) {
        if (!contains(window.from, command)) continue;
        window.times[window.oldest] = at + window.distance;
        window.oldest = (window.oldest + 1) % window.times.size();
        for (std::size_t to = 0; to < Commands; ++to) {
            if (contains(window.to, static_cast<Command>(to)))
                raise(Scope::Pseudo, bank, to, window.times[window.oldest]);
        }
    }
}

}  // namespace trnsim::tlm::hbm
