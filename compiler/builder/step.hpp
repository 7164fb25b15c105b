// A call of the builder as data: an instruction, a transfer or a loop with everything that it reads and
// writes, before its time of issue and the places of its buffers are known.
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

// Bytes of partitions 0 to `partitions` - 1 of a memory without a place yet. Tiles name them by number.
struct Buffer {
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partitions = 0;
    std::uint64_t bytes = 0;  // bytes of each partition
    std::string name;         // for people
    std::uint32_t place = 0;  // place of the author's call (neff::Sources)
    bool own = false;  // made by the builder for calls that need room: it may lie above the caller's limit
};

// Write: each element of the pattern gets a new value that does not depend on the old one. Update: the old
// value counts, or stays in part. Some: only the hardware knows which elements are written.
enum class Role : std::uint8_t { Read, Write, Update, Some };

struct Access {
    Role role = Role::Read;
    std::variant<Tile, TensorView> what;

    const Tile* tile() const { return std::get_if<Tile>(&what); }
    const TensorView* view() const { return std::get_if<TensorView>(&what); }
};

// A field or word of a step that names a byte of a buffer, as if the buffer began at byte 0.
struct Mention {
    enum class In : std::uint8_t { Field, Word, From, To, Index };
    In in = In::Field;
    std::uint8_t access = 0;            // the access with its tile
    const isa::Field* field = nullptr;  // field of the instruction
    std::uint32_t word = 0;             // word of the command's arguments
};

struct Step;

// A loop; its body is the same for every iteration.
struct StepLoop {
    std::uint32_t number = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::vector<Step> body;
};

struct Step {
    std::uint32_t number = 0;  // in the order of the calls, also of those in loops
    std::uint32_t place = 0;   // neff::Sources
    isa::Engine engine = isa::Engine::Sync;
    // True if it works in the data path of the engine; others (triggers, waits) run in the sequencer itself.
    bool data_path = true;
    bool either = false;  // Vector and Scalar may both execute it: `engine` says which one does
    isa::Instruction instruction;
    std::vector<Access> accesses;
    std::vector<Mention> mentions;
    After after;  // events given by the author
    // Function of an activation: the engine needs a table set that has it.
    std::optional<isa::Activation> function;
    // Image that the cores of a GpSimd command run, and its arguments.
    std::optional<GpsimdImage> image;
    std::vector<std::uint32_t> words;
    bool custom = false;                       // an operator of the author's image
    std::optional<Queue> queue;                // queue of a transfer
    std::shared_ptr<neff::Transfer> transfer;  // or a collective
    std::optional<std::uint32_t> behind;  // the step whose end a transfer awaits without needing its data
    std::shared_ptr<StepLoop> loop;       // if set, the members of an instruction are not used

    Step() = default;
    Step(isa::Engine engine, const isa::Instruction& instruction, const After& after)
        : engine(engine), instruction(instruction), after(after) {}

    Step& read(const Tile& tile) { return add(Role::Read, tile); }
    Step& write(const Tile& tile, Role role = Role::Write) { return add(role, tile); }
    Step& read(const TensorView& view) { return add(Role::Read, view); }
    Step& write(const TensorView& view, Role role = Role::Write) { return add(role, view); }
    // Names the access that was added last.
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
