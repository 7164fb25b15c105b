#include "compiler/schedule/spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <set>

#include "compiler/schedule/originals.hpp"
#include "compiler/schedule/relocate.hpp"
#include "compiler/schedule/unwritten.hpp"
#include "isa/element_type.hpp"

namespace trnsim::schedule {

using builder::Access;
using builder::Buffer;
using builder::KernelBuilder;
using builder::Role;
using builder::Step;
using builder::TensorView;
using builder::Tile;
using target::Memory;

namespace {

constexpr std::uint32_t Never = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t MostElements = 65535;  // elements of an axis
// Bytes of a partition from which on a transfer takes as long as its bytes; a shorter one gives little room for
// its time.
constexpr std::uint64_t Efficient = 512;

// The state of a life while the steps are processed.
struct Course {
    std::vector<std::uint32_t> uses;  // places in the list of steps
    std::size_t used = 0;             // number of uses that have passed
    std::uint32_t sums_until = 0;     // the last step at which a matmul adds to it, counted from 1
    std::uint32_t psum_until = 0;     // the last step that needs it in PSUM, counted from 1
    Memory memory = Memory::Sbuf;     // the memory that it is in, or was in last
    bool begun = false;
    std::uint32_t buffer = 0;  // its buffer; 0: it is not on the chip
    Unwritten unwritten;
    bool changed = false;  // since its last store
    std::optional<TensorView> copy;
    std::uint32_t stores = 0, loads = 0, memsets = 0;

    std::uint32_t next() const { return used < uses.size() ? uses[used] : Never; }
};

class Spilling {
  public:
    Spilling(KernelBuilder& kernel, std::vector<Step> steps, const Lives& lives, const Limits& limits,
             const SpillQueues& queues, const WorkEstimate& estimate, SpillTensors& tensors)
        : kernel_(kernel),
          steps_(std::move(steps)),
          lives_(lives),
          queues_(queues),
          estimate_(estimate),
          tensors_(tensors),
          originals_(steps_, lives, kernel.tensors().size()),
          limits_{limits.sbuf, limits.psum},
          courses_(lives.all().size()) {
        for (std::uint32_t life = 0; life < courses_.size(); ++life)
            courses_[life].memory = buffer_of(life).memory;
        for (std::uint32_t at = 0; at < steps_.size(); ++at)
            find_uses(steps_[at], at, takes_sbuf(steps_[at]));
    }

    std::optional<Spilled> run() {
        for (std::uint32_t at = 0; at < steps_.size(); ++at) {
            needed_.clear();
            find_needed(steps_[at]);
            if (!make_room(at)) return std::nullopt;
            for (const std::uint32_t life : needed_) bring(life, at);
            // A load may be made again, and stays as it is in the list.
            Step step = originals_.is_load(at) ? steps_[at] : std::move(steps_[at]);
            use(step);
            for (const std::uint32_t life : needed_) move_on(life, at);
            result_.steps.push_back(std::move(step));
        }
        number(result_.steps);
        report();
        return std::move(result_);
    }

  private:
    const Buffer& buffer_of(std::uint32_t life) const {
        return kernel_.buffers()[lives_.all()[life].buffer - 1];
    }
    std::size_t memory_of(std::uint32_t life) const {
        return static_cast<std::size_t>(courses_[life].memory);
    }

    void find_uses(const Step& step, std::uint32_t at, bool movable) {
        if (step.loop)
            for (const Step& inner : step.loop->body) find_uses(inner, at, false);
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (std::size_t i = 0; i < lives.size(); ++i) {
            if (lives[i] == NoLife) continue;
            Course& course = courses_[lives[i]];
            if (course.uses.empty() || course.uses.back() != at) course.uses.push_back(at);
            if (step.engine == isa::Engine::Tensor && step.accesses[i].role == Role::Update)
                course.sums_until = at + 1;
            if (!movable) course.psum_until = at + 1;
        }
    }

    void find_needed(const Step& step) {
        if (step.loop)
            for (const Step& inner : step.loop->body) find_needed(inner);
        for (const std::uint32_t life : lives_.of(step))
            if (life != NoLife && std::ranges::find(needed_, life) == needed_.end()) needed_.push_back(life);
    }

    bool make_room(std::uint32_t at) {
        std::array<std::uint64_t, 2> total = used_;
        for (const std::uint32_t life : needed_) {
            Course& course = courses_[life];
            if (course.buffer != 0) continue;
            if (course.begun && course.memory == Memory::Psum && course.psum_until <= at)
                course.memory = Memory::Sbuf;
            total.at(memory_of(life)) += rounded(life);
        }
        for (std::size_t memory = 0; memory < total.size(); ++memory) {
            if (total.at(memory) <= limits_.at(memory)) continue;
            if (!choose(at, memory, total.at(memory) - limits_.at(memory))) return false;
            for (const std::uint32_t life : leaving_) send(life, at);
        }
        return true;
    }

    // Chooses lives that leave a memory so that it has so many bytes more: those that are needed latest, small
    // ones only if there are no others.
    bool choose(std::uint32_t at, std::size_t memory, std::uint64_t wanted) {
        leaving_.clear();
        std::uint64_t found = 0;
        for (const bool small : {false, true}) {
            for (const auto& [next, life] : there_.at(memory) | std::views::reverse) {
                if (found >= wanted) break;
                if ((buffer_of(life).bytes < Efficient) != small || !may_leave(life, at)) continue;
                leaving_.push_back(life);
                found += rounded(life);
            }
        }
        // A large one may have made smaller ones superfluous.
        std::erase_if(leaving_, [&](std::uint32_t life) {
            if (found < wanted + rounded(life)) return false;
            found -= rounded(life);
            return true;
        });
        return found >= wanted;
    }

    bool may_leave(std::uint32_t life, std::uint32_t at) const {
        const Course& course = courses_[life];
        const bool needed = std::ranges::find(needed_, life) != needed_.end();
        return !needed && (course.unwritten.empty() || !originals_.of(life, at).empty()) &&
               course.sums_until <= at && tile_of(life).axes.front().count <= MostElements;
    }

    bool needs_store(std::uint32_t life, std::uint32_t at) const {
        const Course& course = courses_[life];
        return (course.changed || !course.copy) && !returns_by_loads(life, at);
    }

    // Returns whether a life comes back by the loads that have filled it: they may take longer than that of a
    // copy, if that saves the store.
    bool returns_by_loads(std::uint32_t life, std::uint32_t at) const {
        const std::span<const std::uint32_t> loads = originals_.of(life, at);
        if (loads.empty()) return false;
        const Course& course = courses_[life];
        if (!course.unwritten.empty()) return true;
        std::uint64_t again = 0;
        for (const std::uint32_t load : loads)
            if (steps_[load].queue) again += estimate_.of(*steps_[load].transfer).busy;
        const std::uint64_t uses = course.uses.size() - course.used;
        return again * uses <= copying(life) * (uses + 1);
    }

    // Returns the cycles of a transfer between a life and its copy.
    std::uint64_t copying(std::uint32_t life) const {
        const Tile tile = tile_of(life);
        neff::Transfer transfer;
        transfer.element_bytes = static_cast<std::uint32_t>(isa::element_size(tile.dtype));
        transfer.from.count = transfer.to.count = {tile.axes.front().count, tile.partitions, 1, 1};
        const auto bytes = static_cast<std::int64_t>(buffer_of(life).bytes);
        transfer.from.step = {transfer.element_bytes, bytes, 0, 0};
        transfer.to.step = {transfer.element_bytes,
                            target::partition_stride(kernel_.target(), courses_[life].memory), 0, 0};
        return estimate_.of(transfer).busy;
    }

    // Returns all of the buffer of a life.
    Tile tile_of(std::uint32_t life) const {
        const Buffer& buffer = buffer_of(life);
        Tile tile;
        tile.memory = courses_[life].memory;
        tile.dtype = buffer.bytes % 4 == 0   ? isa::Dtype::U32
                     : buffer.bytes % 2 == 0 ? isa::Dtype::U16
                                             : isa::Dtype::U8;
        tile.partitions = buffer.partitions;
        tile.buffer = courses_[life].buffer;
        tile.axes = {{static_cast<std::uint32_t>(buffer.bytes / isa::element_size(tile.dtype)), 1}};
        return tile;
    }

    void send(std::uint32_t life, std::uint32_t at) {
        Course& course = courses_[life];
        if (needs_store(life, at)) {
            const Tile tile = tile_of(life);
            if (!course.copy) course.copy = tensors_.take(tile);
            const auto where = kernel_.place(steps_[at].place);
            add(kernel_.recorded([&] {
                kernel_.store(queues_.stores, *course.copy, tile, {}, {where.first, where.second});
            }));
            ++course.stores;
            course.changed = false;
        }
        there_.at(memory_of(life)).erase({course.next(), life});
        used_.at(memory_of(life)) -= rounded(life);
        course.buffer = 0;
    }

    void bring(std::uint32_t life, std::uint32_t at) {
        Course& course = courses_[life];
        if (course.buffer != 0) return;
        const std::uint32_t original = lives_.all()[life].buffer;
        course.buffer = course.begun ? kernel_.another(original, course.memory) : original;
        used_.at(memory_of(life)) += rounded(life);
        there_.at(memory_of(life)).emplace(course.next(), life);
        if (!course.begun) {
            course.begun = true;
            course.unwritten = Unwritten(buffer_of(life));
            return;
        }
        if (course.changed || !course.copy) return make_again(life, at);
        ++course.loads;
        const auto where = kernel_.place(steps_[at].place);
        add(kernel_.recorded([&] {
            kernel_.load(queues_.loads, tile_of(life), *course.copy, {}, {where.first, where.second});
        }));
    }

    // Repeats the loads and memsets that have filled a life so far.
    void make_again(std::uint32_t life, std::uint32_t at) {
        std::vector<Step> loads;
        bool loaded = false;
        for (const std::uint32_t original : originals_.of(life, at)) {
            if (original >= at) break;
            Step load = steps_[original];
            loaded |= load.queue.has_value();
            load.place = steps_[at].place;
            for (Access& access : load.accesses)
                if (Tile* tile = std::get_if<Tile>(&access.what)) tile->buffer = courses_[life].buffer;
            loads.push_back(std::move(load));
        }
        add(std::move(loads));
        Course& course = courses_[life];
        ++(loaded ? course.loads : course.memsets);
    }

    // Sets the tiles of a step to the current buffers of their lives.
    void use(Step& step) {
        if (step.loop)
            for (Step& inner : step.loop->body) use(inner);
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (std::size_t i = 0; i < lives.size(); ++i) {
            if (lives[i] == NoLife) continue;
            Course& course = courses_[lives[i]];
            Tile& tile = std::get<Tile>(step.accesses[i].what);
            tile.buffer = course.buffer;
            if (tile.memory != course.memory) relocate(step, i, kernel_.target());
            if (step.accesses[i].role == Role::Read) continue;
            course.changed = true;
            if (step.accesses[i].role == Role::Write) course.unwritten.write(tile);
        }
    }

    void move_on(std::uint32_t life, std::uint32_t at) {
        Course& course = courses_[life];
        auto& there = there_.at(memory_of(life));
        there.erase({course.next(), life});
        while (course.next() <= at) ++course.used;
        if (course.next() == Never) {
            used_.at(memory_of(life)) -= rounded(life);
            course.buffer = 0;
        } else {
            there.emplace(course.next(), life);
        }
    }

    void add(std::vector<Step> made) {
        for (Step& step : made) {
            step.number = Never;  // inserted step
            result_.steps.push_back(std::move(step));
        }
    }

    std::uint64_t rounded(std::uint32_t life) const {
        return (buffer_of(life).bytes + Alignment - 1) / Alignment * Alignment;
    }

    void report() {
        for (std::uint32_t life = 0; life < courses_.size(); ++life) {
            const Course& course = courses_[life];
            if (course.loads + course.memsets == 0) continue;
            const Buffer& buffer = buffer_of(life);
            const auto same = std::ranges::find_if(result_.spills, [&](const Spill& spill) {
                return spill.place == buffer.place && spill.name == buffer.name &&
                       spill.memory == buffer.memory && spill.bytes == buffer.bytes;
            });
            Spill& spill = same != result_.spills.end()
                               ? *same
                               : result_.spills.emplace_back(Spill{buffer.name, buffer.place, buffer.memory,
                                                                   buffer.partitions, buffer.bytes});
            spill.stores += course.stores;
            spill.loads += course.loads;
            spill.memsets += course.memsets;
        }
    }

    KernelBuilder& kernel_;
    std::vector<Step> steps_;
    const Lives& lives_;
    SpillQueues queues_;
    const WorkEstimate& estimate_;
    SpillTensors& tensors_;
    Originals originals_;
    std::array<std::uint64_t, 2> limits_, used_{};
    std::vector<Course> courses_;  // by life
    std::array<std::set<std::pair<std::uint32_t, std::uint32_t>>, 2>
        there_;  // by memory: the next use and the life
    std::vector<std::uint32_t> needed_, leaving_;
    Spilled result_;
};

}  // namespace

TensorView SpillTensors::take(const Tile& tile) {
    const std::uint32_t elements = tile.axes.front().count;
    Shape& shape = shapes_[{tile.partitions, elements, tile.dtype}];
    if (shape.taken == shape.tensors.size()) {
        std::string name;
        do name = fmt::format("spill_{}", count_++);
        while (kernel_.has_tensor(name));
        shape.tensors.push_back(
            kernel_.tensor(name, neff::TensorKind::Scratch, tile.dtype, {tile.partitions, elements}, {}));
    }
    return shape.tensors[shape.taken++];
}

void SpillTensors::free_all() {
    for (auto& [key, shape] : shapes_) shape.taken = 0;
}

std::optional<Spilled> spill(KernelBuilder& kernel, std::vector<Step> steps, const Lives& lives,
                             const Limits& limits, const SpillQueues& queues, const WorkEstimate& estimate,
                             SpillTensors& tensors) {
    tensors.free_all();
    return Spilling(kernel, std::move(steps), lives, limits, queues, estimate, tensors).run();
}

}  // namespace trnsim::schedule
