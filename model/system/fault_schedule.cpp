#include "model/system/fault_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace trnsim::tlm {
namespace {

using config::LinkFault;

bool holds(const LinkFault& fault, Time time) {
    return fault.at <= time && time < fault.until;
}

}  // namespace

FaultSchedule::FaultSchedule(const config::Server& server, neuronlink::Network& network,
                             std::vector<bool> here)
    : server_(server), network_(network) {
    const bool draws = server.links.error_rate > 0 || server.links.loss_rate > 0;
    const std::vector<neuronlink::Cable>& cables = network.topology().cables;
    for (std::size_t number = 0; number < cables.size(); ++number) {
        Cable cable{number, {}};
        for (const neuronlink::End from : {cables[number].a, cables[number].b}) {
            Direction direction{from, {}, server.links.lanes, {}};
            for (const LinkFault& fault : server.faults) {
                const auto ends = neuronlink::ends_named(network.topology(), fault.link);
                if (std::ranges::find(ends, from) == ends.end()) continue;
                (fault.kind == LinkFault::Kind::Cut ? cable.cuts : direction.faults).push_back(&fault);
            }
            if (here[from.chip] && (draws || !direction.faults.empty()))
                directions_.push_back(std::move(direction));
        }
        if (cable.cuts.empty()) continue;
        if (std::ranges::find(here, false) != here.end())
            throw std::invalid_argument(
                fmt::format("{}: link {} is cut, expected one process, as several cannot route round it",
                            server.name, name_of(cables[number])));
        cables_.push_back(std::move(cable));
    }
    for (const LinkFault& fault : server.faults) times_.insert(times_.end(), {fault.at, fault.until});
    times_.push_back(0);
    std::ranges::sort(times_, std::greater());
    strike();
}

// Whatever the change is, everything is set to what holds from now on; a second change of this time finds it
// so.
void FaultSchedule::strike() {
    const Time time = now();
    for (Direction& direction : directions_) apply(direction, time);
    for (Cable& cable : cables_) apply(cable, time);
    while (!times_.empty() && times_.back() <= time) times_.pop_back();
    if (!times_.empty() && times_.back() != LinkFault().until) alarm_.notify_at(times_.back());
}

// The last one in the file counts of several faults of a kind.
void FaultSchedule::apply(Direction& direction, Time time) {
    std::uint64_t lanes = server_.links.lanes;
    neuronlink::FaultRates rates{.bit_errors = server_.links.error_rate,
                                 .drops = server_.links.loss_rate,
                                 .seed = static_cast<std::uint32_t>(server_.links.fault_seed),
                                 .place = " " + name_of(direction.from)};
    for (const LinkFault* fault : direction.faults) {
        if (!holds(*fault, time)) continue;
        if (fault->kind == LinkFault::Kind::Lanes)
            lanes = fault->working;
        else
            (fault->kind == LinkFault::Kind::BitErrors ? rates.bit_errors : rates.drops) = fault->rate;
    }
    if (std::exchange(direction.lanes, lanes) != lanes) network_.set_lanes(direction.from, lanes);
    if (direction.rates == rates) return;
    network_.wire(direction.from).faults().set_rates(rates);
    direction.rates = std::move(rates);
}

void FaultSchedule::apply(Cable& cable, Time time) {
    const bool cut =
        std::ranges::any_of(cable.cuts, [time](const auto* fault) { return holds(*fault, time); });
    if (std::exchange(cable.is_cut, cut) == cut) return;
    cut ? network_.cut(cable.number) : network_.restore(cable.number);
}

}  // namespace trnsim::tlm
