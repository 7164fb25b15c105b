// A GpSimd core: model/rv32 executes each instruction when it enters execute in program order, and the
// registers of the RTL that decide the time give the time (rtl/gpsimd/gpsimd_core.sv, gpsimd_execute.sv,
// gpsimd_registers.sv, gpsimd_lsu.sv, gpsimd_tcm.sv).
//
// Stored data is in memory from then on, some cycles before the RTL has it: every reader of a core's memories
// waits for the core.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "model/core/counts.hpp"
#include "model/core/fast/gpsimd_fetch.hpp"
#include "model/core/fast/gpsimd_units.hpp"
#include "model/core/fast/gpsimd_vector.hpp"
#include "model/rv32/hart.hpp"

namespace trnsim::tlm::core_fast {

class GpsimdCore {
  public:
    // `vlen` is in bits. The TCM holds zeros.
    GpsimdCore(std::uint32_t vlen, std::uint32_t number, const rv32::Slice& slice);

    // Pins that depend only on registers.
    bool halted() const { return !run_ && !valid_ && !working(); }
    bool waiting() const { return waiting_; }
    bool trapped() const { return trapped_; }
    std::uint32_t pc() const { return pc_; }
    bool window_granted() const { return !tcm_request_; }  // grant of a window access
    bool window_answers() const { return tcm_[2] == Access::Window; }
    bool reads_slice() const { return slice_read_; }
    bool writes_slice() const { return slice_write_; }
    bool awake() const { return ((run_ || valid_) && !waiting_) || working(); }

    struct In {
        bool run = false, irq = false;
        std::uint32_t boot = 0;
        bool window = false, window_write = false;  // an access of the window
        bool slice_ready = false, slice_answers = false;
    };
    bool needs_edge(const In& in) const { return awake() || in.run != run_ || in.irq != irq_ || in.window; }
    void edge(const In& in);

    std::span<const std::uint8_t> tcm() const { return hart_->tcm(); }
    // Writes bytes at an offset in the TCM.
    void write_tcm(std::uint32_t offset, std::span<const std::uint8_t> bytes);
    const GpsimdCoreCounters& counters() const { return counters_; }

    // Saves a core that is not awake.
    void save(checkpoint::GpsimdCoreState& state);
    // Loads a core that has not had an edge. Throws checkpoint::Error if the core does not wait at the
    // state's place.
    void load(const checkpoint::GpsimdCoreState& state);

  private:
    enum class Access : std::uint8_t { None, Data, Window, Fetch, Write };
    // The work of an edge, decided before anything changes.
    struct Step {
        bool retires = false, traps = false, units = false, vector = false;  // handed to units, vector
        bool load_ready = false, store_ready = false;
        bool load_arrives = false, taken = false, hazard = false;
        bool fetch_granted = false;
        GpsimdFetch::In fetch;
        std::uint64_t arrived = 0;  // one bit for each register with a result in this cycle
    };

    bool working() const {
        return !units_.idle() || !vector_.idle() || loads_ != 0 || vector_.result() || tcm_busy();
    }
    bool tcm_busy() const {
        return tcm_[0] != Access::None || tcm_[1] != Access::None || tcm_[2] != Access::None;
    }
    bool go() const { return valid_ && !trapped_; }
    bool done(const Step& step) const;
    GpsimdVector::Taken taken(const Step& step) const {
        return {.load = vector_.load().request().valid && step.load_ready,
                .store = vector_.store().request().valid && step.store_ready};
    }
    Step decide(const In& in) const;
    void count(const In& in, const Step& step);
    void settle();
    void enter();
    void execute();
    void execute_counter();
    void tell_edges();
    void prepare_vector();
    void leave_wait();
    bool overtakes() const;
    GpsimdClass cause(const Step& step) const;
    const GpsimdDecoded& decoded_at(std::uint32_t address);  // address in the TCM

    std::unique_ptr<rv32::Hart> hart_;
    std::uint32_t register_bytes_;
    std::vector<GpsimdDecoded> code_;  // by word of the TCM, as last looked at
    GpsimdCoreCounters counters_;

    bool run_ = false, irq_ = false;
    GpsimdFetch fetch_;
    GpsimdDecoded decoded_;  // the instruction of fetch_
    std::uint64_t pending_ = 0;
    GpsimdUnits units_;
    GpsimdVector vector_;

    // Execute.
    bool valid_ = false;
    std::uint32_t pc_ = 0, target_ = 0;
    GpsimdDecoded now_;
    bool taken_ = false;         // by a branch or jump
    bool traps_ = false;         // traps at once
    bool traps_at_end_ = false;  // a vector load or store that has begun
    bool interrupted_ = false;   // the simulator enters the handler with the next instruction
    bool counter_left_ = false;  // reads or writes mcycle, not yet done in the simulator
    bool streams_ = false;       // a vector load or store that runs beside others
    bool started_ = false;       // the vector unit has taken this load or store, which is no stream
    GpsimdRequest scalar_request_;

    // The loads under way: the scalar register that gets the data, and the vector register that is then
    // complete.
    struct Load {
        std::uint8_t dest = 0, closed = GpsimdVector::NoRegister;
    };
    std::array<Load, figure(Figure::GpsimdLoads)> load_{};
    unsigned head_ = 0, loads_ = 0;
    bool loads_slice_ = false;
    std::array<Access, 3> tcm_{};

    std::uint64_t edges_ = 0;                          // mcycle, without values written to it
    std::uint64_t told_edges_ = 0, told_retired_ = 0;  // values at the simulator's last update

    // State of the current cycle.
    bool sleeps_ = false;  // nothing ends wfi
    bool waiting_ = false, trapped_ = false;
    bool overtakes_ = false;  // the load or store in execute waits for those of the vector unit
    GpsimdRequest load_request_, store_request_;
    bool queue_ready_ = false, tcm_store_ = false, tcm_request_ = false, slice_read_ = false,
         slice_write_ = false;
};

}  // namespace trnsim::tlm::core_fast
