// The collective cores of a chip: they wait for flags and ring doorbells of DMA engines, so that collectives
// need no core.
//
// Registers (registers.hpp) are 32 bits and written whole. A flag acts when its write arrives. Writes of a
// program use addresses of the chip's fabric.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/checkpoint/system_state.hpp"
#include "arch/collective_cores/program.hpp"
#include "arch/collective_cores/registers.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/alarm.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/target_port.hpp"
#include "model/protocol/timed_queue.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::collectives {

using namespace trnsim::collective_cores;

class CollectiveCores : public sc_core::sc_module, private protocol::TargetModel {
  public:
    // `on_rest` is called when no core has work any more or one has failed. `sink`, which may be null and
    // must outlive the cores, gets the entries of their programs as those of this chip.
    CollectiveCores(const sc_core::sc_module_name& name, std::function<void()> on_rest,
                    perturb::Seed seed = {}, trace::Sink* sink = nullptr, unsigned chip = 0);

    protocol::TargetPort registers;
    protocol::InitiatorPort port;

    // Puts a program into a core and clears its flags; takes no time. Throws std::logic_error while the core
    // has work, std::out_of_range for a core or flag that does not exist.
    void load(unsigned core, Program program);

    // Starts a core now, as a write of the start register does.
    void start(unsigned core);

    bool idle() const;
    bool has_run() const { return has_run_; }
    // Return the times of the last program of a core.
    Time started(unsigned core) const { return cores_.at(core).started; }
    Time ended(unsigned core) const { return cores_.at(core).ended; }
    std::uint64_t progress() const { return progress_; }
    std::string state() const;  // the waiting cores and their reasons; empty: none
    // Says in one line why a core has failed; empty: none has.
    const std::string& error() const { return error_; }

    // Ends all programs; responses under way may still come.
    void stop();
    bool quiet() const { return pool_.in_use() == 0; }
    void clear();

    // True if no write to the cores or by them is under way: programs that still run wait for flags.
    bool quiescent() const { return quiet() && accesses_.empty(); }
    // save() needs quiescent cores; load() needs cores that have the same programs and have not begun. Throws
    // checkpoint::Error for a state of other programs.
    std::vector<checkpoint::CollectiveCoreState> save() const;
    void load(const std::vector<checkpoint::CollectiveCoreState>& state);

  private:
    struct Core {
        Program program;
        std::vector<std::size_t> next;  // index of the next entry of each channel
        std::vector<Time> at_head;      // when the next entry of each channel came to its head
        std::vector<std::uint32_t> flags;
        std::size_t open = 0;    // channels that are not at their end
        std::size_t writes = 0;  // writes that are not answered
        Time started = 0, ended = 0;
        bool running = false;
    };

    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override;
    void take_accesses();
    bool access(Payload& payload);
    void walk(unsigned number);
    void report(unsigned number, unsigned channel);
    bool satisfied(const Core& core, const Entry& entry) const;
    void answered(protocol::Transaction& transaction, Time at);
    void end(Core& core, Time at);

    std::function<void()> on_rest_;
    std::array<Core, CoresPerChip> cores_;
    protocol::PayloadPool pool_;
    protocol::TimedQueue<Payload*> accesses_;
    protocol::Alarm wake_{[this] { take_accesses(); }};
    trace::Sink* sink_;
    unsigned chip_;
    perturb::Delay delay_;  // delay from a flag to the entries that wait for it
    bool has_run_ = false;
    std::uint64_t progress_ = 0;
    std::string error_;
};

}  // namespace trnsim::tlm::collectives
