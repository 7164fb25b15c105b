#include "compiler/schedule/depend.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "compiler/builder/footprint.hpp"
#include "compiler/neff/package.hpp"
#include "compiler/schedule/states.hpp"

namespace trnsim::schedule {

using builder::Access;
using builder::Box;
using builder::Role;
using builder::Step;
using builder::TensorView;
using builder::Tile;

namespace {

bool meet(const Box& one, const Box& other) {
    return one.along.meets(other.along) && one.across.meets(other.across);
}

bool contains(const Box& one, const Box& other) {
    return one.along.contains(other.along) && one.across.contains(other.across);
}

// Returns one box around everything that an access touches, in all iterations of loops.
Box box_of(const Tile& tile) {
    return {{tile.first_byte(), tile.end_byte()},
            {tile.partition, std::uint64_t{tile.partition} + tile.partitions}};
}

Box box_of(const TensorView& view, std::uint64_t row) {
    TensorView all = view;
    all.axes.push_back({view.iterations, view.iteration_step});
    for (const TensorView::Move& move : view.others) all.axes.push_back({move.iterations, move.step});
    const std::vector<Box> boxes = builder::footprint_of(all, row).boxes;
    Box box = boxes.front();
    for (const Box& other : boxes) {
        box.along = {std::min(box.along.first, other.along.first), std::max(box.along.end, other.along.end)};
        box.across = {std::min(box.across.first, other.across.first),
                      std::max(box.across.end, other.across.end)};
    }
    return box;
}

// The units that have read and written the parts of a place.
class History {
  public:
    // Calls `before` with every unit that the access comes after. A write hides the accesses that it covers:
    // a later access there comes after the write.
    template <typename Before>
    void access(const Box& box, std::uint32_t unit, bool write, std::uint32_t oldest, const Before& before) {
        std::erase_if(entries_, [&](const Entry& entry) {
            if (entry.unit < oldest) return true;
            if (!(write || entry.write) || !meet(entry.box, box)) return false;
            if (entry.unit == unit) return false;
            before(entry.unit);
            return write && contains(box, entry.box);
        });
        entries_.push_back({box, unit, write});
    }

  private:
    struct Entry {
        Box box;
        std::uint32_t unit;
        bool write;
    };
    std::vector<Entry> entries_;
};

// The histories of everything that steps access: lives, places that the author chose in both memories,
// tensors, states.
class Histories {
  public:
    // Keys: 0 to 5 are states, then the two memories, then lives and tensors in turns.
    static std::uint64_t of_state(State state) { return static_cast<std::uint64_t>(state); }
    static std::uint64_t of_memory(target::Memory memory) {
        return StateCount + static_cast<std::uint64_t>(memory);
    }
    static std::uint64_t of_life(std::uint32_t life) { return First + 2ULL * life; }
    static std::uint64_t of_tensor(std::uint32_t tensor) { return First + 1 + 2ULL * tensor; }

    History& operator[](std::uint64_t key) { return histories_[key]; }

  private:
    static constexpr std::uint64_t First = StateCount + 2;
    std::unordered_map<std::uint64_t, History> histories_;
};

bool is(const Step& step, isa::Opcode opcode) {
    return !step.queue && step.instruction.opcode() == opcode;
}

std::vector<Unit> units_of(std::span<const Step> steps) {
    std::vector<Unit> units;
    for (std::uint32_t at = 0; at < steps.size();) {
        std::uint32_t end = at + 1;
        if (is(steps[at], isa::Opcode::LoadStationary))
            while (end < steps.size() && is(steps[end], isa::Opcode::MultiplyMoving)) ++end;
        units.push_back({at, end});
        at = end;
    }
    return units;
}

// Returns for each unit whether no other weights may come between it and the next unit of the Tensor engine.
// Units that load weights and use them are independent of each other; a multiplication alone uses the weights
// of the previous unit.
std::vector<bool> keeps_weights(std::span<const Step> steps, const std::vector<Unit>& units) {
    std::vector<bool> keeps(units.size());
    std::optional<std::size_t> loaded;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (is(steps[units[unit].first], isa::Opcode::LoadStationary)) {
            loaded = unit;
            keeps[unit] = units[unit].end == units[unit].first + 1;
        } else if (is(steps[units[unit].first], isa::Opcode::MultiplyMoving)) {
            keeps[unit] = true;
            if (loaded) keeps[*loaded] = true;
        }
    }
    return keeps;
}

class Pass {
  public:
    Pass(std::span<const Step> steps, const Lives& lives, const Rows& rows, std::uint32_t horizon)
        : steps_(steps), lives_(lives), rows_(rows), horizon_(horizon) {
        result_.units = units_of(steps);
        result_.needs.resize(result_.units.size());
        result_.needed_by.resize(result_.units.size());
        unit_of_.resize(steps.size());
        keeps_weights_ = keeps_weights(steps, result_.units);
    }

    Dependences run() {
        for (std::uint32_t unit = 0; unit < result_.units.size(); ++unit) {
            const Unit& part = result_.units[unit];
            oldest_ = unit < horizon_ ? 0 : unit - horizon_;
            found_.clear();
            for (std::uint32_t at = part.first; at < part.end; ++at) {
                unit_of_[at] = unit;
                note(steps_[at], unit);
            }
            std::ranges::sort(found_);
            found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
            for (const std::uint32_t other : found_) {
                if (other == unit) continue;
                ++result_.needs[unit];
                result_.needed_by[other].push_back(unit);
            }
        }
        return std::move(result_);
    }

  private:
    void note(const Step& step, std::uint32_t unit) {
        const auto access = [&](std::uint64_t key, const Box& box, bool write) {
            histories_[key].access(box, unit, write, oldest_,
                                   [this](std::uint32_t other) { found_.push_back(other); });
        };
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (std::size_t i = 0; i < step.accesses.size(); ++i) {
            const Access& made = step.accesses[i];
            const bool write = made.role != Role::Read;
            if (const TensorView* view = made.view()) {
                access(Histories::of_tensor(view->tensor), box_of(*view, rows_[view->tensor]), write);
            } else {
                const Tile& tile = *made.tile();
                access(lives[i] == NoLife ? Histories::of_memory(tile.memory) : Histories::of_life(lives[i]),
                       box_of(tile), write);
            }
        }
        constexpr Box Whole{{0, 1}, {0, 1}};
        if (const auto use = state_of(step)) {
            const bool changes = use->state == State::Weights ? keeps_weights_[unit] : use->changes;
            access(Histories::of_state(use->state), Whole, changes);
        }
        // An engine's own wait is a fence: no later step of that engine goes ahead of it.
        Engine& engine = engines_.at(static_cast<std::size_t>(step.engine));
        if (is_fence(step)) {
            for (std::uint32_t other = std::max(oldest_, engine.fence ? *engine.fence : 0); other < unit;
                 ++other)
                if (steps_[result_.units[other].first].engine == step.engine) found_.push_back(other);
            engine.fence = unit;
        } else if (engine.fence && *engine.fence >= oldest_) {
            found_.push_back(*engine.fence);
        }
        for (const builder::Event& event : step.after) {
            if (event.producer != builder::StepProducer || event.index < steps_.front().number) continue;
            found_.push_back(unit_of_[event.index - steps_.front().number]);
        }
    }

    struct Engine {
        std::optional<std::uint32_t> fence;
    };

    std::span<const Step> steps_;
    const Lives& lives_;
    const Rows& rows_;
    std::uint32_t horizon_, oldest_ = 0;
    Dependences result_;
    Histories histories_;
    std::vector<bool> keeps_weights_;     // by unit
    std::vector<std::uint32_t> unit_of_;  // by place in the list
    std::vector<std::uint32_t> found_;
    std::array<Engine, neff::EngineCount> engines_;
};

}  // namespace

Dependences depend(std::span<const Step> steps, const Lives& lives, const Rows& rows, std::uint32_t horizon) {
    return Pass(steps, lives, rows, horizon).run();
}

}  // namespace trnsim::schedule
