// The GpSimd engine (rtl/gpsimd/gpsimd_engine.sv): its cores, the dispatcher of their commands, their access
// to SBUF, and the bus's access to their memories.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/config/config.hpp"
#include "model/core/fast/element_front.hpp"
#include "model/core/fast/gpsimd_core.hpp"
#include "model/core/fast/gpsimd_dispatch.hpp"
#include "model/core/fast/gpsimd_slices.hpp"
#include "model/core/fast/gpsimd_window.hpp"
#include "model/core/gpsimd.hpp"

namespace trnsim::tlm::core_fast {

class GpsimdEngine {
  public:
    using Memory = std::array<std::uint32_t, MaxAxiWords>;  // a beat of the bus

    GpsimdEngine(const config::Core& core, Functional& functional);

    bool ready() const { return dispatch_.ready(); }
    bool done() const { return dispatch_.done(); }
    bool busy() const { return dispatch_.busy() || slices_.active(wanted()); }
    // Returns whether an edge is needed for the cores or for a beat of the bus.
    bool wakes(const GpsimdBeat& beat) const { return awake_ || beat.request != answered_; }
    const Verdict& fault() const { return dispatch_.fault(); }
    PortClaim claim() const { return slices_.claim(wanted()); }

    // The answer to a beat of the bus, and the data read.
    bool answered() const { return answered_; }
    const Memory& answer() const { return answer_; }

    // Makes an edge of the engine's clock.
    void edge(const InstructionBytes* accepted, const GpsimdBeat& beat, const PortGrant& grant);

    unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
    std::uint32_t pc(unsigned core) const { return cores_[core]->pc(); }
    isa::GpsimdState state(unsigned core) const {
        return dispatch_.state(core, cores_[core]->halted(), cores_[core]->waiting());
    }
    GpsimdCoreCounters counters(unsigned core) const { return cores_[core]->counters(); }

    // Returns whether no core has anything to do.
    bool rests() const { return !awake_; }
    // save() while it rests and is not busy; load() into an engine that has done nothing.
    void save(checkpoint::GpsimdState& state) const;
    void load(const checkpoint::GpsimdState& state);

    // Access the TCM of a core at an offset in it.
    std::span<const std::uint8_t> tcm(unsigned core) const { return cores_[core]->tcm(); }
    void write_tcm(unsigned core, std::uint32_t offset, std::span<const std::uint8_t> bytes) {
        cores_[core]->write_tcm(offset, bytes);
    }

  private:
    static constexpr unsigned BeatBytes = GpsimdDispatch::BeatBytes, WordBytes = 4;

    bool wanted() const { return ((reads_ | writes_) != 0); }
    struct Access {
        std::uint32_t requests = 0, granted = 0, answered = 0;  // one bit for each core
        bool write = false;
    };
    Access access(const GpsimdBeat& beat) const;
    void edge_access(const GpsimdBeat& beat, const Access& access, bool own);
    void write_own(std::uint32_t cores);
    void move_part(const GpsimdBeat& beat);
    std::uint32_t wrong(std::uint32_t answered) const;
    void sample();

    std::uint32_t bus_bytes_;
    std::vector<std::unique_ptr<GpsimdCore>> cores_;
    GpsimdDispatch dispatch_;
    GpsimdSlices slices_;

    // Beats of the bus (rtl/gpsimd/gpsimd_access.sv).
    unsigned parts_;  // parts of a beat of the bus
    bool answered_ = false, reading_ = false;
    unsigned part_ = 0;
    Memory answer_{};

    // States of the cores after an edge, one bit each.
    std::uint32_t halted_ = 0, waiting_ = 0, trapped_ = 0, reads_ = 0, writes_ = 0;
    bool awake_ = false;
};

}  // namespace trnsim::tlm::core_fast
