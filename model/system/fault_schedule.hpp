// Lets the faults of a server's file (config::LinkFault) strike at their times.
#pragma once

#include <vector>

#include "arch/config/server.hpp"
#include "model/neuronlink/network.hpp"
#include "model/protocol/alarm.hpp"

namespace trnsim::tlm {

class FaultSchedule {
  public:
    // Sets what is so at time 0. `server` is that of the network; both must outlive the schedule. `here`
    // has, by chip, whether it is in this process. Throws std::invalid_argument for a cut if one is not:
    // several processes cannot route round it.
    FaultSchedule(const config::Server& server, neuronlink::Network& network, std::vector<bool> here);

  private:
    // A direction of a link of this process, and how it stands.
    struct Direction {
        neuronlink::End from;
        std::vector<const config::LinkFault*> faults;  // in the order of the file
        std::uint64_t lanes;
        neuronlink::FaultRates rates;
    };
    struct Cable {
        std::size_t number;
        std::vector<const config::LinkFault*> cuts;
        bool is_cut = false;
    };

    void strike();
    void apply(Direction& direction, Time time);
    void apply(Cable& cable, Time time);

    const config::Server& server_;
    neuronlink::Network& network_;
    std::vector<Direction> directions_;
    std::vector<Cable> cables_;
    std::vector<Time> times_;  // of changes, the last one first
    protocol::Alarm alarm_{[this] { strike(); }, protocol::Alarm::Set::ByOthers};
};

}  // namespace trnsim::tlm
