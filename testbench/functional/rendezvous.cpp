#include "testbench/functional/rendezvous.hpp"

#include <fmt/format.h>

#include <utility>

#include "testbench/functional/error.hpp"

namespace trnsim::functional {

void Rendezvous::begin(std::size_t rank, const neff::Collective& collective, Bytes input) {
    const std::size_t number = states_.at(rank).begun++;
    if (number == meetings_.size())
        meetings_.push_back({collective, rank, std::vector<Bytes>(ranks_), 0, {}});
    Meeting& meeting = meetings_[number];
    if (meeting.collective != collective)
        throw Error(fmt::format("rank {}: collective {} is a {}, expected the {} of rank {}", rank, number,
                                collectives::name(collective.request.operation),
                                collectives::name(meeting.collective.request.operation), meeting.first));
    meeting.inputs[rank] = std::move(input);
    if (++meeting.begun != ranks_) return;
    meeting.outputs = carry_out_(meeting.collective, meeting.inputs);
    meeting.inputs = {};
}

bool Rendezvous::done(std::size_t rank) const {
    const Rank& state = states_.at(rank);
    return state.taken < state.begun && meetings_[state.taken].begun == ranks_;
}

std::optional<Bytes> Rendezvous::take(std::size_t rank) {
    return std::move(meetings_[states_.at(rank).taken++].outputs.at(rank));
}

}  // namespace trnsim::functional
