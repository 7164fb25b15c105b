#include "model/core/rtl/verilated_state.hpp"

#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "Vneuron_core___024root.h"
#include "cfg_parameters.hpp"
#include "model/core/rtl/operand_code.hpp"
#include "model/core/rtl/packed_words.hpp"
#include "model/core/rtl/verilated_bits.hpp"

// A function of Verilator in the model.
// NOLINTNEXTLINE(readability-identifier-naming)
void Vneuron_core___024root___eval_settle(Vneuron_core___024root* root);

// The names of registers in Verilator's form.
#define CONTROL(name) neuron_core__DOT__u_core_control__DOT__u_control__DOT__##name
#define SEQUENCER(e, name) CONTROL(gen_engine__BRA__##e##__KET____DOT__u_sequencer__DOT__##name)
#define PREFETCH(e, name) \
    CONTROL(u_fetch_unit__DOT__gen_engine__BRA__##e##__KET____DOT__u_prefetch_buffer__DOT__##name)
#define TENSOR(name) \
    neuron_core__DOT__u_engines__DOT__g_slot__BRA__0__KET____DOT__g_tensor__DOT__u_tensor__DOT__##name
#define VECTOR(name) \
    neuron_core__DOT__u_engines__DOT__g_slot__BRA__1__KET____DOT__g_vector__DOT__u_vector__DOT__##name
#define SCALAR(name) \
    neuron_core__DOT__u_engines__DOT__g_slot__BRA__2__KET____DOT__g_scalar__DOT__u_scalar__DOT__##name
#define GPSIMD(name) \
    neuron_core__DOT__u_engines__DOT__g_slot__BRA__3__KET____DOT__g_gpsimd__DOT__u_gpsimd__DOT__##name
#define GPSIMD_CORES(name) GPSIMD(u_cores__DOT__##name##_q)
#define MEMORIES(name) neuron_core__DOT__u_memories__DOT__##name
#define UPPER(b) TENSOR(u_array__DOT__u_upper__DOT__g_block__BRA__##b##__KET____DOT__u_block__DOT__weight_q)
#define GENERATORS(root, engine, unit)                                                               \
    std::array {                                                                                     \
        &(root).engine(unit##x_q)[0], &(root).engine(unit##y_q)[0], &(root).engine(unit##z_q)[0],    \
            &(root).engine(unit##w_q)[0], &(root).engine(unit##v_q)[0], &(root).engine(unit##d_q)[0] \
    }

namespace trnsim::tlm {
namespace {

using checkpoint::CoreState;
using checkpoint::Run;
using namespace verilated;
using Root = Vneuron_core___024root;

constexpr unsigned Engines = checkpoint::Engines, Tiles = checkpoint::Tiles;
constexpr unsigned Parts = 2, PartHigh = 0, PartLow = 1;  // tensor_pkg.sv
constexpr unsigned Blocks = cfg::Rows % 8 == 0 ? 8 : 4, BlockRows = cfg::Rows / Blocks,
                   UpperBlocks = Blocks / 4;
constexpr unsigned GroupRows = cfg::Rows / isa::array::RowGroups,
                   GroupColumns = cfg::Cols / isa::array::ColumnGroups;
constexpr unsigned Quadrant = cfg::Lanes / 4;

// sequencer.sv
enum Sequencer : unsigned { StIdle = 0, StFetch = 1, StWait = 3, StHalted = 8 };

// The registers of a sequencer and of its prefetch buffer.
template <bool Const>
struct EngineRegisters {
    template <typename T>
    using Ref = std::conditional_t<Const, const T, T>&;
    Ref<CData> state, failed, held, in_flight, running;
    Ref<IData> pc, completed;
    Ref<VlWide<16>> registers;
    Ref<QData> base, address;
};
template <typename R>
auto engine_registers(R& root) {
    using Registers = EngineRegisters<std::is_const_v<R>>;
#define OF_ENGINE(e)                                                                                    \
    Registers {                                                                                         \
        root.SEQUENCER(e, state_q), root.SEQUENCER(e, failed_q),                                        \
            root.SEQUENCER(e, u_completion_queue__DOT__held_q), root.PREFETCH(e, in_flight_q),          \
            root.PREFETCH(e, running_q), root.SEQUENCER(e, pc_q), root.SEQUENCER(e, completed_count_q), \
            root.SEQUENCER(e, u_scalar_registers__DOT__register_q), root.PREFETCH(e, base_q),           \
            root.PREFETCH(e, addr_q)                                                                    \
    }
    return std::array<Registers, Engines>{OF_ENGINE(0), OF_ENGINE(1), OF_ENGINE(2), OF_ENGINE(3),
                                          OF_ENGINE(4)};
#undef OF_ENGINE
}

// program_t of an engine in program_o
constexpr unsigned BaseBits = 58, LengthBits = 32, ProgramBits = BaseBits + LengthBits;

// loaded_t of a tile in tensor_decode.sv
constexpr unsigned ColumnsAt = 0, LastAt = 32, LowAt = 64, ClassAt = 65, ValidAt = 66, LoadedBits = 67;

// Returns the words of the columns of a row of the array. Blocks that a small array lacks are in no model.
template <typename R>
std::uint32_t* weights_of(R& root, LowerRows& lower, unsigned bank, unsigned part, unsigned row) {
    const unsigned block = row / BlockRows, index = (bank * Parts + part) * BlockRows + row % BlockRows;
    if (block == 0) return &root.UPPER(0)[index][0];
    if constexpr (UpperBlocks > 1) {
        if (block == 1) return &root.UPPER(1)[index][0];
    }
    return lower.weights(block - UpperBlocks, index);
}

// The place of a tile in the array.
struct TilePlace {
    unsigned first_row, first_column;
};
TilePlace place_of(unsigned tile, bool row_tile, bool column_tile) {
    return {row_tile ? tile % isa::array::RowGroups * GroupRows : 0,
            column_tile ? tile / isa::array::RowGroups * GroupColumns : 0};
}

template <typename R>
void save_array(R& root, LowerRows& lower, CoreState& state) {
    state.row_tile = root.TENSOR(u_decode__DOT__row_tile_q) != 0;
    state.column_tile = root.TENSOR(u_decode__DOT__column_tile_q) != 0;
    const auto& loaded = root.TENSOR(u_decode__DOT__loaded_q);
    for (unsigned t = 0; t < Tiles; ++t) {
        const auto field = [&](unsigned at, unsigned count) {
            return static_cast<std::uint32_t>(bits_of(loaded, t * LoadedBits + at, count));
        };
        if (field(ValidAt, 1) == 0) continue;
        const TilePlace place = place_of(t, state.row_tile, state.column_tile);
        checkpoint::StationaryState& tile = state.stationaries[t];
        tile.valid = true;
        tile.wide = field(ClassAt, 1) != 0;
        tile.low = field(LowAt, 1) != 0;
        tile.rows = field(LastAt, WordBits) - place.first_row + 1;
        tile.columns = field(ColumnsAt, WordBits);
        const unsigned bank = (root.TENSOR(bank_q) ^ root.TENSOR(loaded_q)) >> t & 1;
        const auto words = [&](unsigned part) {
            std::vector<std::uint32_t> words;
            words.reserve(std::size_t{tile.rows} * tile.columns);
            for (unsigned row = 0; row < tile.rows; ++row) {
                const std::uint32_t* from = weights_of(root, lower, bank, part, place.first_row + row);
                for (unsigned column = 0; column < tile.columns; ++column)
                    words.push_back(operand::decode(from[place.first_column + column]));
            }
            return words;
        };
        tile.high = words(PartHigh);
        if (tile.low) tile.low_parts = words(PartLow);
    }
}

void load_array(const CoreState& state, Root& root, LowerRows& lower) {
    root.TENSOR(u_decode__DOT__row_tile_q) = root.TENSOR(row_tile_q) = state.row_tile;
    root.TENSOR(u_decode__DOT__column_tile_q) = root.TENSOR(column_tile_q) = state.column_tile;
    auto& loaded = root.TENSOR(u_decode__DOT__loaded_q);
    for (unsigned t = 0; t < Tiles; ++t) {
        const checkpoint::StationaryState& tile = state.stationaries[t];
        if (!tile.valid) continue;
        const TilePlace place = place_of(t, state.row_tile, state.column_tile);
        const auto set = [&](unsigned at, unsigned count, std::uint32_t value) {
            set_bits(loaded, t * LoadedBits + at, count, value);
        };
        set(ValidAt, 1, 1);
        set(ClassAt, 1, tile.wide ? 1 : 0);
        set(LowAt, 1, tile.low ? 1 : 0);
        set(LastAt, WordBits, place.first_row + tile.rows - 1);
        set(ColumnsAt, WordBits, tile.columns);
        // After a reset bank 0 is in use.
        for (unsigned row = 0; row < tile.rows; ++row) {
            std::uint32_t* high = weights_of(root, lower, 0, PartHigh, place.first_row + row);
            std::uint32_t* low = weights_of(root, lower, 0, PartLow, place.first_row + row);
            for (unsigned column = 0; column < tile.columns; ++column) {
                const std::size_t i = std::size_t{row} * tile.columns + column;
                high[place.first_column + column] = operand::encode(tile.high[i], false);
                if (tile.low) low[place.first_column + column] = operand::encode(tile.low_parts[i], true);
            }
        }
    }
}

template <typename List>
bool is_empty(const List& list) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&list);
    return std::all_of(bytes, bytes + sizeof list, [](std::uint8_t byte) { return byte == 0; });
}

// Without error correction there are no lists of changed words.
template <typename R>
bool has_upsets(const R& root) {
    if constexpr (requires { root.MEMORIES(g_ecc__DOT__u_sbuf_upsets__DOT__list_q); })
        return !is_empty(root.MEMORIES(g_ecc__DOT__u_sbuf_upsets__DOT__list_q)) ||
               !is_empty(root.MEMORIES(g_ecc__DOT__u_psum_upsets__DOT__list_q));
    else
        return false;
}

// Loads the GpSimd engine and its view of its cores: each of them waits or does not run.
void load_gpsimd(const checkpoint::GpsimdState& state, Root& root) {
    std::uint32_t runs = 0;
    for (unsigned k = 0; k < state.cores.size(); ++k) {
        runs |= std::uint32_t{state.cores[k].runs} << k;
        set_word(root.GPSIMD_CORES(pc), k, state.cores[k].pc);
    }
    root.GPSIMD(run) = static_cast<CData>(runs);
    root.GPSIMD(u_dispatch__DOT__request_q) = state.request;
    root.GPSIMD(u_dispatch__DOT__trapped_q) = static_cast<CData>(state.trapped);
    root.GPSIMD_CORES(waiting) = static_cast<CData>(runs);
    root.GPSIMD_CORES(halted) = static_cast<CData>(~runs & ((1U << state.cores.size()) - 1));
    root.neuron_core__DOT__u_core_control__DOT__gpsimd_awake_q = 1;  // the control block looks at them
}

}  // namespace

bool stands(const Root& root) {
    return std::ranges::all_of(engine_registers(root), [](const auto& engine) {
        return engine.held == 0 && engine.in_flight == 0 && engine.failed == 0 &&
               (engine.state == StIdle || engine.state == StWait || engine.state == StHalted);
    });
}

CoreState save_state(const Root& constant, LowerRows& lower) {
    auto& root = const_cast<Root&>(constant);  // rows of the array have one accessor for reads and writes
    if (has_upsets(constant)) throw checkpoint::Error("words of memory have wrong bits");
    CoreState state;
    const auto& programs = root.CONTROL(__Vcellout__u_control_registers__program_o);
    const auto engines = engine_registers(constant);
    for (unsigned e = 0; e < Engines; ++e) {
        checkpoint::SequencerState& sequencer = state.sequencers[e];
        sequencer.run = engines[e].state == StIdle     ? Run::Idle
                        : engines[e].state == StHalted ? Run::Halted
                                                       : Run::Running;
        sequencer.pc = engines[e].pc;
        sequencer.completed = engines[e].completed;
        std::copy_n(&engines[e].registers[0], sequencer.registers.size(), sequencer.registers.begin());
        sequencer.program = bits_of(programs, e * ProgramBits + LengthBits, BaseBits);
        sequencer.length = static_cast<std::uint32_t>(bits_of(programs, e * ProgramBits, LengthBits));
    }
    state.started = root.CONTROL(u_control_registers__DOT__started_q);
    save_zeroed(root.CONTROL(u_semaphores__DOT__u_values__DOT__memory),
                root.CONTROL(u_semaphores__DOT__u_values__DOT__valid_q), state.semaphores);
    save_zeroed(root.CONTROL(u_system_port__DOT__u_events__DOT__memory),
                root.CONTROL(u_system_port__DOT__u_events__DOT__valid_q), state.events);
    state.stochastic = root.neuron_core__DOT__sr_enable != 0;
    state.seed = root.neuron_core__DOT__sr_seed;
    const std::uint64_t origin = root.CONTROL(u_control_registers__DOT__nan_origin_q);
    state.numeric = {root.CONTROL(u_control_registers__DOT__nan_q),
                     root.CONTROL(u_control_registers__DOT__nan_engine_q), static_cast<std::uint8_t>(origin),
                     static_cast<std::uint32_t>(origin >> 8)};

    save_rows(root.MEMORIES(u_sbuf__DOT__mem_q), cfg::SbufBytes, state.sbuf);
    save_rows(root.MEMORIES(u_psum__DOT__mem_q), cfg::PsumBytes, state.psum);
    save_marks(root.MEMORIES(u_sum_marks__DOT__summed_q), cfg::PsumBytes / 4, state.sums);
    save_marks(root.MEMORIES(u_sbuf_watch__DOT__written_q), cfg::SbufBytes / 4, state.sbuf_written);
    save_marks(root.MEMORIES(u_psum_watch__DOT__written_q), cfg::PsumBytes / 4, state.psum_written);

    lower.finish();
    save_array(root, lower, state);
    const auto* vector = &root.VECTOR(u_execute__DOT__u_lanes__DOT__acc_q)[0][0];
    state.vector.accumulators.assign(vector, vector + cfg::Lanes);
    save_generators(GENERATORS(root, VECTOR, u_execute__DOT__u_rounding__DOT__), state.vector.rounding);
    save_generators(GENERATORS(root, VECTOR, u_execute__DOT__u_units__DOT__u_special__DOT__u_random__DOT__),
                    state.random);
    state.shuffle_mask.fill(0xff);
    std::memcpy(state.shuffle_mask.data(), &root.VECTOR(entries_q), Quadrant);
    const auto* scalar = &root.SCALAR(u_execute__DOT__u_lanes__DOT__accumulator_q)[0];
    state.scalar.accumulators.assign(scalar, scalar + cfg::Lanes);
    save_generators(GENERATORS(root, SCALAR, u_execute__DOT__u_lanes__DOT__u_rounding__DOT__),
                    state.scalar.rounding);
    state.tables.set = static_cast<isa::ActivationSet>(root.SCALAR(set_q));
    const auto copy = [](const auto& table, std::vector<std::uint32_t>& to) {
        to.assign(&table[0], &table[0] + sizeof table / sizeof table[0]);
    };
    copy(root.SCALAR(u_execute__DOT__u_lanes__DOT__table_q), state.tables.rows);
    copy(root.SCALAR(u_execute__DOT__u_lanes__DOT__exponent_q), state.tables.exponents);
    state.gpsimd.request = root.GPSIMD(u_dispatch__DOT__request_q);
    state.gpsimd.trapped = root.GPSIMD(u_dispatch__DOT__trapped_q);
    return state;
}

void load_state(const CoreState& state, Root& root, LowerRows& lower) {
    auto& programs = root.CONTROL(__Vcellout__u_control_registers__program_o);
    const auto engines = engine_registers(root);
    for (unsigned e = 0; e < Engines; ++e) {
        const checkpoint::SequencerState& sequencer = state.sequencers[e];
        const bool running = sequencer.run == Run::Running;
        engines[e].state = running ? StFetch : sequencer.run == Run::Halted ? StHalted : StIdle;
        engines[e].pc = sequencer.pc;
        engines[e].completed = sequencer.completed;
        std::ranges::copy(sequencer.registers, &engines[e].registers[0]);
        engines[e].running = running ? 1 : 0;
        engines[e].base = sequencer.program;
        engines[e].address = sequencer.program + sequencer.pc;
        set_bits(programs, e * ProgramBits + LengthBits, BaseBits, sequencer.program);
        set_bits(programs, e * ProgramBits, LengthBits, sequencer.length);
    }
    root.CONTROL(u_control_registers__DOT__started_q) = static_cast<CData>(state.started);
    load_zeroed(state.semaphores, root.CONTROL(u_semaphores__DOT__u_values__DOT__memory),
                root.CONTROL(u_semaphores__DOT__u_values__DOT__valid_q));
    load_zeroed(state.events, root.CONTROL(u_system_port__DOT__u_events__DOT__memory),
                root.CONTROL(u_system_port__DOT__u_events__DOT__valid_q));
    root.neuron_core__DOT__sr_enable = state.stochastic ? 1 : 0;
    root.neuron_core__DOT__sr_seed = state.seed;
    root.CONTROL(u_control_registers__DOT__nan_q) = state.numeric.engines;
    root.neuron_core__DOT__nan = state.numeric.engines;  // NaNs that the engines report
    root.CONTROL(u_control_registers__DOT__nan_engine_q) = state.numeric.engine;
    root.CONTROL(u_control_registers__DOT__nan_origin_q) =
        std::uint64_t{state.numeric.pc} << 8 | state.numeric.opcode;
    root.CONTROL(idle_q) = 0;  // for the assertion that nothing changes at rest

    load_rows(state.sbuf, cfg::SbufBytes, root.MEMORIES(u_sbuf__DOT__mem_q));
    load_rows(state.psum, cfg::PsumBytes, root.MEMORIES(u_psum__DOT__mem_q));
    load_marks(state.sums, cfg::PsumBytes / 4, root.MEMORIES(u_sum_marks__DOT__summed_q));
    load_marks(state.sbuf_written, cfg::SbufBytes / 4, root.MEMORIES(u_sbuf_watch__DOT__written_q));
    load_marks(state.psum_written, cfg::PsumBytes / 4, root.MEMORIES(u_psum_watch__DOT__written_q));

    lower.finish();
    load_array(state, root, lower);
    std::ranges::copy(state.vector.accumulators, &root.VECTOR(u_execute__DOT__u_lanes__DOT__acc_q)[0][0]);
    load_generators(state.vector.rounding, GENERATORS(root, VECTOR, u_execute__DOT__u_rounding__DOT__));
    load_generators(state.random,
                    GENERATORS(root, VECTOR, u_execute__DOT__u_units__DOT__u_special__DOT__u_random__DOT__));
    // Loads the mask with which instructions are checked, and the unit's own.
    std::memcpy(&root.VECTOR(entries_q), state.shuffle_mask.data(), Quadrant);
    std::memcpy(&root.VECTOR(u_execute__DOT__u_units__DOT__u_special__DOT__u_shuffle__DOT__entries_q),
                state.shuffle_mask.data(), Quadrant);
    std::ranges::copy(state.scalar.accumulators,
                      &root.SCALAR(u_execute__DOT__u_lanes__DOT__accumulator_q)[0]);
    load_generators(state.scalar.rounding,
                    GENERATORS(root, SCALAR, u_execute__DOT__u_lanes__DOT__u_rounding__DOT__));
    root.SCALAR(set_q) = static_cast<std::uint8_t>(state.tables.set);
    std::ranges::copy(state.tables.rows, &root.SCALAR(u_execute__DOT__u_lanes__DOT__table_q)[0]);
    std::ranges::copy(state.tables.exponents, &root.SCALAR(u_execute__DOT__u_lanes__DOT__exponent_q)[0]);
    load_gpsimd(state.gpsimd, root);
}

void settle(Root& root) {
    Vneuron_core___024root___eval_settle(&root);
}

}  // namespace trnsim::tlm
