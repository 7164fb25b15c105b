#include "compiler/schedule/order.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

#include "compiler/neff/package.hpp"
#include "compiler/schedule/tables.hpp"
#include "compiler/schedule/work.hpp"

namespace trnsim::schedule {

using builder::Step;

namespace {

constexpr std::size_t Dma = neff::EngineCount;  // all transfers share the DMA engines

struct Candidate {
    Work work;
    std::size_t engine = 0;
    std::uint32_t window = Window;
    std::optional<isa::Activation> function;
    double ready = 0;
    bool issued = false;
};

bool is_load(const Step& step) {
    return step.queue && !step.transfer->indirect && !step.transfer->collective &&
           step.accesses.front().tile() != nullptr && step.accesses.front().role == builder::Role::Write;
}

Candidate candidate_of(std::span<const Step> steps) {
    Candidate candidate;
    // Weights are loaded while the array works.
    Work loads, others;
    for (const Step& step : steps) {
        const Work work = cycles(step);
        Work& sum = step.instruction.opcode() == isa::Opcode::LoadStationary ? loads : others;
        sum = {sum.busy + work.busy, sum.busy + work.latency};
    }
    candidate.work = {std::max(loads.busy, others.busy), std::max(loads.latency, others.latency)};
    const Step& last = steps.back();
    candidate.engine = last.queue ? Dma : static_cast<std::size_t>(last.engine);
    candidate.window = is_load(last) ? LoadsWindow : Window;
    candidate.function = last.function;
    return candidate;
}

// The order of a list without loops.
class ListScheduling {
  public:
    ListScheduling(std::span<Step> steps, const Lives& lives, const Rows& rows, Room& room, Tables& tables)
        : steps_(steps), dependences_(depend(steps, lives, rows, LoadsWindow)), room_(room), tables_(tables) {
        for (const Unit& unit : dependences_.units) candidates_.push_back(candidate_of(steps_of(unit)));
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

    double start_of(const Candidate& candidate) const {
        const double start = std::max(candidate.ready, free_.at(candidate.engine));
        return tables_.would_load(candidate.function) ? start + TableLoad : start;
    }

    // The one that begins earliest. The first one of the author's order is always ready, and may take any room.
    std::uint32_t take_best() {
        double least = std::numeric_limits<double>::infinity();
        auto best = near_.end();
        for (auto at = near_.begin(); at != near_.end(); ++at) {
            const Candidate& candidate = candidates_[*at];
            if (*at >= first_ + candidate.window) continue;
            const double start = start_of(candidate);
            if (start >= least || (*at != first_ && !room_.fits(steps_of(dependences_.units[*at])))) continue;
            least = start;
            best = at;
        }
        const std::uint32_t unit = *best;
        near_.erase(best);
        return unit;
    }

    void issue(std::uint32_t unit) {
        Candidate& candidate = candidates_[unit];
        const double start = start_of(candidate);
        tables_.use(candidate.function);
        room_.issue(steps_of(dependences_.units[unit]));
        free_.at(candidate.engine) = start + candidate.work.busy;
        candidate.issued = true;
        for (const std::uint32_t other : dependences_.needed_by[unit]) {
            candidates_[other].ready = std::max(candidates_[other].ready, start + candidate.work.latency);
            if (--dependences_.needs[other] == 0) far_.push(other);
        }
    }

    std::span<Step> steps_;
    Dependences dependences_;
    Room& room_;
    Tables& tables_;
    std::vector<Candidate> candidates_;
    std::array<double, neff::EngineCount + 1> free_{};  // by engine, when it is
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
        far_;                          // ready, and perhaps too far ahead
    std::vector<std::uint32_t> near_;  // ready and within the window of loads, the oldest first
    std::uint32_t first_ = 0;          // the first unit that has not been issued
};

void order(std::vector<Step>& steps, const Lives& lives, const Rows& rows, Room& room, Tables& tables) {
    const auto is_loop = [](const Step& step) { return step.loop != nullptr; };
    for (auto begin = steps.begin(); begin != steps.end();) {
        const auto end = std::find_if(begin, steps.end(), is_loop);
        if (begin != end) ListScheduling(std::span(begin, end), lives, rows, room, tables).run();
        if (end == steps.end()) return;
        order(end->loop->body, lives, rows, room, tables);
        begin = std::next(end);
    }
}

}  // namespace

void order(std::vector<Step>& steps, const Lives& lives, const Rows& rows, Room& room) {
    Tables tables;
    order(steps, lives, rows, room, tables);
}

void restore(std::vector<Step>& steps) {
    std::ranges::sort(steps, {}, &Step::number);
    for (Step& step : steps)
        if (step.loop) restore(step.loop->body);
}

}  // namespace trnsim::schedule
