// The DMA engines of a core behind one register target.
//
// Registers are 32 bits: an access must be one aligned word, else it is answered with
// TLM_ADDRESS_ERROR_RESPONSE. Accesses act in the order of their times, whatever the registers and engines.
#pragma once

#include <memory>
#include <vector>

#include "model/dma/engine.hpp"
#include "model/protocol/alarm.hpp"
#include "model/protocol/target_port.hpp"
#include "model/protocol/timed_queue.hpp"

namespace trnsim::tlm::dma {

class Dma : public sc_core::sc_module, private protocol::TargetModel {
  public:
    // Of `core`; the numbers of its engines go on after those of the cores before it.
    Dma(const sc_core::sc_module_name& name, unsigned engines, unsigned rings, const EngineTiming& timing,
        trace::Sink* sink, Engine::OnError on_error, perturb::Seed seed = {}, addresses::CoreId core = {});

    protocol::TargetPort registers;

    // Counted within the core.
    unsigned engines() const { return static_cast<unsigned>(engines_.size()); }
    Engine& engine(unsigned number) { return *engines_[number]; }
    const Engine& engine(unsigned number) const { return *engines_[number]; }

    // No engine has work, nor has an access to come.
    bool idle() const;

    // Of all engines, see there. Doorbells are ignored from stop() to reset().
    void stop();
    bool quiet() const;
    void reset();

  private:
    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override;
    void take_accesses();
    bool access(Payload& payload);

    unsigned rings_;
    std::vector<std::unique_ptr<Engine>> engines_;
    protocol::TimedQueue<Payload*> accesses_;  // to come
    protocol::Alarm wake_{[this] { take_accesses(); }};
};

}  // namespace trnsim::tlm::dma
