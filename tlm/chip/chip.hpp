// The structure of a chip: a NeuronCore with HBM, DMA engines and fabric, and a socket for the host.
//
//                       +--> HBM stacks
//     host, core, DMA --+--> core window      (fabric)
//                       +--> DMA registers
//
// A chip only is; tlm/system drives it. Times are femtoseconds, addresses system addresses
// (docs/architecture.md).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "lib/config/config.hpp"
#include "tlm/chip/statistics.hpp"
#include "tlm/contents/random_contents.hpp"
#include "tlm/core/core.hpp"
#include "tlm/dma/dma.hpp"
#include "tlm/fabric/fabric.hpp"
#include "tlm/hbm/memory.hpp"
#include "tlm/perturb/perturb.hpp"
#include "tlm/protocol/checker.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::tlm::chip {

struct Options {
    unsigned number = 0;              // of the chip in its system
    trace::Sink* sink = nullptr;      // must outlive the chip
    bool check_protocol = false;      // puts a base-protocol checker on every socket
    perturb::Seed perturb{};          // of delays and stalls everywhere (tlm/perturb)
    contents::Seed random_memory{};   // of what HBM holds at first; none: zeros
    std::function<void()> on_stop{};  // the core came to rest or failed, or a DMA engine failed
};

class Chip : public sc_core::sc_module {
  public:
    // `make_core` makes one of this configuration.
    Chip(const sc_core::sc_module_name& name, const config::Config& config, const CoreFactory& make_core,
         Options options = {});

    // Where the host's accesses come in.
    void bind_host(protocol::InitiatorPort& host);

    Core& core() { return *core_; }
    const Core& core() const { return *core_; }
    dma::Dma& dma() { return dma_; }
    const dma::Dma& dma() const { return dma_; }
    // Why a DMA engine stopped, one line; empty: none has.
    const std::string& dma_error() const { return dma_error_; }

    bool done() const { return core_->done() && dma_.idle(); }
    std::uint64_t progress() const;  // grows with what core and DMA engines do
    std::string state() const;       // what they do, one line
    Statistics statistics() const;

    // Steps of a reset, each to be called when what is awaited before it holds: stop(), quiet(), restart(),
    // settled(), clear(). HBM, SBUF and PSUM keep what they hold.
    void stop();
    bool quiet() const { return dma_.quiet() && core_->quiet(); }
    void restart() { core_->restart(); }
    bool settled() const { return !core_->waits_for_memory() && dma_.quiet(); }
    void clear();

    // What the checkers found, one line each; always empty without Options::check_protocol.
    std::vector<std::string> protocol_violations() const;

  private:
    template <typename Initiator, typename Target>
    void bind(Initiator& initiator, Target& target);

    Options options_;
    std::deque<protocol::Checker> checkers_;
    std::string dma_error_;
    unsigned host_;  // the fabric's initiator
    fabric::Fabric fabric_;
    dma::Dma dma_;
    std::unique_ptr<Core> core_;
    std::vector<std::unique_ptr<hbm::Memory>> hbm_;
};

}  // namespace trnsim::tlm::chip
