// The architectural state of a quiescent core: no operation is in flight, and every engine waits before an
// instruction, has halted or was never started. This state and the state outside the core determine
// everything that a program can see of the core from then on. Both models of a core (model/core/rtl,
// model/core/fast) give it and take it; neither keeps anything of its own here.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "isa/isa_tables.hpp"

namespace trnsim::checkpoint {

// The reason for which a state cannot be saved or loaded, one line.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr std::size_t Engines = 5;
inline constexpr std::size_t Tiles = std::size_t{isa::array::RowGroups} * isa::array::ColumnGroups;

enum class Run : std::uint8_t { Idle, Running, Halted };

struct SequencerState {
    Run run = Run::Idle;
    std::uint32_t pc = 0;         // pc of the next instruction; Halted: of the halt
    std::uint32_t completed = 0;  // number of completed instructions
    std::array<std::uint32_t, 16> registers{};
    std::uint64_t program = 0;  // place of its first instruction, in instructions
    std::uint32_t length = 0;   // instructions, 0: not known
};

// The stationary operand of the next matmul of a tile, row after row. Words are fp32. For elements of four
// bytes `high` has the upper 12 bits of the significand and `low_parts` the others if there are low parts;
// for narrower elements `high` has all bits.
struct StationaryState {
    bool valid = false;
    bool wide = false;  // elements of four bytes
    bool low = false;   // has low parts
    std::uint32_t rows = 0, columns = 0;
    std::vector<std::uint32_t> high, low_parts;
};

// State of random number generators: the five words and the counter of XORWOW, word by word for all lanes.
using GeneratorState = std::array<std::vector<std::uint32_t>, 6>;

// An engine with lanes: its accumulators and the generators of its stochastic rounding.
struct LaneEngineState {
    // fp32 as the core keeps it: the RTL may keep bits of subnormals and of NaN that read as other bits.
    std::vector<std::uint32_t> accumulators;
    GeneratorState rounding;
};

// Tables of activation functions. A row is an expansion point, its coefficients and a segment.
struct TableState {
    isa::ActivationSet set = isa::ActivationSet::None;
    std::vector<std::uint32_t> rows;       // bank after bank, the segments last
    std::vector<std::uint32_t> exponents;  // the parts of (e - 127) ln 2
};

// The first instruction that wrote a NaN, and the engines that have written one, a bit each.
struct NumericState {
    std::uint8_t engines = 0, engine = 0, opcode = 0;
    std::uint32_t pc = 0;
};

// The CSRs of a GpSimd core that keep written values, its counters, vl and vtype, by their numbers in
// instructions.
inline constexpr std::array<std::uint32_t, 18> GpsimdCsrs{0x001, 0x002, 0x008, 0x009, 0x00a, 0x300,
                                                          0x304, 0x305, 0x340, 0x341, 0x342, 0x343,
                                                          0xb00, 0xb02, 0xb80, 0xb82, 0xc20, 0xc21};

// A GpSimd core that waits for an interrupt or does not run.
struct GpsimdCoreState {
    bool runs = false;
    std::uint32_t pc = 0;                                 // the wfi in which it waits, if it runs
    std::array<std::uint32_t, 64> scalars{};              // x0 to x31, f0 to f31
    std::vector<std::uint8_t> vectors;                    // v0 to v31
    std::array<std::uint32_t, GpsimdCsrs.size()> csrs{};  // in the order of GpsimdCsrs
    std::vector<std::uint8_t> memory;                     // tightly coupled memory
};

// A core that is told to run reaches its wfi within this number of edges; otherwise the state is not that of
// a waiting core.
inline constexpr unsigned GpsimdStartEdges = 64;
inline constexpr auto GpsimdDoesNotWait =
    "a running GpSimd core of the checkpoint is not at a wfi, expected one that waits";

struct GpsimdState {
    std::uint32_t request = 0;  // number of the last command
    std::uint32_t trapped = 0;  // cores that have trapped since they last completed a command, a bit each
    std::vector<GpsimdCoreState> cores;
};

struct CoreState {
    std::array<SequencerState, Engines> sequencers;
    std::uint32_t started = 0;  // started engines, a bit each
    std::array<std::uint32_t, 256> semaphores{}, events{};
    bool stochastic = false;  // register sr_control
    std::uint32_t seed = 0;   // register sr_seed
    NumericState numeric;

    // `sbuf` and `psum`: bytes, partition after partition. `sums`: a byte for each word of PSUM, 1 where a
    // matmul wrote it last. `sbuf_written` and `psum_written`: a byte for each word that says whether
    // anything has written it; empty: not known.
    std::vector<std::uint8_t> sbuf, psum, sums, sbuf_written, psum_written;

    bool row_tile = false, column_tile = false;  // the tiling with which stationary operands were loaded
    std::array<StationaryState, Tiles> stationaries;

    LaneEngineState vector, scalar;
    GeneratorState random;                        // state for rng and dropout
    std::array<std::uint8_t, 32> shuffle_mask{};  // as many entries as a quadrant has partitions
    TableState tables;
    GpsimdState gpsimd;
};

}  // namespace trnsim::checkpoint
