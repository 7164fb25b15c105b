// The structure of a chip: NeuronCores with their DMA engines, HBM and the fabric that all share, sockets for
// the host and for other chips.
//
//                               +--> HBM stacks
//     host, cores, DMA engines,-+--> core windows      (fabric)
//     other chips               +--> DMA registers
//                               +--> other chips
//
// A chip has one or two slots for cores. Every slot has its DMA engines with their registers, with or without
// a core; the window of an empty slot is no address. Cores may be of different kinds and come to rest on
// their own; HBM and fabric serve them together.
//
// A chip is only structure; model/system runs it. Times are femtoseconds, addresses system addresses
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

// The core factories of the slots, by number; an empty function: an empty slot.
using Slots = std::vector<CoreFactory>;

struct Options {
    unsigned number = 0;              // number of the chip in its system, below addresses::PooledChips
    trace::Sink* sink = nullptr;      // must outlive the chip
    bool check_protocol = false;      // puts a base-protocol checker on every socket
    perturb::Seed perturb{};          // seed of delays and stalls in the whole system (model/perturb)
    contents::Seed random_memory{};   // seed of the first contents of HBM; none: zeros
    std::function<void()> on_stop{};  // called when a core came to rest or failed, or a DMA engine failed
    bool linked = false;              // has sockets for other chips, see bind_links()
    bool collectives = false;         // has collective cores
    std::uint64_t between_cores = 0;  // bytes/s of data between its cores, each way; 0: unlimited
};

class Chip : public sc_core::sc_module {
  public:
    // Each factory makes one core of this configuration. Throws std::invalid_argument for more slots than
    // places for cores, for no slots, and for a number out of range.
    Chip(const sc_core::sc_module_name& name, const config::Config& config, const Slots& slots,
         Options options = {});

    // Binds the port through which the host's accesses come.
    void bind_host(protocol::InitiatorPort& host);
    // Binds the links of a chip with Options::linked; called before elaboration. Every access of the chip to
    // an address that names a chip (arch/addresses/pooled.hpp), even its own number, goes to `out`; as for
    // every range of the fabric, the address there counts from PooledBase. Accesses from `in` are served like
    // those of the host, at addresses of this chip. Without links an address that names a chip is an address
    // error.
    void bind_links(::tlm::tlm_target_socket<>& out, ::tlm::tlm_initiator_socket<>& in);

    unsigned number() const { return options_.number; }
    unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
    bool has_core(unsigned slot) const { return slots_.at(slot).core != nullptr; }
    // Throws std::out_of_range if the slot is empty.
    Core& core(unsigned slot = 0);
    const Core& core(unsigned slot = 0) const { return const_cast<Chip&>(*this).core(slot); }
    dma::Dma& dma(unsigned slot = 0) { return *slots_.at(slot).dma; }
    const dma::Dma& dma(unsigned slot = 0) const { return *slots_.at(slot).dma; }
    // Throws std::logic_error for a chip without Options::collectives.
    collectives::CollectiveCores& collective_cores();

    // One line, which names the core if there are several slots; empty: no error.
    const std::string& dma_error() const { return dma_error_; }  // error of the first to stop
    std::string core_error() const;                              // state of a core that has failed

    bool clocks_rest() const;  // each core has halted or was never started
    // These include the collective cores.
    bool cores_rest() const;  // each has halted or was never started
    bool has_run() const;     // one has halted, or there is no core
    bool dma_idle() const;
    bool done() const { return cores_rest() && has_run() && dma_idle(); }
    std::uint64_t progress() const;  // grows with the work of cores and DMA engines
    std::string state() const;       // current activity, one line
    // Returns the number of words of HBM that were read with more than one wrong bit.
    std::uint64_t hbm_uncorrected() const;
    // Returns the counts of a core with its DMA engines, and of the memories that it shares with the other
    // core.
    Statistics statistics(unsigned slot = 0) const;

    // Steps of a reset. Each is called when the one before it is done: stop(), quiet(), restart(), settled(),
    // clear(). HBM, SBUF and PSUM keep their contents.
    void stop();
    bool quiet() const;
    void restart();
    bool settled() const;
    // Returns the time up to which its cores have been simulated.
    Time reached() const;
    void clear();

    // Checkpoints. After hold() the cores begin nothing more and everything under way ends; then the chip is
    // quiescent until resume(), or until another chip writes to it. save() needs a quiescent chip; load()
    // needs one on which nothing has run and that has the programs of its collective cores. They throw
    // checkpoint::Error for anything that a state cannot hold, and for a state of another chip.
    void hold();
    bool quiescent() const;
    void resume();
    checkpoint::ChipState save() const;
    void load(const checkpoint::ChipState& state);

    // Switches on or off that the sink gets the commands of all stacks. Returns false if the model of HBM has
    // none or the chip has no sink.
    bool report_dram(bool on);

    // Inverts bits of the stored word of HBM at a system address, a multiple of hbm::WordBytes. Returns false
    // if the model of HBM cannot do this. Throws std::out_of_range for an address outside HBM.
    bool inject(std::uint64_t address, const hbm::CodeWord& bits);

    // Makes bytes of HBM at a system address, all in one stack, read as those that were never written. They
    // take no memory of the host then. Throws std::out_of_range for bytes outside HBM.
    void forget(std::uint64_t address, std::uint64_t bytes);

    // Returns what the checkers found, one line each; always empty without Options::check_protocol.
    std::vector<std::string> protocol_violations() const;

  private:
    struct Slot {
        std::unique_ptr<dma::Dma> dma;
        std::unique_ptr<Core> core;  // null: empty slot
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
    std::vector<const Core*> cores_;  // the cores of the occupied slots
    std::vector<std::unique_ptr<hbm::Memory>> hbm_;
    std::uint64_t hbm_capacity_ = 0;                             // bytes of a stack
    std::deque<DramReport> dram_reports_;                        // by stack; empty without a sink
    std::unique_ptr<collectives::CollectiveCores> collectives_;  // null: no collective cores
};

}  // namespace trnsim::tlm::chip
