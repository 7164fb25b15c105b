// The DMA engines of a core, with one target for their registers.
//
// Registers are 32 bits: an access that is not one aligned word is answered with TLM_ADDRESS_ERROR_RESPONSE.
// Accesses act in the order of their times, for all registers and engines.
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
    // Makes the engines of `core`; their numbers follow those of the earlier cores.
    Dma(const sc_core::sc_module_name& name, unsigned engines, unsigned rings, const EngineTiming& timing,
        trace::Sink* sink, Engine::OnError on_error, perturb::Seed seed = {}, addresses::CoreId core = {});

    protocol::TargetPort registers;

    // Engines are counted within the core.
    unsigned engines() const { return static_cast<unsigned>(engines_.size()); }
    Engine& engine(unsigned number) { return *engines_[number]; }
    const Engine& engine(unsigned number) const { return *engines_[number]; }

    // True if no engine has work and no access is to come.
    bool idle() const;

    // Apply to all engines, see Engine. Doorbells are ignored from stop() to reset().
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
    protocol::TimedQueue<Payload*> accesses_;  // accesses to come
    protocol::Alarm wake_{[this] { take_accesses(); }};
};

}  // namespace trnsim::tlm::dma
