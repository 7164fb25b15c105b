// The part of a chip that belongs to the links: endpoint, router and ports, stepped by one process.
#pragma once

#include <string>

#include "model/neuronlink/router.hpp"
#include "model/protocol/alarm.hpp"

namespace trnsim::tlm::neuronlink {

class NodeOwner {
  public:
    virtual ~NodeOwner() = default;

    // The link at this end has been given up, or can be used again after that.
    virtual void usable(End end, bool usable) = 0;
    // Takes one line about a request that is answered with an error.
    virtual void report(const std::string& line) = 0;
    // Makes a debug-transport access to an address of a chip, without time. Returns the number of bytes
    // moved.
    virtual unsigned debug(unsigned chip, Payload& payload) = 0;
};

class Node : public sc_core::sc_module, private PortOwner, private EndpointOwner {
  public:
    // `parameters` must outlive the node and be sound (check()). `sink`, which may be null, gets what ports send.
    Node(const sc_core::sc_module_name& name, unsigned chip, const Parameters& parameters, Table table,
         NodeOwner& owner, perturb::Seed seed = {}, trace::Sink* sink = nullptr);

    Endpoint endpoint;

    Port& port(unsigned number) { return *ports_[number]; }
    const Port& port(unsigned number) const { return *ports_[number]; }
    const Router& router() const { return router_; }
    bool ports_at_rest() const;
    bool ports_undisturbed() const;

    // Called for all chips at the same time. `why` says in reports why chips cannot be reached.
    void set_table(Table table, const std::string& why);

    void cut(unsigned port, bool for_good);
    void restore(unsigned port);
    void set_lanes(unsigned port, std::uint64_t lanes);
    void report_standings();

  private:
    void arrived(unsigned port, unsigned channel, PacketPtr packet) override;
    void usable(unsigned port, bool usable) override { owner_.usable({chip_, port}, usable); }
    void wake(Time at) override;
    void report(const std::string& line) override { owner_.report(line); }
    unsigned debug(unsigned chip, Payload& payload) override { return owner_.debug(chip, payload); }
    void step();

    unsigned chip_;
    NodeOwner& owner_;
    Router::PortList ports_;
    Router router_;
    protocol::Alarm wake_{[this] { step(); }, protocol::Alarm::Set::ByOthers};
    bool stepping_ = false;
};

}  // namespace trnsim::tlm::neuronlink
