// A call of the builder as data: an instruction, a transfer or a loop with all that it reads and writes, before it
// is known when it is issued and where its buffers lie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/gpsimd.hpp"
#include "compiler/builder/tensor_view.hpp"
#include "compiler/builder/tile.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::builder {

// Bytes of partitions 0 to `partitions` - 1 of a memory that have no place yet. Tiles name them by number.
struct Buffer {
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partitions = 0;
    std::uint64_t bytes = 0;  // of each partition
    std::string name;         // for people
    std::uint32_t place = 0;  // of the author's call (neff::Sources)
    bool own = false;  // the builder's, for calls that need some room: these may lie above the caller's limit
};

// Write: each element of the pattern gets a new value, whatever was there. Update: what was there counts, or stays in
// part. Some: which elements are written is known to the hardware alone.
enum class Role : std::uint8_t { Read, Write, Update, Some };

struct Access {
    Role role = Role::Read;
    std::variant<Tile, TensorView> what;

    const Tile* tile() const { return std::get_if<Tile>(&what); }
    const TensorView* view() const { return std::get_if<TensorView>(&what); }
};

// Where a step names a byte of a buffer: as if the buffer began at byte 0.
struct Mention {
    enum class In : std::uint8_t { Field, Word, From, To, Index };
    In in = In::Field;
    std::uint8_t access = 0;            // whose tile it is
    const isa::Field* field = nullptr;  // of the instruction
    std::uint32_t word = 0;             // of the command's arguments
};

struct Step;

// A loop: its body is that of every iteration.
struct StepLoop {
    std::uint32_t number = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::vector<Step> body;
};

struct Step {
    std::uint32_t number = 0;  // in the order of the calls, those in loops counted where they stand
    std::uint32_t place = 0;   // neff::Sources
    isa::Engine engine = isa::Engine::Sync;
    // It works in the engine behind the sequencer; others (triggers, waits) run in the sequencer itself.
    bool data_path = true;
    isa::Instruction instruction;
    std::vector<Access> accesses;
    std::vector<Mention> mentions;
    After after;  // given by the author
    // Function of an activation: the engine needs a table set that has it.
    std::optional<isa::Activation> function;
    // Image that the cores of a GpSimd command run, and its arguments.
    std::optional<GpsimdImage> image;
    std::vector<std::uint32_t> words;
    bool custom = false;                       // an operator of the author's image
    std::optional<Queue> queue;                // of a transfer
    std::shared_ptr<neff::Transfer> transfer;  // or a collective
    std::optional<std::uint32_t>
        behind;                      // the step whose end a transfer awaits, which else needs nothing of it
    std::shared_ptr<StepLoop> loop;  // then nothing of an instruction holds

    Step() = default;
    Step(isa::Engine engine, const isa::Instruction& instruction, const After& after)
        : engine(engine), instruction(instruction), after(after) {}

    Step& read(const Tile& tile) { return add(Role::Read, tile); }
    Step& write(const Tile& tile, Role role = Role::Write) { return add(role, tile); }
    Step& read(const TensorView& view) { return add(Role::Read, view); }
    Step& write(const TensorView& view, Role role = Role::Write) { return add(role, view); }
    // Where the access added last is named.
    Step& named_in(Mention::In in, const isa::Field* field = nullptr, std::uint32_t word = 0) {
        mentions.push_back({in, static_cast<std::uint8_t>(accesses.size() - 1), field, word});
        return *this;
    }

  private:
    template <typename What>
    Step& add(Role role, const What& what) {
        accesses.push_back({role, what});
        return *this;
    }
};

}  // namespace trnsim::builder
