// Loops of KernelBuilder.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/loop_code.hpp"

namespace trnsim::builder {

LoopIndex KernelBuilder::begin_loop(std::uint32_t iterations, Where where) try {
    const auto refuse = [&](const std::string& why) { throw Error(fmt::format("loop: {}", why)); };
    check_unfinished();
    if (body_) refuse(fmt::format("it is within that of {}: loops do not nest", body_->name));
    if (!dependences_.derived()) refuse("only with waits that are derived");
    if (iterations < 1 || iterations > MaxIterations)
        refuse(fmt::format("{} iterations, expected 1 to {}", iterations, MaxIterations));
    const std::uint32_t place = program_.number_of(where);
    if (recording_) return record_loop(iterations, place);
    return begin_loop(iterations, place);
} catch (const Error&) {
    throw_at(where);
}

LoopIndex KernelBuilder::begin_loop(std::uint32_t iterations, std::uint32_t place) {
    body_.emplace();
    body_->number = static_cast<std::uint32_t>(program_.loops()) + 1;
    body_->iterations = iterations;
    body_->place = place;
    body_->name = name_of_place(place);
    body_->table_set = table_set_;
    dependences_.begin_loop();
    return {body_->number, iterations, number_};
}

Event KernelBuilder::add_to_loop(Engine engine, const isa::Instruction& instruction, const After& after,
                                 bool data_path, std::uint32_t place) {
    return body_->add({.engine = engine,
                       .instruction = instruction,
                       .data_path = data_path,
                       .after = after,
                       .accesses = dependences_.take_accesses(),
                       .place = place,
                       .queue = {}});
}

Event KernelBuilder::append_transfer(Queue queue, neff::Transfer transfer, const After& after,
                                     std::uint32_t place) {
    count_instruction();
    const auto number = static_cast<std::uint32_t>(package_.transfers.size());
    package_.transfers.push_back(std::move(transfer));
    if (!body_) return own(program_.append_transfer(queue, number, after, place));
    if (!body_->transfers_loop) {
        body_->transfers_loop = static_cast<std::uint32_t>(package_.loops.size());
        package_.loops.push_back({body_->iterations});
    }
    package_.transfers.back().loop = body_->transfers_loop;
    return own(
        body_->add({.engine = program_.owner(queue),
                    .instruction = isa::Instruction(isa::Opcode::DmaTrigger).set(isa::field::Address, number),
                    .data_path = false,
                    .after = after,
                    .accesses = dependences_.take_accesses(),
                    .place = place,
                    .queue = queue,
                    .transfer = number}));
}

void KernelBuilder::check_in_loop(const TensorView& view) const {
    if (view.loop == 0 || (body_ && view.loop == body_->number) || is_recording_loops_of(view)) return;
    throw Error(fmt::format("transfer: {} is a slice of a loop that has ended", view.describe()));
}

// Returns the events before the loop that the calls of each engine come after. An engine's own order holds
// for its data-path instructions, not for its triggers.
std::array<After, neff::EngineCount> KernelBuilder::before_loop() const {
    std::array<After, neff::EngineCount> before;
    for (const std::size_t index : body_->order) {
        const LoopCall& call = body_->calls[index];
        const auto engine = static_cast<std::int32_t>(call.engine);
        const std::int32_t producer =
            call.queue ? neff::EngineCount + static_cast<std::int32_t>(call.queue->number) : engine;
        Dependences::Call entry{{producer, std::numeric_limits<std::uint64_t>::max()}, call.data_path, {}};
        for (const LoopAccess& access : call.accesses) dependences_.enter(entry, access);
        After& all = before.at(static_cast<std::size_t>(engine));
        all.insert(all.end(), entry.after.begin(), entry.after.end());
        std::ranges::copy_if(call.after, std::back_inserter(all),
                             [&](const Event& event) { return event.loop != body_->number; });
    }
    return before;
}

void KernelBuilder::end_loop() {
    if (recording_) return end_recorded_loop();
    dependences_.end_loop();
    if (!body_) throw Error("loop: it has not begun");
    const std::optional<LoopCall> table = body_->settle_tables();
    body_->check_stationary();
    const LoopOrder order(*body_,
                          [this](bool earlier, bool later) { return dependences_.depends(earlier, later); });
    if (table) program_.append(Engine::Scalar, table->instruction, {}, true, table->place);
    write_loop(*body_, order, before_loop(), program_, package_);
    for (const std::size_t index : body_->order) {
        const LoopCall& call = body_->calls[index];
        for (const LoopAccess& access : call.accesses)
            dependences_.leave(access, program_.outside({0, index, body_->number}));
    }
    body_.reset();
}

}  // namespace trnsim::builder
