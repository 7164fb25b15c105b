// A NeuronCore that keeps the time of the RTL without computing its signals: it has the registers that decide
// when something happens, and nothing of the data path. Values come from the functional core. It has the pins
// of a cycle-level core (model/core/core_model.hpp), so the system cannot tell the two apart.
//
// Included: the engines with everything that they have in the core. Not included, and refused by name: upsets
// of memory. Waves have the signals of probe.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "arch/config/config.hpp"
#include "model/core/core_model.hpp"
#include "model/core/fast/control.hpp"
#include "model/core/fast/engine_slot.hpp"
#include "model/core/fast/functional.hpp"
#include "model/core/fast/gpsimd_engine.hpp"
#include "model/core/fast/scalar_engine.hpp"
#include "model/core/fast/shared_port.hpp"
#include "model/core/fast/tensor_command.hpp"
#include "model/core/fast/tensor_engine.hpp"
#include "model/core/fast/vector_engine.hpp"
#include "model/core/fast/wave.hpp"

namespace trnsim::tlm::core_fast {

class FastModel final : public CoreModel {
  public:
    FastModel(const config::Core& core, std::unique_ptr<Functional> functional);

    MemoryCounts memory_counts() const override { return state_->memories; }
    EngineCounters engine_counters() const override { return state_->counters; }
    GpsimdCounters gpsimd_counters() const override;
    NumericError numeric_error() const override { return state_->control.registers().numeric(); }

    void step() override;

    bool quiescent() const override;
    checkpoint::CoreState save() const override;
    void load(const checkpoint::CoreState& state) override;

    void open_wave(const std::string& path, std::span<const std::string> scopes) override;
    void dump_wave(std::uint64_t time_ps) override;
    std::string close_wave() override;

    bool debug_read(std::uint32_t offset, std::span<std::uint8_t> data) override;
    bool debug_write(std::uint32_t offset, std::span<const std::uint8_t> data) override;

  private:
    // The state that a reset sets back.
    struct State {
        State(const config::Core& core, const Geometry& geometry, Functional& functional);

        Control control;
        TensorEngine tensor;
        TensorDecoder decoder;
        VectorEngine vector;
        ScalarEngine scalar;
        GpsimdEngine gpsimd;
        GpsimdSeen gpsimd_seen;
        SharedPort sbuf_port, psum_port;  // Vector's with GpSimd; with Scalar
        Ports<PortClaim> vector_claims, scalar_claims;
        EngineCounters counters, seen;  // seen: before the last edge of the bus clock
        MemoryCounts memories;
    };

    void reset();
    void start_again();
    bool awake(unsigned engine) const;
    bool busy(unsigned engine) const;
    bool inputs_wait() const;
    Control::Engines engines() const;
    void edge_engine(unsigned engine, bool offered, const Ports<PortGrant>& vector,
                     const Ports<PortGrant>& scalar);
    void make_up(unsigned engine);
    void edge_tensor(bool offered);
    void edge_vector(bool offered, const Ports<PortGrant>& grant);
    void edge_scalar(bool offered, const Ports<PortGrant>& grant);
    void edge_gpsimd(bool offered, const PortGrant& grant);
    GpsimdSeen see_gpsimd() const;
    const InstructionBytes* accept(unsigned engine, bool accepted);
    void complete(unsigned engine);
    void sample(bool passing);
    Probes probes() const;

    config::Core core_;
    Geometry geometry_;
    std::unique_ptr<Functional> functional_;
    ClockDivider bus_;
    std::array<EngineSlot, 4> slots_;  // Tensor, Vector, Scalar, GpSimd; clocks run during a reset
    bool control_active_ = true;       // the last edge of the bus clock has changed something
    bool idle_known_ = false;          // out.idle is up to date
    bool fresh_ = false;               // in a reset: nothing has happened since it began
    std::unique_ptr<State> state_;
    std::optional<Wave> wave_;
    std::uint32_t fired_ = 0;  // slots_ with an edge of their clock in this step, one bit each
};

}  // namespace trnsim::tlm::core_fast
