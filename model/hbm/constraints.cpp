#include "model/hbm/constraints.hpp"

namespace trnsim::tlm::hbm {
namespace {

// The times of a scope: command after command, one time for each member.
struct ScopeRow {
    std::size_t first;  // index in all times
    unsigned shift;     // bank >> shift: the member of the bank
    std::size_t members() const { return Banks >> shift; }
};
constexpr std::array ScopeRows{ScopeRow{0, 0}, ScopeRow{Commands * Banks, 2},
                               ScopeRow{Commands * (Banks + BankGroups), 4}};  // by scope
static_assert(Banks >> ScopeRows[1].shift == BankGroups && Banks >> ScopeRows[2].shift == 1);

const ScopeRow& row_of(Scope scope) {
    return ScopeRows[static_cast<std::size_t>(scope)];
}

Command command_of(std::size_t number) {
    return static_cast<Command>(number);
}

using CellsOfScope = std::array<std::size_t, Commands>;  // by command

// Places the cells. A command shares those of the first command of the scope that the same edges lead to.
CellsOfScope place_cells(Scope scope) {
    std::array<std::vector<const Edge*>, Commands> leading;
    for (const Edge& edge : edges()) {
        for (std::size_t to = 0; to < Commands; ++to)
            if (edge.scope == scope && contains(edge.to, command_of(to))) leading[to].push_back(&edge);
    }
    CellsOfScope cells{};
    for (std::size_t to = 0; to < Commands; ++to) {
        const auto number =
            static_cast<std::size_t>(std::ranges::find(leading, leading[to]) - leading.begin());
        cells[to] = row_of(scope).first + number * row_of(scope).members();
    }
    return cells;
}

// Returns the cells of a set, each once.
std::vector<std::size_t> pick_cells(CommandSet set, const CellsOfScope& cells) {
    std::vector<std::size_t> result;
    for (std::size_t to = 0; to < Commands; ++to)
        if (contains(set, command_of(to)) && std::ranges::find(result, cells[to]) == result.end())
            result.push_back(cells[to]);
    return result;
}

}  // namespace

Constraints::Constraints(const config::DramTiming& timing) {
    const std::array cells{place_cells(Scope::Bank), place_cells(Scope::Group), place_cells(Scope::Pseudo)};
    for (std::size_t c = 0; c < Commands; ++c) cells_[c] = {cells[0][c], cells[1][c], cells[2][c]};
    for (const Edge& edge : edges()) {
        const Cycle distance = edge.distance(timing);
        const std::vector<std::size_t> followers =
            pick_cells(edge.to, cells[static_cast<std::size_t>(edge.scope)]);
        if (edge.nth > 1) {
            windows_.push_back({edge.from, followers, distance, std::vector<Cycle>(edge.nth), 0});
            windowed_ |= edge.from;
            continue;
        }
        for (std::size_t from = 0; from < Commands; ++from) {
            if (!contains(edge.from, command_of(from))) continue;
            for (const std::size_t first : followers)
                followers_[from].push_back({first, row_of(edge.scope).shift, distance});
        }
    }
}

void Constraints::issue_in_windows(Command command, Cycle at) {
    for (Window& window : windows_) {
        if (!contains(window.from, command)) continue;
        window.times[window.oldest] = at + window.distance;
        window.oldest = (window.oldest + 1) % window.times.size();
        for (const std::size_t cell : window.cells)
            times_[cell] = std::max(times_[cell], window.times[window.oldest]);
    }
}

}  // namespace trnsim::tlm::hbm
