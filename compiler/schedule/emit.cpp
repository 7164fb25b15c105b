#include "compiler/schedule/emit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

#include "compiler/builder/patterns.hpp"

namespace trnsim::schedule {

using builder::Access;
using builder::Event;
using builder::KernelBuilder;
using builder::LoopOffset;
using builder::Mention;
using builder::Role;
using builder::Step;
using builder::StepLoop;
using builder::TensorView;
using builder::Tile;

namespace {

// Adds the byte at which a buffer lies to the field, word or pattern that names a place in it.
void move(Step& step, neff::Transfer* transfer, const Mention& mention, std::uint32_t byte) {
    switch (mention.in) {
        case Mention::In::Field:
            step.instruction.set(*mention.field, step.instruction.get(*mention.field) + byte);
            return;
        case Mention::In::Word:
            step.words[mention.word] += byte;
            return;
        case Mention::In::From:
            transfer->from.offset += byte;
            return;
        case Mention::In::To:
            transfer->to.offset += byte;
            return;
        case Mention::In::Index:
            transfer->indirect->index.offset += byte;
            return;
    }
}

class Emission {
  public:
    Emission(KernelBuilder& kernel, const Lives& lives)
        : kernel_(kernel), lives_(lives), events_(lives.steps()) {}

    void list(const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (step.loop) {
                loop(step);
            } else {
                events_[step.number] = kernel_.emit(placed(step));
            }
        }
    }

  private:
    void loop(const Step& step) {
        const StepLoop& loop = *step.loop;
        const auto is_loop = [](const Step& inner) { return inner.loop != nullptr; };
        if (std::ranges::any_of(loop.body, is_loop) || semaphores_of(loop) > kernel_.loop_semaphores_left()) {
            for (std::uint32_t iteration = 0; iteration < loop.iterations; ++iteration) {
                unrolled_[loop.number] = iteration;
                list(loop.body);
            }
            unrolled_.erase(loop.number);
            return;
        }
        for (const Step& inner : loop.body)
            if (inner.image) kernel_.need_image(*inner.image, inner.place);
        hardware_ = {loop.number, kernel_.begin_loop(loop.iterations, step.place)};
        list(loop.body);
        hardware_.reset();
        kernel_.end_loop();
    }

    // Returns the most semaphores that the loop needs: one for each transfer, two for each engine that may
    // wait for another.
    static unsigned semaphores_of(const StepLoop& loop) {
        unsigned engines = 0, transfers = 0;
        for (const Step& step : loop.body) {
            engines |= 1U << static_cast<unsigned>(step.engine);
            transfers += step.queue ? 1 : 0;
        }
        const auto used = static_cast<unsigned>(std::popcount(engines));
        return transfers + 2 * used * (used - 1);
    }

    Step placed(const Step& step) {
        Step result = step;
        neff::Transfer* transfer = nullptr;
        if (step.transfer) {
            result.transfer = std::make_shared<neff::Transfer>(*step.transfer);
            transfer = result.transfer.get();
        }
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (const Mention& mention : step.mentions)
            if (lives[mention.access] != NoLife)
                move(result, transfer, mention, lives_.all()[lives[mention.access]].byte);
        for (std::size_t i = 0; i < lives.size(); ++i) {
            Access& access = result.accesses[i];
            if (access.view() != nullptr) {
                set_iteration(std::get<TensorView>(access.what),
                              access.role == Role::Read ? &transfer->from : &transfer->to);
            } else if (lives[i] != NoLife) {
                Tile& tile = std::get<Tile>(access.what);
                tile.offset += lives_.all()[lives[i]].byte;
                tile.buffer = 0;
            }
        }
        for (Event& event : result.after)
            if (event.producer == builder::StepProducer) event = events_[event.index];
        if (step.behind) result.after.push_back(events_[*step.behind]);
        return result;
    }

    // Sets the view to the current iterations of unrolled loops; it steps in the loop of the hardware.
    void set_iteration(TensorView& view, neff::Pattern* pattern) const {
        if (view.loop == 0) return;
        std::vector<TensorView::Move> moves = std::exchange(view.others, {});
        moves.push_back({view.loop, view.iterations, view.iteration_step});
        view.loop = 0;
        view.iterations = 1;
        view.iteration_step = 0;
        for (const TensorView::Move& move : moves) {
            if (hardware_ && hardware_->number == move.loop) {
                view.loop = hardware_->offset.loop;
                view.iterations = move.iterations;
                view.iteration_step = move.step;
            } else {
                view.offset += static_cast<std::uint64_t>(move.step * std::int64_t{unrolled_.at(move.loop)});
            }
        }
        const neff::Pattern first = builder::first_element(view);
        pattern->offset = first.offset;
        pattern->iteration_step = first.iteration_step;
        pattern->iteration_count = first.iteration_count;
    }

    struct Hardware {
        std::uint32_t number;
        LoopOffset offset;
    };

    KernelBuilder& kernel_;
    const Lives& lives_;
    std::vector<Event> events_;                                  // by step, for its last iteration
    std::unordered_map<std::uint32_t, std::uint32_t> unrolled_;  // current iterations, by loop
    std::optional<Hardware> hardware_;
};

}  // namespace

void emit(KernelBuilder& kernel, const std::vector<Step>& steps, const Lives& lives) {
    Emission(kernel, lives).list(steps);
}

}  // namespace trnsim::schedule
