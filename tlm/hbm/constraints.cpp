#include "tlm/hbm/constraints.hpp"

namespace trnsim::tlm::hbm {
namespace {

using CellNumbers = std::array<std::uint8_t, Commands>;  // by command

Command command_of(std::size_t number) {
    return static_cast<Command>(number);
}

// The first command of the scope that the same edges lead to.
CellNumbers number_cells(Scope scope) {
    std::array<std::vector<const Edge*>, Commands> leading;
    for (const Edge& edge : edges()) {
        for (std::size_t to = 0; to < Commands; ++to)
            if (edge.scope == scope && contains(edge.to, command_of(to))) leading[to].push_back(&edge);
    }
    CellNumbers cells{};
    for (std::size_t to = 0; to < Commands; ++to)
        cells[to] = static_cast<std::uint8_t>(std::ranges::find(leading, leading[to]) - leading.begin());
    return cells;
}

// The cells of a set, each once.
std::vector<std::uint8_t> pick_cells(CommandSet set, const CellNumbers& cells) {
    std::vector<std::uint8_t> result;
    for (std::size_t to = 0; to < Commands; ++to)
        if (contains(set, command_of(to)) && std::ranges::find(result, cells[to]) == result.end())
            result.push_back(cells[to]);
    return result;
}

}  // namespace

Constraints::Constraints(const config::DramTiming& timing) {
    const CellNumbers bank = number_cells(Scope::Bank), group = number_cells(Scope::Group),
                      pseudo = number_cells(Scope::Pseudo);
    for (std::size_t c = 0; c < Commands; ++c) cells_[c] = {bank[c], group[c], pseudo[c]};
    for (const Edge& edge : edges()) {
        const Cycle distance = edge.distance(timing);
        if (edge.nth > 1) {
            windows_.push_back(
                {edge.from, pick_cells(edge.to, pseudo), distance, std::vector<Cycle>(edge.nth), 0});
            windowed_ |= edge.from;
            continue;
        }
        const CellNumbers& cells = edge.scope == Scope::Bank    ? bank
                                   : edge.scope == Scope::Group ? group
                                                                : pseudo;
        for (std::size_t from = 0; from < Commands; ++from) {
            if (!contains(edge.from, command_of(from))) continue;
            Followers& followers = followers_[from];
            auto& list = edge.scope == Scope::Bank    ? followers.bank
                         : edge.scope == Scope::Group ? followers.group
                                                      : followers.pseudo;
            for (const std::uint8_t cell : pick_cells(edge.to, cells)) list.push_back({cell, distance});
        }
    }
}

void Constraints::issue_in_windows(Command command, Cycle at) {
    for (Window& window : windows_) {
        if (!contains(window.from, command)) continue;
        window.times[window.oldest] = at + window.distance;
        window.oldest = (window.oldest + 1) % window.times.size();
        for (const std::uint8_t cell : window.cells)
            pseudo_[cell] = std::max(pseudo_[cell], window.times[window.oldest]);
    }
}

}  // namespace trnsim::tlm::hbm
