#include "model/values/functional_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/activation/table_image.hpp"
#include "arch/numerics/flush_mode.hpp"
#include "model/values/check.hpp"
#include "model/values/operation.hpp"
#include "model/values/read_watch.hpp"
#include "model/values/scalar_engine.hpp"
#include "model/values/tensor_engine.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {

using isa::Engine;
using isa::Error;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr std::uint8_t FirstDataPath = 0x10;  // opcodes below are those of the sequencer
constexpr std::size_t CacheSlots = 1024;

// A cache of instructions by their bytes: each has one place, and the next one with the same place replaces
// it.
class Cache {
  public:
    struct Entry {
        Fault fault;
        OperationPtr operation;
    };
    // Returns what `make` gives for an engine and instruction; it is made once while it stays in the cache.
    template <typename Make>
    const Entry& get(Engine engine, InstructionView bytes, Make make) {
        std::array<std::uint64_t, isa::InstructionBytes / 8> words;
        std::memcpy(words.data(), bytes.data(), bytes.size());
        std::uint64_t hash = static_cast<std::uint64_t>(engine);
        for (const std::uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29);
        Slot& slot = slots_[(hash >> 32) % slots_.size()];
        if (!slot.used || slot.engine != engine || slot.words != words) slot = {true, engine, words, make()};
        return slot.entry;
    }

  private:
    struct Slot {
        bool used = false;
        Engine engine{};
        std::array<std::uint64_t, isa::InstructionBytes / 8> words{};
        Entry entry;
    };
    std::vector<Slot> slots_ = std::vector<Slot>(CacheSlots);
};

}  // namespace

struct FunctionalCore::State {
    explicit State(const config::Core& configuration)
        : core(configuration),
          memories(core),
          tensor(core),
          vector(core.partitions),
          scalar(core.partitions) {
        mask.fill(KeepRow);
    }
    std::uint32_t quadrant() const { return memories.partitions() / 4; }

    const config::Core core;
    Memories memories;
    Cache cache;
    bool stochastic = false;
    TensorEngine tensor;
    VectorEngine vector;
    ScalarEngine scalar;

    // The state after the instructions issued so far, for the checks of the next ones.
    Stationaries stationaries;
    ShuffleMask mask{};
    isa::ActivationSet table_set = isa::ActivationSet::None;
};

FunctionalCore::FunctionalCore(const config::Core& core) : state_(std::make_unique<State>(core)) {
    if (core.partitions > MostLanes) {
        throw std::invalid_argument(
            fmt::format("a fast core of {} partitions, expected at most {}", core.partitions, MostLanes));
    }
}
FunctionalCore::~FunctionalCore() = default;

Memories& FunctionalCore::memories() {
    return state_->memories;
}
const Memories& FunctionalCore::memories() const {
    return state_->memories;
}

Issued FunctionalCore::issue(Engine engine, InstructionView bytes) {
    State& s = *state_;
    const Cache::Entry& entry = s.cache.get(engine, bytes, [&]() -> Cache::Entry {
        const Instruction instruction(bytes);
        const isa::InstructionInfo* info = instruction.info();
        const bool known = info != nullptr && bytes[0] >= FirstDataPath && engine <= Engine::Scalar &&
                           (info->engines >> static_cast<unsigned>(engine) & 1) != 0;
        if (!known) return {{Error::IllegalInstruction}, nullptr};
        if (info->uses_dst || info->uses_a) {
            if (const Fault fault = check_operands(instruction, s.memories)) return {fault, nullptr};
        }
        return {{}, std::make_shared<const Operation>(decode(engine, instruction, s.memories))};
    });
    if (entry.fault) return {entry.fault, nullptr};

    const Instruction& instruction = entry.operation->instruction;
    Error refused = Error::None;
    switch (engine) {
        case Engine::Tensor:
            refused = check_tensor(instruction, s.memories, s.core, s.stationaries);
            break;
        case Engine::Vector:
            refused = check_vector(instruction, s.quadrant(), s.mask);
            break;
        default:
            refused = check_scalar(instruction, s.table_set);
            break;
    }
    if (refused != Error::None) {
        const bool crossing = refused == Error::BankCrossing;
        return {{refused, crossing ? static_cast<std::uint32_t>(instruction.get(isa::field::DstAddr)) : 0},
                nullptr};
    }
    switch (instruction.opcode()) {
        case Opcode::LoadStationary:
            note_load(instruction, s.memories, s.core, s.stationaries);
            break;
        case Opcode::LoadShuffleMask:
            s.mask = mask_entries(instruction);
            break;
        case Opcode::ActTableLoad:
            s.table_set = static_cast<isa::ActivationSet>(instruction.get(isa::field::TableSet));
            break;
        default:
            break;
    }
    return {{}, entry.operation};
}

Effects FunctionalCore::execute(const Operation& operation) {
    State& s = *state_;
    const numerics::FlushMode mode;
    const Unwritten unwritten = unwritten_reads(operation, s.memories);
    Effects effects;
    switch (operation.engine) {
        case Engine::Tensor:
            effects = s.tensor.execute(operation, s.memories);
            break;
        case Engine::Vector:
            effects.nan = s.vector.execute(operation, s.memories, s.stochastic);
            break;
        default:
            effects.nan = s.scalar.execute(operation, s.memories, s.stochastic);
            break;
    }
    note_writes(operation, s.vector.mask, s.memories);
    effects.unwritten = unwritten;
    return effects;
}

bool FunctionalCore::load_table_beat(std::span<const std::uint8_t> beat) {
    if (beat.size() != activation::BeatBytes) {
        throw std::invalid_argument(
            fmt::format("a beat of tables of {} bytes, expected {}", beat.size(), activation::BeatBytes));
    }
    return state_->scalar.load_table_beat(beat);
}

void FunctionalCore::set_stochastic(bool on) {
    state_->stochastic = on;
}

void FunctionalCore::seed_rounding(std::uint32_t seed) {
    state_->vector.state.rounding.seed(seed);
    state_->scalar.state.rounding.seed(seed);
}

void FunctionalCore::restart() {
    State& s = *state_;
    s.memories.forget_marks();
    s.tensor.forget();
    s.scalar.table_set = isa::ActivationSet::None;
    s.stochastic = false;
    s.vector = VectorEngine(s.core.partitions);
    s.scalar.state = LaneState(numerics::Stream::ScalarRounding, s.core.partitions);
    s.stationaries = {};
    s.mask.fill(KeepRow);
    s.table_set = isa::ActivationSet::None;
}

void FunctionalCore::save(checkpoint::CoreState& state) const {
    const State& s = *state_;
    s.memories.save(state);
    s.tensor.save(state);
    const std::size_t lanes = s.core.partitions;
    state.vector = s.vector.state.save(lanes);
    state.random = s.vector.random.save();
    state.shuffle_mask.fill(KeepRow);  // entries that no row has
    std::copy_n(s.vector.mask.begin(), s.quadrant(), state.shuffle_mask.begin());
    state.scalar = s.scalar.state.save(lanes);
    state.tables = s.scalar.save_tables();
}

void FunctionalCore::load(const checkpoint::CoreState& state) {
    State& s = *state_;
    s.memories.load(state);
    s.tensor.load(state);
    s.vector.state.load(state.vector);
    s.vector.random.load(state.random);
    s.vector.mask = s.mask = state.shuffle_mask;
    s.scalar.state.load(state.scalar);
    s.scalar.load_tables(state.tables);
    s.table_set = state.tables.set;
    s.stochastic = state.stochastic;
    s.stationaries = {.row_tile = state.row_tile, .column_tile = state.column_tile};
    const auto group_rows = static_cast<std::uint32_t>(s.core.array.rows) / isa::array::RowGroups;
    for (std::size_t t = 0; t < state.stationaries.size(); ++t) {
        const checkpoint::StationaryState& tile = state.stationaries[t];
        if (!tile.valid) continue;
        const std::uint32_t first =
            state.row_tile ? static_cast<std::uint32_t>(t) % isa::array::RowGroups * group_rows : 0;
        s.stationaries.tiles[t] = {true, tile.wide, first + tile.rows - 1, tile.columns};
    }
}

}  // namespace trnsim::fast
