#include "model/neuronlink/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trnsim::tlm::neuronlink {

Network::Network(const sc_core::sc_module_name& name, Topology topology, const Parameters& parameters,
                 NetworkOptions options)
    : sc_module(name),
      topology_(std::move(topology)),
      parameters_(parameters),
      options_(std::move(options)),
      usable_(topology_.cables.size(), true) {
    check(parameters_);
    check(topology_);
    const std::vector<Table> tables = options_.make_tables(topology_, usable_);
    NodeOwner& owner = *this;
    for (unsigned chip = 0; chip < topology_.chips; ++chip) {
        const bool here = options_.elsewhere == nullptr || !options_.elsewhere->has(chip);
        const protocol::AlarmsOfChip alarms(chip);
        nodes_.push_back(here
                             ? std::make_unique<Node>(fmt::format("chip_{}", chip).c_str(), chip, parameters_,
                                                      tables[chip], owner, options_.perturb, options_.sink)
                             : nullptr);
    }
    for (const Cable& cable : topology_.cables) {
        connect(cable.a, cable.b);
        connect(cable.b, cable.a);
    }
}

void Network::connect(End from, End to) {
    if (nodes_[from.chip] == nullptr) return;
    if (nodes_[to.chip] != nullptr)
        cables_.push_back(std::make_unique<DirectCable>(port(to)));
    else
        cables_.push_back(std::make_unique<CableToElsewhere>(*options_.elsewhere, to));
    port(from).connect(*cables_.back());
}

// Throws if chips are elsewhere: both ends of a link and the tables of all chips would have to change at
// once.
void Network::expect_all_here() const {
    if (options_.elsewhere != nullptr)
        throw std::logic_error(
            "a link is cut or given up, expected one process, as several cannot route round it");
}

void Network::cut(std::size_t cable, bool for_good) {
    expect_all_here();
    for (const End end : {topology_.cables[cable].a, topology_.cables[cable].b})
        nodes_[end.chip]->cut(end.port, for_good);
}

void Network::restore(std::size_t cable) {
    expect_all_here();
    for (const End end : {topology_.cables[cable].a, topology_.cables[cable].b})
        nodes_[end.chip]->restore(end.port);
}

void Network::report_standings() {
    for (const auto& node : nodes_) {
        if (node != nullptr) node->report_standings();
    }
}

LinkStatistics Network::statistics(std::size_t cable, bool from_a) const {
    const Cable& ends = topology_.cables[cable];
    const End from = from_a ? ends.a : ends.b, to = from_a ? ends.b : ends.a;
    const Port& sender = nodes_[from.chip]->port(from.port);
    return {sender.sent(), nodes_[to.chip]->port(to.port).received(), sender.faults()};
}

bool Network::undisturbed() const {
    return std::ranges::all_of(nodes_,
                               [](const auto& node) { return node == nullptr || node->ports_undisturbed(); });
}

bool Network::idle() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        return node == nullptr || (node->endpoint.idle() && node->router().empty());
    });
}

bool Network::at_rest() const {
    return idle() && std::ranges::all_of(
                         nodes_, [](const auto& node) { return node == nullptr || node->ports_at_rest(); });
}

std::size_t Network::cable_at(End end) const {
    const auto found = std::find_if(topology_.cables.begin(), topology_.cables.end(),
                                    [&](const Cable& cable) { return cable.a == end || cable.b == end; });
    return static_cast<std::size_t>(found - topology_.cables.begin());
}

// One end has given up its link, or can use it again; the other end follows at the same time.
void Network::usable(End end, bool usable) {
    if (left_ && options_.elsewhere != nullptr) return;
    expect_all_here();
    const std::size_t number = cable_at(end);
    const Cable& cable = topology_.cables[number];
    if (!usable) cut(number, true);
    const bool both = !port(cable.a).given_up() && !port(cable.b).given_up();
    if (usable_[number] == both) return;
    usable_[number] = both;
    reroute();
}

void Network::reroute() {
    std::string down;
    for (std::size_t i = 0; i < usable_.size(); ++i) {
        if (!usable_[i]) down += (down.empty() ? "" : ", ") + name_of(topology_.cables[i]);
    }
    const std::string why = down.empty() ? "no way of cables leads there" : "down are " + down;
    std::vector<Table> tables = options_.make_tables(topology_, usable_);
    for (unsigned chip = 0; chip < topology_.chips; ++chip)
        nodes_[chip]->set_table(std::move(tables[chip]), why);
}

void Network::report(const std::string& line) {
    const auto place = std::ranges::upper_bound(report_times_, now());
    reports_.insert(reports_.begin() + (place - report_times_.begin()), line);
    report_times_.insert(place, now());
    if (options_.on_report) options_.on_report(line);
}

void Network::clear_reports() {
    reports_.clear();
    report_times_.clear();
}

unsigned Network::debug(unsigned chip, Payload& payload) {
    return chip < nodes_.size() && nodes_[chip] != nullptr
               ? nodes_[chip]->endpoint.to_chip.socket->transport_dbg(payload)
               : 0;
}

}  // namespace trnsim::tlm::neuronlink
