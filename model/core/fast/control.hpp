// The parts of the fast core on the bus clock: fetch, sequencers, semaphores, registers and the ports of the
// core window (rtl/core/core_control.sv, rtl/control/control.sv).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "model/core/core_model.hpp"
#include "model/core/fast/bus_writer.hpp"
#include "model/core/fast/gpsimd_engine.hpp"
#include "model/core/fast/notification_queue.hpp"
#include "model/core/fast/own_access.hpp"
#include "model/core/fast/prefetch_buffer.hpp"
#include "model/core/fast/registers.hpp"
#include "model/core/fast/semaphores.hpp"
#include "model/core/fast/sequencer.hpp"
#include "model/core/fast/slice_arbiter.hpp"
#include "model/core/fast/table_loader.hpp"
#include "model/core/fast/window_port.hpp"
#include "model/core/fast/write_port.hpp"

namespace trnsim::tlm::core_fast {

struct Probes;

class Control {
  public:
    Control(const config::Core& core, Functional& functional);

    // The state of the engines at the beginning of a cycle.
    struct Engines {
        std::array<bool, EngineCount> taken{}, done{},
            busy{};                  // offered instruction taken; oldest one done; engine at work
        bool tables_failed = false;  // a load of activation tables has failed, and does not complete
        TableLoad tables;
        const EngineCounters* counters = nullptr;  // before the last edge of the bus clock
        MemoryCounts* memories = nullptr;          // waits of the bus are counted here
        // GpSimd: the answer to the beat of gpsimd_window() with the data read, a fault, and its cores.
        bool tcm_done = false;
        const GpsimdEngine::Memory* tcm_data = nullptr;
        Verdict gpsimd_fault;
        const GpsimdSeen* gpsimd = nullptr;
    };
    // Take what an instruction of an engine has found: a NaN that it has written, or a fault of the memories.
    void found_nan(unsigned engine, Origin origin);
    void found_fault(unsigned engine, Origin origin, const Verdict& fault);

    // Returns whether an edge of the bus clock would change anything.
    bool active(const CoreIn& pins, const Engines& engines) const {
        return active(pins, engines, decide(engines));
    }
    // Makes an edge. Returns whether it has changed anything.
    bool edge(const CoreIn& pins, const Engines& engines);
    // Drives the pins as they are after an edge, except those of engines at work.
    void drive(CoreOut& out, const Engines& engines) const;
    // Drives only the pins of the ports, which follow the engines' answers.
    void drive_ports(CoreOut& out, const Engines& engines) const;

    const Sequencer& sequencer(unsigned engine) const { return sequencers_[engine]; }
    const Registers& registers() const { return registers_; }
    const GpsimdWindow& gpsimd_window() const { return gpsimd_window_; }
    TableAnswer tables() const { return loader_.answer(); }
    // Fills the probes for waveforms, except what only the core as a whole knows. bus_tick: the next cycle
    // begins with an edge of the bus clock.
    void probe(const Engines& engines, bool bus_tick, Probes& probes) const;

    // Returns whether all sequencers stand and have nothing under way; the caller checks the engines.
    bool stands() const;
    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

  private:
    using Instructions = BusWriter::Instructions;
    struct Fetch {
        std::uint32_t granted = 0;  // bit of an engine; 0: no burst moves to the address channel
        std::array<PrefetchBuffer::Burst, EngineCount> burst;
    };
    struct Beats {
        std::uint32_t writes = 0, reads = 0;  // granted, one bit for each port
    };
    struct System {
        bool valid = false;
        unsigned port = 0;
        SystemAccess access;
    };
    // The decisions of a cycle in which several blocks take part.
    struct Cycle {
        Semaphores::Requests requests;
        Semaphores::Served served;
        System system;
        bool system_taken = false;
        std::array<Sequencer::In, EngineCount> in;
        std::array<Sequencer::Step, EngineCount> step;
    };

    Fetch decide_fetch(const AxiManagerIn& in) const;
    Instructions bus_instructions() const;
    std::uint32_t writers() const;  // requesters of WritePort
    std::uint32_t new_nans() const;
    NotificationQueue::Events events(const Cycle& cycle, std::uint32_t new_nans) const;
    OwnAccess::Instructions window_instructions() const;
    System system_access() const;
    SemaphoreUpdate update_of(const System& system) const;
    Cycle decide(const Engines& engines) const;
    bool active(const CoreIn& pins, const Engines& engines, const Cycle& cycle) const;
    Registers::View view(const Engines& engines) const;
    std::uint32_t write_grants(const Engines& engines) const;
    void edge_tcm(std::uint32_t wanted, const Engines& engines);
    bool ports_busy() const;

    void edge_sequencers(const CoreIn& pins, const Cycle& cycle, std::uint32_t starts);
    void edge_window(const CoreIn& pins, const AxiSubordinateIn& own_pins, std::uint32_t writes,
                     const Cycle& cycle, const Engines& engines);
    std::uint32_t edge_system(const Cycle& cycle, const Engines& engines);
    void edge_faults(const Cycle& cycle, std::uint32_t new_nans, const std::optional<CoreFault>& overflow);
    void edge_writes(const Instructions& bus, const CoreIn& pins, const NotificationQueue::Events& events);
    bool is_tcm(std::optional<std::uint32_t> address) const {
        return address && map_.region(*address) == WindowRegion::Tcm;
    }
    void read_beat(WindowPort& port, std::uint32_t address);
    void write_beat(const WindowPort& port, std::uint32_t address);
    std::uint32_t slice_of(std::optional<std::uint32_t> address) const;

    Functional& functional_;
    WindowMap map_;
    std::uint32_t beat_bytes_;
    std::vector<PrefetchBuffer> buffers_;
    std::vector<Sequencer> sequencers_;
    Semaphores semaphores_;
    Registers registers_;
    BusWriter bus_writer_;
    NotificationQueue notifications_;
    WritePort write_port_;
    OwnAccess own_;
    TableLoader loader_;
    std::array<std::uint32_t, 256> events_{};

    // Address channel of fetches
    RoundRobin fetch_arbiter_;
    bool ar_valid_ = false;
    std::uint8_t ar_id_ = 0, ar_length_ = 0;
    std::uint64_t ar_place_ = 0;  // in instructions

    // Ports of the window, the sequencers' own last
    std::vector<WindowPort> ports_;
    SliceArbiter write_arbiter_, read_arbiter_;
    GpsimdWindow gpsimd_window_;
    unsigned system_turn_ = 0;
    SystemAnswer answer_, last_answer_;  // answer to the last access taken; the same before the edge

    // The stalls of the previous cycle
    HoldIn hold_{};

    std::uint32_t issued_ = 0, completed_ = 0;  // pulses, one bit for each engine
    std::array<std::uint32_t, EngineCount> issue_pc_{};
    std::uint32_t nan_ = 0, nan_known_ = 0;  // one bit for each engine
    std::array<Origin, EngineCount> nan_origin_;
    CoreFault memory_fault_;                                       // the first one
    CoreFault system_fault_;                                       // found in the current cycle
    std::optional<NotificationQueue::Write> notification_access_;  // made in the current cycle
    bool fault_new_ = false;
};

}  // namespace trnsim::tlm::core_fast
