// The links of a server: a node for each chip of this process, the cables between the nodes, and the
// computation of the routing tables when a link is given up or comes back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/neuronlink/elsewhere.hpp"
#include "model/neuronlink/node.hpp"

namespace trnsim::tlm::neuronlink {

struct NetworkOptions {
    perturb::Seed perturb{};
    // Called with one line for every request that is answered with an error, in addition to
    // Network::reports().
    std::function<void(const std::string&)> on_report{};
    // Makes the tables of all chips for the cables that can be used.
    std::function<std::vector<Table>(const Topology&, const std::vector<bool>&)> make_tables =
        neuronlink::make_tables;
    // Gets what ports send; must outlive the network.
    trace::Sink* sink = nullptr;
    // The chips of other processes; null: all are here. Links to others are then neither cut nor given up.
    Elsewhere* elsewhere = nullptr;
};

class Network : public sc_core::sc_module, private NodeOwner {
  public:
    // Throws std::invalid_argument for parameters or cables that check() refuses.
    Network(const sc_core::sc_module_name& name, Topology topology, const Parameters& parameters,
            NetworkOptions options = {});

    const Topology& topology() const { return topology_; }
    // Returns the node of a chip of this process; all functions below need such a chip.
    Node& node(unsigned chip) { return *nodes_[chip]; }
    const Node& node(unsigned chip) const { return *nodes_[chip]; }

    // Cuts both directions of a cable, a number in Topology::cables, or makes it whole again. `for_good`: the
    // link is given up at once, not after the give-up time. Throws std::logic_error where chips are elsewhere.
    void cut(std::size_t cable, bool for_good = false);
    void restore(std::size_t cable);
    bool usable(std::size_t cable) const { return usable_[cable]; }

    // Sets the working lanes of the direction that begins at this end, as Wire::set_lanes() does, and tells
    // listeners.
    void set_lanes(End from, std::uint64_t lanes) { node(from.chip).set_lanes(from.port, lanes); }

    // Tells listeners how all ports stand, for one that has not heard it.
    void report_standings();

    // Takes a frame from a chip elsewhere for a port of a chip that is here; see FrameTarget::receive().
    void receive(End to, Frame frame, Time at) { port(to).receive(std::move(frame), at); }

    // From now on it does not matter what other chips do: a link that waits for them in vain may be given up.
    void leave() { left_ = true; }

    // Returns the direction that begins at this end: its lanes and faults.
    Wire& wire(End from) { return nodes_[from.chip]->port(from.port).wire(); }
    LinkStatistics statistics(std::size_t cable, bool from_a) const;

    const std::vector<std::string>& reports() const { return reports_; }
    Time first_report_at() const {  // Never: no report
        return report_times_.empty() ? Never : report_times_.front();
    }
    void clear_reports();
    // True if nothing is under way.
    bool idle() const;
    // True if no link has ever been cut or begun to repeat or to poll. Then none is given up, which both ends
    // do at the same time, before another round trip has passed.
    bool undisturbed() const;
    // True if there is also nothing on the links, acknowledgements and credits included.
    bool at_rest() const;

  private:
    void usable(End end, bool usable) override;
    void report(const std::string& line) override;
    unsigned debug(unsigned chip, Payload& payload) override;
    void connect(End from, End to);
    void expect_all_here() const;
    void reroute();
    std::size_t cable_at(End end) const;
    Port& port(End end) { return nodes_[end.chip]->port(end.port); }

    Topology topology_;
    Parameters parameters_;
    NetworkOptions options_;
    std::vector<std::unique_ptr<Node>> nodes_;  // by chip; null: it is elsewhere
    std::vector<std::unique_ptr<CableEnd>> cables_;
    std::vector<bool> usable_;          // by cable
    std::vector<std::string> reports_;  // the earliest first
    std::vector<Time> report_times_;    // of each
    bool left_ = false;
};

}  // namespace trnsim::tlm::neuronlink
