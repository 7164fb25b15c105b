// The structure of a chip: NeuronCores with their DMA engines, HBM and the fabric that all share, sockets for
// the host and for other chips.
//
//                               +--> HBM stacks
//     host, cores, DMA engines,-+--> core windows      (fabric)
//     other chips               +--> DMA registers
//                               +--> other chips
//
// A chip has one or two slots for cores. Every slot has its DMA engines with their registers, whether a core
// stands in it or not; the window of an empty slot is no address. Cores may be of different kinds and come to
// rest on their own; HBM and fabric serve them together.
//
// A chip only is; model/system drives it. Times are femtoseconds, addresses system addresses
// (docs/architecture.md).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "arch/checkpoint/system_state.hpp"
#include "arch/config/config.hpp"
#include "model/chip/address_map.hpp"
#include "model/chip/dram_report.hpp"
#include "model/chip/statistics.hpp"
#include "model/collectives/collective_cores.hpp"
#include "model/contents/random_contents.hpp"
#include "model/core/core.hpp"
#include "model/dma/dma.hpp"
#include "model/fabric/fabric.hpp"
#include "model/hbm/memory.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/checker.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::chip {

// What stands in the slots, by number; an empty function: nothing.
using Slots = std::vector<CoreFactory>;

struct Options {
    unsigned number = 0;              // of the chip in its system, below addresses::PooledChips
    trace::Sink* sink = nullptr;      // must outlive the chip
    bool check_protocol = false;      // puts a base-protocol checker on every socket
    perturb::Seed perturb{};          // of delays and stalls everywhere in the system (model/perturb)
    contents::Seed random_memory{};   // of what HBM holds at first; none: zeros
    std::function<void()> on_stop{};  // a core came to rest or failed, or a DMA engine failed
    bool linked = false;              // has sockets for other chips, see bind_links()
    bool collectives = false;         // has collective cores
};

class Chip : public sc_core::sc_module {
  public:
    // Each factory makes one core of this configuration. Throws std::invalid_argument when there are more
    // slots than places for cores, or none, and for a number out of range.
    Chip(const sc_core::sc_module_name& name, const config::Config& config, const Slots& slots,
         Options options = {});

    // Where the host's accesses come in.
    void bind_host(protocol::InitiatorPort& host);
    // The links of a chip with Options::linked, to be bound before elaboration. Every access of the chip to an
    // address that names a chip (arch/addresses/pooled.hpp), its own number included, goes to `out`; as
    // behind every range of the fabric, the address there counts from PooledBase. What `in` sends is served as
    // accesses of the host are, at addresses of this chip. Without links an address that names a chip is an
    // address error.
    void bind_links(::tlm::tlm_target_socket<>& out, ::tlm::tlm_initiator_socket<>& in);

    unsigned number() const { return options_.number; }
    unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
    bool has_core(unsigned slot) const { return slots_.at(slot).core != nullptr; }
    // Throws std::out_of_range when nothing stands in the slot.
    Core& core(unsigned slot = 0);
    const Core& core(unsigned slot = 0) const { return const_cast<Chip&>(*this).core(slot); }
    dma::Dma& dma(unsigned slot = 0) { return *slots_.at(slot).dma; }
    const dma::Dma& dma(unsigned slot = 0) const { return *slots_.at(slot).dma; }
    // Throws std::logic_error for a chip without Options::collectives.
    collectives::CollectiveCores& collective_cores();

    // One line, which names the core where there are several slots; empty: nothing is wrong.
    const std::string& dma_error() const { return dma_error_; }  // why the first DMA engine to stop did
    std::string core_error() const;                              // the state of a core that has failed

    // Collective cores included.
    bool cores_rest() const;  // each has halted or was never started
    bool has_run() const;     // one has halted, or there is no core
    bool dma_idle() const;
    bool done() const { return cores_rest() && has_run() && dma_idle(); }
    std::uint64_t progress() const;  // grows with what cores and DMA engines do
    std::string state() const;       // what they do, one line
    // Words of HBM that were read with more than one wrong bit.
    std::uint64_t hbm_uncorrected() const;
    // Of a core with its DMA engines, and of the memories that it shares with the other.
    Statistics statistics(unsigned slot = 0) const;

    // Steps of a reset, each to be called when what is awaited before it holds: stop(), quiet(), restart(),
    // settled(), clear(). HBM, SBUF and PSUM keep what they hold.
    void stop();
    bool quiet() const;
    void restart();
    bool settled() const;
    // The time up to which its cores have been simulated.
    Time reached() const;
    void clear();

    // Checkpoints: hold() lets cores begin nothing more and everything under way end, after which it is quiescent until resume(), or
    // until another chip writes to it. save() is of a quiescent chip; load() of one on which nothing has run and whose collective
    // cores have their programs. They throw checkpoint::Error for what no state has, and for a state of another chip.
    void hold();
    bool quiescent() const;
    void resume();
    checkpoint::ChipState save() const;
    void load(const checkpoint::ChipState& state);

    // From now on, or no longer, the sink gets the commands of all stacks. False when the model of HBM has none, or
    // the chip no sink.
    bool report_dram(bool on);

    // Inverts bits of a stored word of HBM, whose system address is a multiple of hbm::WordBytes. False when the
    // model of HBM has none. Throws std::out_of_range for an address outside HBM.
    bool inject(std::uint64_t address, const hbm::CodeWord& bits);

    // What the checkers found, one line each; always empty without Options::check_protocol.
    std::vector<std::string> protocol_violations() const;

  private:
    struct Slot {
        std::unique_ptr<dma::Dma> dma;
        std::unique_ptr<Core> core;  // null: empty
    };

    template <typename Initiator, typename Target>
    void bind(Initiator& initiator, Target& target);
    void make_slot(const config::Config& config, unsigned number, const CoreFactory& make_core);
    void make_stacks(const config::Hbm& hbm);
    void make_collectives();
    std::string place(unsigned slot) const;
    std::string core_state(unsigned slot) const;

    Options options_;
    Ports ports_;
    std::deque<protocol::Checker> checkers_;
    std::string dma_error_;
    fabric::Fabric fabric_;
    std::vector<Slot> slots_;
    std::vector<const Core*> cores_;  // those that are there
    std::vector<std::unique_ptr<hbm::Memory>> hbm_;
    std::uint64_t hbm_capacity_ = 0;                             // of a stack
    std::deque<DramReport> dram_reports_;                        // by stack; without a sink none
    std::unique_ptr<collectives::CollectiveCores> collectives_;  // null: none
};

}  // namespace trnsim::tlm::chip
