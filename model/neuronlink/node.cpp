#include "model/neuronlink/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trnsim::tlm::neuronlink {
namespace {

perturb::Agent agent_of(perturb::Seed seed, unsigned chip) {
    return {seed, fmt::format("neuronlink {}", chip)};
}

}  // namespace

Node::Node(const sc_core::sc_module_name& name, unsigned chip, const Parameters& parameters, Table table,
           NodeOwner& owner, perturb::Seed seed, trace::Sink* sink)
    : sc_module(name),
      endpoint(chip, parameters, *this, agent_of(seed, chip)),
      chip_(chip),
      owner_(owner),
      router_(ports_, endpoint, std::move(table)) {
    PortOwner& port_owner = *this;
    for (unsigned i = 0; i < Ports; ++i)
        ports_[i] = std::make_unique<Port>(i, parameters, port_owner, agent_of(seed, chip),
                                           PortReport(sink, {chip, i}));
    endpoint.set_reachable(router_.table(), "no way of cables leads there", now());
}

void Node::set_table(Table table, const std::string& why) {
    router_.set_table(std::move(table));
    endpoint.set_reachable(router_.table(), why, now());
    wake(now());
}

bool Node::ports_at_rest() const {
    return std::ranges::all_of(ports_, [](const auto& port) { return port->at_rest(); });
}

bool Node::ports_undisturbed() const {
    return std::ranges::all_of(ports_, [](const auto& port) { return port->undisturbed(); });
}

void Node::cut(unsigned port, bool for_good) {
    ports_[port]->take_down(now(), for_good);
    ports_[port]->report_standing(now());
}

void Node::restore(unsigned port) {
    ports_[port]->bring_up(now());
    ports_[port]->report_standing(now());
}

void Node::set_lanes(unsigned port, std::uint64_t lanes) {
    ports_[port]->wire().set_lanes(lanes);
    ports_[port]->report_standing(now());
}

void Node::report_standings() {
    for (const auto& port : ports_) port->report_anew(now());
}

void Node::arrived(unsigned port, unsigned channel, PacketPtr packet) {
    router_.arrived(port, channel, std::move(packet));
}

// Within a step nothing is scheduled here: the step finds all later work at its end.
void Node::wake(Time at) {
    if (!stepping_) wake_.notify_at(at);
}

void Node::step() {
    const Time time = now();
    stepping_ = true;
    for (const auto& port : ports_) port->step(time);
    while (endpoint.due(time)) router_.inject(endpoint.take());
    for (const auto& port : ports_) port->send_first(time);
    router_.move(time);
    endpoint.step(time);
    Time next = endpoint.next();
    for (unsigned i = 0; i < Ports; ++i) {
        ports_[i]->send_last(time, router_.wants(i));
        ports_[i]->report_standing(time);
        next = std::min(next, ports_[i]->next(time, router_.wants(i)));
    }
    stepping_ = false;
    if (next != Never) wake_.notify_at(next);
}

}  // namespace trnsim::tlm::neuronlink
