// The pins of a NeuronCore at cycle level: the SystemC wrapper (pin_core.hpp) uses only these, both for the
// verilated core (model/core/rtl) and for the fast one (model/core/fast).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arch/checkpoint/core_state.hpp"
#include "model/core/counts.hpp"
#include "model/core/gpsimd.hpp"
#include "model/core/gpsimd_debug.hpp"
#include "model/core/info.hpp"

namespace trnsim::tlm {

constexpr int MaxAxiPorts = 8;   // subordinate ports
constexpr int MaxAxiWords = 32;  // 32-bit words of one data beat: 1024 bits, AXI4's widest
constexpr int FetchWords = 16;   // manager-port beat: one 64-byte instruction
constexpr int TableWords = 128;  // table-port beat
constexpr int ManagerWords = 4;  // words of the largest write
constexpr std::uint32_t MaxBurstBeats = 256;

// Instance names of the probes of rtl/core, and "core" for everything else.
constexpr auto WaveScopes = std::to_array<std::string_view>(
    {"core", "tensor", "vector", "scalar", "rounding", "gpsimd", "sync", "memory"});
constexpr std::string_view WholeCore = "all";
constexpr std::string_view GpsimdWaves = "gpsimd";  // scope that includes the GpSimd cores

// Throws std::runtime_error, which lists the names, if one of `scopes` is no wave scope.
inline void check_wave_scopes(std::span<const std::string> scopes) {
    for (const std::string& scope : scopes) {
        if (scope == WholeCore || std::ranges::find(WaveScopes, scope) != WaveScopes.end()) continue;
        std::string known;
        for (const std::string_view name : WaveScopes) known.append(name).append(", ");
        throw std::runtime_error("unknown wave scope '" + scope + "'; there are " + known.append(WholeCore));
    }
}

// Subordinate port, driven by the wrapper. AXI4 subset: INCR bursts of full-width beats, write strobes, one
// ID. A port works on one write burst and one read burst at a time. Addresses are offsets into the 64 MiB
// core window.
struct AxiSubordinateIn {
    bool aw_valid, w_valid, w_last, b_ready, ar_valid, r_ready;
    std::uint8_t aw_len, ar_len;     // beats minus 1
    std::uint32_t aw_addr, ar_addr;  // first byte, 26 bits; later beats are aligned
    std::array<std::uint32_t, MaxAxiWords> w_data;
    std::array<std::uint32_t, MaxAxiWords / 8> w_strobe;  // one bit for each byte
};
struct AxiSubordinateOut {
    bool aw_ready, w_ready, b_valid, ar_ready, r_valid, r_last;
    std::uint8_t b_resp, r_resp;  // 0 OKAY, 2 SLVERR
    std::array<std::uint32_t, MaxAxiWords> r_data;
};

// Manager port, driven by the core: instruction fetch (reads, 64-byte beats, id = engine) and
// posted-with-response writes of one beat: 32 bits (`write`, `dma_trigger`; id = engine) or 128 (notification
// queue, an id of its own). Addresses are 64-bit system addresses.
struct AxiManagerOut {
    bool ar_valid, r_ready, aw_valid, w_valid, b_ready;
    std::uint8_t ar_id, ar_len, aw_id;  // len: beats - 1, at most 7
    std::uint8_t aw_size;               // 2 or 4: log2 of the bytes of the beat
    std::uint64_t ar_addr, aw_addr;
    std::array<std::uint32_t, ManagerWords> w_data;  // a narrow word is at the beginning
};
struct AxiManagerIn {
    bool ar_ready, r_valid, r_last, aw_ready, w_ready, b_valid;
    std::uint8_t r_id, r_resp, b_id, b_resp;
    std::array<std::uint32_t, FetchWords> r_data;
};

// Read-only manager port for tables of activation functions: bursts of 512-byte beats, answered in order.
struct AxiTableOut {
    bool ar_valid, r_ready;
    std::uint8_t ar_len;  // beats - 1, at most 7
    std::uint64_t ar_addr;
};
struct AxiTableIn {
    bool ar_ready, r_valid;
    std::uint8_t r_resp;
    std::array<std::uint32_t, TableWords> r_data;
};

// The activity of an engine in this cycle; levels unless a pulse is named.
struct EngineOut {
    std::uint8_t state;      // isa::SeqState of the sequencer
    bool busy;               // the engine's data path works on an instruction
    bool issued;             // pulse: an instruction left the sequencer for the engine
    bool completed;          // pulse: the oldest issued instruction completed
    std::uint32_t issue_pc;  // its instruction index, valid with issued
};

// Holds back what the core could do, one bit for each item; only for verification, 0 otherwise.
struct HoldIn {
    std::uint8_t issue, done;  // by engine: issue of instructions, their completion
    std::uint8_t arbiter;      // arbiters of the bus clock, which grant nothing
    std::uint8_t port;         // memory ports that engines share, and the bus's; they grant nothing
};
constexpr int HeldArbiters = 2, HeldPorts = 4;

struct CoreIn {
    bool reset_n;
    std::uint64_t timestamp;  // core cycle, including cycles left out; for the notification queue
    HoldIn hold;
    std::array<AxiSubordinateIn, MaxAxiPorts> port;
    AxiManagerIn manager;
    AxiTableIn table;
};

struct CoreOut {
    // True if the next step() has an edge of the bus clock, on which the core samples bus handshakes.
    bool bus_tick;
    // Nothing can happen until an input changes, so the clock may stop.
    bool idle;
    bool error;  // sticky; details are in the error registers
    std::array<AxiSubordinateOut, MaxAxiPorts> port;
    AxiManagerOut manager;
    AxiTableOut table;
    std::array<EngineOut, Engines> engine;
};

class CoreModel {
  public:
    virtual ~CoreModel() = default;
    virtual CoreInfo info() const { return {}; }

    CoreIn in{};
    CoreOut out{};

    virtual MemoryCounts memory_counts() const { return {}; }
    virtual EngineCounters engine_counters() const { return {}; }
    virtual NumericError numeric_error() const { return {}; }
    virtual GpsimdCounters gpsimd_counters() const { return {}; }
    // Sets the observer of the GpSimd cores; null: none.
    virtual void observe_gpsimd(GpsimdObserver*) {}
    // Gives the GpSimd cores to the debugger, which must outlive the model, from the next cycle on.
    virtual void debug_gpsimd(GpsimdDebugger&) {}

    // Applies `in`, runs one Tensor-clock cycle (2.8 GHz in configs/trn1.yaml), refreshes `out`.
    virtual void step() = 0;

    // Returns true if nothing is under way in the core: each sequencer is at an instruction, has halted or
    // was never started. The caller checks the ports.
    virtual bool quiescent() const { return false; }
    // Saves a quiescent core. Throws checkpoint::Error for anything that a state cannot hold.
    virtual checkpoint::CoreState save() const { throw checkpoint::Error("this core has no state to save"); }
    // Puts a core that has been reset into the saved state; the clocks stay where they are.
    virtual void load(const checkpoint::CoreState&) {
        throw checkpoint::Error("this core has no state to load");
    }

    // Waveforms: dump every following cycle to an FST file. Scopes are names of WaveScopes; none means all of
    // them but WholeCore. Time stamps are in picoseconds. Throws std::runtime_error for another name and when
    // the file cannot be made.
    virtual void open_wave(const std::string& path, std::span<const std::string> scopes) = 0;
    // Writes the state of the current cycle; call after step(). Does nothing without an open file.
    virtual void dump_wave(std::uint64_t time_ps) = 0;
    // Returns why the file is not complete; empty: it is.
    virtual std::string close_wave() = 0;

    // Back door into SBUF, PSUM and the memories of GpSimd cores for debug transport: no time passes. Returns
    // false outside memory.
    virtual bool debug_read(std::uint32_t offset, std::span<std::uint8_t> data) = 0;
    virtual bool debug_write(std::uint32_t offset, std::span<const std::uint8_t> data) = 0;
};

}  // namespace trnsim::tlm
