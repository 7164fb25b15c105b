#include "compiler/schedule/order.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

namespace trnsim::schedule {

using builder::Step;

namespace {

// Number of steps within which loads go before a store: a store issued late makes the steps after it wait.
constexpr std::uint32_t LoadsFirst = Window / 2;

// Cycles by which a step has to end earlier on Scalar than on Vector, with which it mostly exchanges data: a
// step of another engine waits for a semaphore.
constexpr std::uint64_t Crossing = 75;

// Part (1 / n) of the cycles of steps that Vector alone can execute, beyond those of Scalar, by which a step may
// end later on Scalar; the most such cycles. A kernel that keeps Vector busy is faster if Scalar does what it
// can; one of few steps if each step ends early.
constexpr std::uint64_t PreferenceShare = 16, MostPreference = 1000;

struct Candidate {
    Task task;
    std::optional<Task> other;  // if Vector and Scalar may both execute the step, that on the other engine
    bool load = false, store = false;
    std::uint32_t window = Window;
    std::uint64_t ready = 0;
    bool issued = false;
};

// Returns whether the step is a transfer into a tile, or out of one.
bool moves_tile(const Step& step, builder::Role role) {
    return step.queue && !step.transfer->indirect && !step.transfer->collective &&
           std::ranges::any_of(step.accesses, [&](const builder::Access& access) {
               return access.tile() != nullptr && access.role == role;
           });
}

// Returns whether the unit works on the engine that the step names, and may work on no other one.
bool is_bound(const Candidate& candidate) {
    return !candidate.other && candidate.task.engine == static_cast<std::size_t>(candidate.task.owner);
}

isa::Engine other_engine(const Step& step) {
    return step.engine == isa::Engine::Vector ? isa::Engine::Scalar : isa::Engine::Vector;
}

Candidate candidate_of(std::span<const Step> steps, Timeline& timeline) {
    Candidate candidate{.task = timeline.task_of(steps), .other = {}};
    if (steps.back().either) candidate.other = timeline.task_of(steps.back(), other_engine(steps.back()));
    candidate.load = moves_tile(steps.back(), builder::Role::Write);
    candidate.store = !candidate.load && moves_tile(steps.back(), builder::Role::Read);
    if (candidate.load) candidate.window = LoadsWindow;
    return candidate;
}

// The state that the lists of a kernel share.
struct ScheduleState {
    const Lives& lives;
    const Rows& rows;
    Room& room;
    Timeline& timeline;
};

// DMA engines serve all queues in turns. A store takes time from loads that were issued before it and that
// engines wait for. If the DMA engines are late, the store waits for the loads that end before it begins.
class LoadsUnderWay {
  public:
    void issue(const Step& load, std::uint64_t end) { loads_.push_back({end, load.number}); }

    // Returns the last load that ends by `cycle`; the cycles of later calls must be later.
    struct Load {
        std::uint64_t end;
        std::uint32_t number;
    };
    std::optional<Load> last_until(std::uint64_t cycle) {
        while (ended_ < loads_.size() && loads_[ended_].end <= cycle) ++ended_;
        if (ended_ == 0) return std::nullopt;
        return loads_[ended_ - 1];
    }

  private:
    std::vector<Load> loads_;
    std::size_t ended_ = 0;
};

// The order of a list without loops.
class ListScheduling {
  public:
    // In a loop no step waits for more than it needs: each wait is one of every iteration.
    ListScheduling(std::span<Step> steps, ScheduleState& state, bool in_loop)
        : steps_(steps),
          dependences_(depend(steps, state.lives, state.rows, LoadsWindow)),
          state_(state),
          in_loop_(in_loop) {
        for (const Unit& unit : dependences_.units)
            candidates_.push_back(candidate_of(steps_of(unit), state.timeline));
        for (const Candidate& candidate : candidates_)
            if (is_bound(candidate)) left(candidate.task.owner) += candidate.task.work.busy;
    }

    void run() {
        const auto count = static_cast<std::uint32_t>(candidates_.size());
        for (std::uint32_t unit = 0; unit < count; ++unit)
            if (dependences_.needs[unit] == 0) far_.push(unit);
        std::vector<Step> ordered;
        ordered.reserve(steps_.size());
        while (first_ < count) {
            while (!far_.empty() && far_.top() < first_ + LoadsWindow) {
                near_.insert(std::ranges::upper_bound(near_, far_.top()), far_.top());
                far_.pop();
            }
            const std::uint32_t unit = take_best();
            issue(unit);
            for (Step& step : steps_of(dependences_.units[unit])) ordered.push_back(std::move(step));
            while (first_ < count && candidates_[first_].issued) ++first_;
        }
        std::ranges::move(ordered, steps_.begin());
    }

  private:
    std::span<Step> steps_of(const Unit& unit) const {
        return steps_.subspan(unit.first, unit.end - unit.first);
    }

    // Returns the task that ends first.
    const Task& task_of(const Candidate& candidate) const {
        if (!candidate.other) return candidate.task;
        const auto cost = [&](const Task& task) {
            const Timeline& timeline = state_.timeline;
            const std::uint64_t added = task.owner == isa::Engine::Scalar ? Crossing : preference();
            return timeline.end_of(task, candidate.ready) + timeline.start_up(task) + added;
        };
        return cost(*candidate.other) < cost(candidate.task) ? *candidate.other : candidate.task;
    }

    // Returns the cycles by which a step may end later on Scalar than on Vector.
    std::uint64_t preference() const {
        const std::uint64_t vector = left(isa::Engine::Vector), scalar = left(isa::Engine::Scalar);
        return vector > scalar ? std::min((vector - scalar) / PreferenceShare, MostPreference) : 0;
    }

    std::uint64_t& left(isa::Engine engine) { return left_.at(static_cast<std::size_t>(engine)); }
    std::uint64_t left(isa::Engine engine) const { return left_.at(static_cast<std::size_t>(engine)); }

    std::uint64_t start_of(const Candidate& candidate) const {
        return state_.timeline.start_of(task_of(candidate), candidate.ready);
    }

    // Returns the unit that begins earliest; a load before a store that begins at the same time. The first
    // unit of the author's order is always ready, and may take any room.
    std::uint32_t take_best() {
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        auto best = near_.end();
        for (auto at = near_.begin(); at != near_.end(); ++at) {
            const Candidate& candidate = candidates_[*at];
            if (*at >= first_ + candidate.window) continue;
            const std::uint64_t start = start_of(candidate);
            const bool earlier = start < least || (start == least && candidate.load &&
                                                   candidates_[*best].store && *at < first_ + LoadsFirst);
            if (!earlier || (*at != first_ && !state_.room.fits(steps_of(dependences_.units[*at])))) continue;
            least = start;
            best = at;
        }
        const std::uint32_t unit = *best;
        near_.erase(best);
        return unit;
    }

    void issue(std::uint32_t unit) {
        Candidate& candidate = candidates_[unit];
        const std::span<Step> steps = steps_of(dependences_.units[unit]);
        state_.room.issue(steps);
        candidate.issued = true;
        const Task& task = task_of(candidate);
        if (candidate.other) steps.back().engine = task.owner;
        if (is_bound(candidate)) left(task.owner) -= task.work.busy;
        const std::uint64_t held = candidate.store && !in_loop_ ? hold(steps.back(), candidate) : 0;
        const std::uint64_t end = state_.timeline.issue(task, candidate.ready, held);
        if (candidate.load) loads_.issue(steps.back(), end);
        for (const std::uint32_t other : dependences_.needed_by[unit]) {
            candidates_[other].ready = std::max(candidates_[other].ready, end);
            if (--dependences_.needs[other] == 0) far_.push(other);
        }
    }

    // Makes the store wait for a load if it waits in a queue longer than its own transfer takes. Returns the
    // cycle in which it may go.
    std::uint64_t hold(Step& store, const Candidate& candidate) {
        const Work& work = candidate.task.work;
        const std::uint64_t start = start_of(candidate);
        if (start <= candidate.ready + work.latency - work.busy) return 0;
        const auto load = loads_.last_until(start);
        if (!load) return 0;
        store.behind = load->number;
        return load->end;
    }

    std::span<Step> steps_;
    Dependences dependences_;
    ScheduleState& state_;
    bool in_loop_;
    std::vector<Candidate> candidates_;
    std::array<std::uint64_t, neff::EngineCount>
        left_{};  // by engine: cycles of its bound units not yet issued
    LoadsUnderWay loads_;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
        far_;                          // ready, and perhaps too far ahead
    std::vector<std::uint32_t> near_;  // ready and within the window of loads, the oldest first
    std::uint32_t first_ = 0;          // the first unit that has not been issued
};

// Notes the engines of the steps that have no choice.
void note_engines(const std::vector<Step>& steps, Timeline& timeline) {
    for (const Step& step : steps) {
        if (step.loop) {
            note_engines(step.loop->body, timeline);
        } else if (!step.either) {
            timeline.use(step.engine);
        }
    }
}

void order(std::vector<Step>& steps, ScheduleState& state, bool in_loop) {
    const auto is_loop = [](const Step& step) { return step.loop != nullptr; };
    for (auto begin = steps.begin(); begin != steps.end();) {
        const auto end = std::find_if(begin, steps.end(), is_loop);
        if (begin != end) ListScheduling(std::span(begin, end), state, in_loop).run();
        if (end == steps.end()) return;
        order(end->loop->body, state, true);
        begin = std::next(end);
    }
}

}  // namespace

std::uint64_t order(std::vector<Step>& steps, const Lives& lives, const Rows& rows, Room& room,
                    Timeline timeline) {
    note_engines(steps, timeline);
    ScheduleState state{lives, rows, room, timeline};
    order(steps, state, false);
    return timeline.end();
}

void restore(std::vector<Step>& steps) {
    std::ranges::sort(steps, {}, &Step::number);
    for (Step& step : steps) {
        step.behind.reset();
        if (step.loop) restore(step.loop->body);
    }
}

}  // namespace trnsim::schedule
