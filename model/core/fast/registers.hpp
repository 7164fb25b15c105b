// Control and status registers: programs and start of the engines, their state, counters, stochastic
// rounding, the first fault and the first NaN (rtl/control/control_registers.sv). Writes that request upsets
// are refused.
#pragma once

#include <array>
#include <cstdint>

#include "arch/checkpoint/core_state.hpp"
#include "model/core/counts.hpp"
#include "model/core/fast/control_types.hpp"
#include "model/core/fast/functional.hpp"
#include "model/core/fast/notification_queue.hpp"

namespace trnsim::tlm::core_fast {

// The GpSimd cores as registers show them: their state before the last edge of the bus clock.
struct GpsimdSeen {
    bool awake = false;
    unsigned cores = 0;
    std::array<std::uint32_t, MaxGpsimdCores> pc{};
    std::array<isa::GpsimdState, MaxGpsimdCores> state{};
};

class Registers {
  public:
    // The state of other blocks that a read shows.
    struct View {
        std::array<isa::SeqState, EngineCount> state{};
        std::array<std::uint32_t, EngineCount> pc{}, completed{};
        bool quiet = false;
        const EngineCounters* counters = nullptr;
        const MemoryCounts* memories = nullptr;
        const GpsimdSeen* gpsimd = nullptr;
        const NotificationQueue* notifications = nullptr;
    };
    struct Access {
        std::uint32_t data = 0;
        bool failed = false;
        std::uint32_t starts = 0;  // one bit for each engine
    };
    // Accesses an aligned word of the register space at `offset`. A write takes effect at the end of the
    // cycle.
    Access access(bool write, std::uint32_t offset, std::uint32_t data, const View& view) const;
    void write(std::uint32_t offset, std::uint32_t data, const Access& access, Functional& functional);

    const ProgramPlace& program(unsigned engine) const { return program_[engine]; }
    bool stopped() const { return fault_.code != isa::Error::None; }
    const CoreFault& fault() const { return fault_; }  // the first one
    void set_fault(const CoreFault& fault) { fault_ = fault; }
    bool stochastic() const { return stochastic_; }
    const NumericError& numeric() const { return numeric_; }
    void set_nan(unsigned engine, Origin origin);

    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

    // True for the cycle after the write: the counters are cleared, the engines get the seed.
    bool clears_counters() const { return clears_counters_; }
    bool seeds() const { return seeds_; }
    void end_pulses() { clears_counters_ = seeds_ = false; }

  private:
    struct EngineRow;
    struct CoreRow;
    struct Map;

    std::uint32_t status(const View& view) const;
    Access access_engine(bool write, std::uint32_t offset, std::uint32_t data, const View& view) const;
    static Access access_gpsimd(bool write, std::uint32_t address, const GpsimdSeen& gpsimd);

    std::array<ProgramPlace, EngineCount> program_{};
    std::uint32_t started_ = 0;  // one bit for each engine
    bool stochastic_ = false, clears_counters_ = false, seeds_ = false;
    std::uint32_t seed_ = 0, upset_address_ = 0;
    CoreFault fault_;
    NumericError numeric_;
};

}  // namespace trnsim::tlm::core_fast
