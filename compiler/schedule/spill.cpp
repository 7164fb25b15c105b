#include "compiler/schedule/spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "compiler/schedule/unwritten.hpp"
#include "isa/element_type.hpp"

namespace trnsim::schedule {

using builder::Buffer;
using builder::KernelBuilder;
using builder::Role;
using builder::Step;
using builder::TensorView;
using builder::Tile;

namespace {

constexpr std::uint32_t Never = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t MostElements = 65535;  // elements of an axis

// The state of a life while the steps are processed.
struct Course {
    std::vector<std::uint32_t> uses;  // places in the list of steps
    std::size_t used = 0;             // number of uses that have passed
    std::uint32_t sums_until = 0;     // the last step at which a matmul adds to it, counted from 1
    std::uint32_t buffer = 0;         // its buffer; 0: it is not on the chip
    Unwritten unwritten;
    bool changed = false;  // since its last store
    std::optional<TensorView> copy;
    std::uint32_t stores = 0, loads = 0;

    std::uint32_t next() const { return used < uses.size() ? uses[used] : Never; }
};

class Spilling {
  public:
    Spilling(KernelBuilder& kernel, std::vector<Step> steps, const Lives& lives, const Limits& limits,
             const SpillQueues& queues)
        : kernel_(kernel),
          steps_(std::move(steps)),
          lives_(lives),
          queues_(queues),
          limits_{limits.sbuf, limits.psum},
          courses_(lives.all().size()) {
        for (std::uint32_t at = 0; at < steps_.size(); ++at) find_uses(steps_[at], at);
    }

    std::optional<Spilled> run() {
        for (std::uint32_t at = 0; at < steps_.size(); ++at) {
            needed_.clear();
            find_needed(steps_[at]);
            if (!make_room(at)) return std::nullopt;
            for (const std::uint32_t life : needed_) bring(life, steps_[at].place);
            use(steps_[at]);
            for (const std::uint32_t life : needed_) move_on(life, at);
            result_.steps.push_back(std::move(steps_[at]));
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
        return static_cast<std::size_t>(buffer_of(life).memory);
    }

    void find_uses(const Step& step, std::uint32_t at) {
        if (step.loop)
            for (const Step& inner : step.loop->body) find_uses(inner, at);
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (std::size_t i = 0; i < lives.size(); ++i) {
            if (lives[i] == NoLife) continue;
            Course& course = courses_[lives[i]];
            if (course.uses.empty() || course.uses.back() != at) course.uses.push_back(at);
            if (step.engine == isa::Engine::Tensor && step.accesses[i].role == Role::Update)
                course.sums_until = at + 1;
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
        for (const std::uint32_t life : needed_)
            if (courses_[life].buffer == 0) total.at(memory_of(life)) += rounded(life);
        for (std::size_t memory = 0; memory < total.size(); ++memory) {
            auto victim = there_.at(memory).rbegin();
            while (total.at(memory) > limits_.at(memory)) {
                if (victim == there_.at(memory).rend()) return false;
                const std::uint32_t life = victim->second;
                ++victim;
                if (!may_leave(life, at)) continue;
                total.at(memory) -= rounded(life);
                leaving_.push_back(life);
            }
            for (const std::uint32_t life : leaving_) send(life, steps_[at].place);
            leaving_.clear();
        }
        return true;
    }

    bool may_leave(std::uint32_t life, std::uint32_t at) const {
        const Course& course = courses_[life];
        const bool needed = std::ranges::find(needed_, life) != needed_.end();
        return !needed && course.unwritten.empty() && course.sums_until <= at &&
               tile_of(life).axes.front().count <= MostElements;
    }

    // Returns all of the buffer of a life.
    Tile tile_of(std::uint32_t life) const {
        const Buffer& buffer = buffer_of(life);
        Tile tile;
        tile.memory = buffer.memory;
        tile.dtype = buffer.bytes % 4 == 0   ? isa::Dtype::U32
                     : buffer.bytes % 2 == 0 ? isa::Dtype::U16
                                             : isa::Dtype::U8;
        tile.partitions = buffer.partitions;
        tile.buffer = courses_[life].buffer;
        tile.axes = {{static_cast<std::uint32_t>(buffer.bytes / isa::element_size(tile.dtype)), 1}};
        return tile;
    }

    void send(std::uint32_t life, std::uint32_t place) {
        Course& course = courses_[life];
        if (course.changed || !course.copy) {
            const Tile tile = tile_of(life);
            if (!course.copy) course.copy = scratch(tile);
            const auto where = kernel_.place(place);
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

    void bring(std::uint32_t life, std::uint32_t place) {
        Course& course = courses_[life];
        if (course.buffer != 0) return;
        const std::uint32_t original = lives_.all()[life].buffer;
        course.buffer = course.copy ? kernel_.another(original) : original;
        used_.at(memory_of(life)) += rounded(life);
        there_.at(memory_of(life)).emplace(course.next(), life);
        if (!course.copy) {
            course.unwritten = Unwritten(buffer_of(life));
            return;
        }
        const auto where = kernel_.place(place);
        add(kernel_.recorded([&] {
            kernel_.load(queues_.loads, tile_of(life), *course.copy, {}, {where.first, where.second});
        }));
        ++course.loads;
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

    TensorView scratch(const Tile& tile) {
        std::string name;
        do name = fmt::format("spill_{}", copies_++);
        while (kernel_.has_tensor(name));
        return kernel_.tensor(name, neff::TensorKind::Scratch, tile.dtype,
                              {tile.partitions, tile.axes.front().count}, {});
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
            if (course.stores == 0) continue;
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
        }
    }

    KernelBuilder& kernel_;
    std::vector<Step> steps_;
    const Lives& lives_;
    SpillQueues queues_;
    std::array<std::uint64_t, 2> limits_, used_{};
    std::vector<Course> courses_;  // by life
    std::array<std::set<std::pair<std::uint32_t, std::uint32_t>>, 2>
        there_;  // by memory: the next use and the life
    std::vector<std::uint32_t> needed_, leaving_;
    std::uint32_t copies_ = 0;
    Spilled result_;
};

}  // namespace

std::optional<Spilled> spill(KernelBuilder& kernel, std::vector<Step> steps, const Lives& lives,
                             const Limits& limits, const SpillQueues& queues) {
    return Spilling(kernel, std::move(steps), lives, limits, queues).run();
}

}  // namespace trnsim::schedule
