// Calls of KernelBuilder as steps, and steps as parts of the program.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using isa::Opcode;

Event KernelBuilder::take(Step step, const Where& where) {
    check_unfinished();
    step.place = program_.number_of(where);
    if (step.queue && !step.transfer->collective) has_transfers_[step.queue->number] = true;
    return recording_ ? record(std::move(step)) : emit(std::move(step));
}

Event KernelBuilder::emit(Step step) {
    if (step.instruction.opcode() == Opcode::GpsimdStart) return start(*step.image, step.after, step.place);
    if (step.function) need_table_of(*step.function, step.place);
    if (step.image) need_image(*step.image, step.place);
    append_arguments(step.words, step.place);
    Dependences::Call call{step.queue ? program_.next_transfer(*step.queue) : program_.next(step.engine),
                           !step.queue, std::move(step.after)};
    for (const Access& access : step.accesses) dependences_.note(call, access);
    if (step.queue) {
        if (step.queue == gpsimd_.queue && gpsimd_.last) call.after.push_back(*gpsimd_.last);
        return append_transfer(*step.queue, std::move(*step.transfer), call.after, step.place);
    }
    const Event event = append(step.engine, step.instruction, call.after, step.data_path, step.place);
    if (step.image) gpsimd_.last = event;
    return event;
}

Event KernelBuilder::record(Step step) {
    check_in_buffers(step);
    count_instruction();
    step.number = steps_++;
    const Event event{.producer = StepProducer, .index = step.number};
    std::vector<Step>& list =
        recording_->loops.empty() ? recording_->steps : recording_->loops.back().loop->body;
    list.push_back(std::move(step));
    return own(event);
}

void KernelBuilder::check_in_buffers(const Step& step) const {
    for (const Access& access : step.accesses) {
        const Tile* tile = access.tile();
        if (tile == nullptr || tile->buffer == 0) continue;
        const bool known =
            tile->buffer <= buffers_.size() && buffers_[tile->buffer - 1].memory == tile->memory;
        if (!known) throw Error(fmt::format("{}: there is no buffer {}", tile->describe(), tile->buffer));
        const Buffer& buffer = buffers_[tile->buffer - 1];
        if (tile->partition + tile->partitions > buffer.partitions || tile->first_byte() > tile->end_byte() ||
            tile->end_byte() > buffer.bytes)
            throw Error(fmt::format("{}: its buffer has {} partitions of {} bytes", tile->describe(),
                                    buffer.partitions, buffer.bytes));
    }
}

Tile KernelBuilder::sbuf(std::uint32_t partitions, isa::Dtype dtype, const std::vector<std::uint32_t>& shape,
                         Where where) try {
    check_unfinished();
    if (!recording_) return own(sbuf_.tile(partitions, dtype, shape));
    Tile tile{.dtype = dtype, .partitions = partitions, .axes = packed_axes(shape)};
    const std::uint64_t bytes = tile.elements() * isa::element_size(dtype);
    tile.buffer = add_buffer({target::Memory::Sbuf, partitions, bytes, {}, neff::Sources::None, true});
    return own(tile);
} catch (const Error&) {
    throw_at(where);
}

Tile KernelBuilder::buffer(target::Memory memory, std::uint32_t partitions, std::uint64_t bytes,
                           const std::string& name, Where where) try {
    check_unfinished();
    if (!recording_)
        throw Error(
            fmt::format("buffer '{}': the builder is eager, where sbuf() and psum() have places", name));
    Tile tile{.memory = memory,
              .dtype = isa::Dtype::U8,
              .partitions = partitions,
              .axes = {{static_cast<std::uint32_t>(bytes), 1}}};
    tile.buffer = add_buffer({memory, partitions, bytes, name, program_.number_of(where)});
    return own(tile);
} catch (const Error&) {
    throw_at(where);
}

std::uint32_t KernelBuilder::add_buffer(Buffer buffer) {
    const std::uint64_t most = target::partition_bytes(target(), buffer.memory);
    const auto refuse = [&](std::string_view what, std::uint64_t found, std::uint64_t limit) {
        throw Error(fmt::format("{} of {} partitions of {} bytes: {} {}, expected 1 to {}, as {} has",
                                buffer.name.empty() ? "a tile" : fmt::format("buffer '{}'", buffer.name),
                                buffer.partitions, buffer.bytes, found, what, limit,
                                target::name_of(buffer.memory)));
    };
    const auto partitions = static_cast<std::uint64_t>(target().partitions);
    if (buffer.partitions < 1 || buffer.partitions > partitions)
        refuse("partitions", buffer.partitions, partitions);
    if (buffer.bytes < 1 || buffer.bytes > most) refuse("bytes a partition", buffer.bytes, most);
    buffers_.push_back(std::move(buffer));
    return static_cast<std::uint32_t>(buffers_.size());
}

std::uint32_t KernelBuilder::another(std::uint32_t buffer) {
    return another(buffer, buffers_[buffer - 1].memory);
}

std::uint32_t KernelBuilder::another(std::uint32_t buffer, target::Memory memory) {
    buffers_.push_back(Buffer(buffers_[buffer - 1]));
    buffers_.back().memory = memory;
    return static_cast<std::uint32_t>(buffers_.size());
}

std::vector<Step> KernelBuilder::take_steps() {
    check_unfinished();
    if (!recording_) throw Error(fmt::format("kernel '{}' records no steps", package_.name));
    if (!recording_->loops.empty())
        throw Error(fmt::format("finish: the loop of {} has not ended",
                                name_of_place(recording_->loops.back().place)));
    std::vector<Step> steps = std::move(recording_->steps);
    recording_.reset();
    instructions_ = 0;  // emitted instructions count
    return steps;
}

LoopIndex KernelBuilder::record_loop(std::uint32_t iterations, std::uint32_t place) {
    Step step;
    step.number = steps_++;
    step.place = place;
    step.loop = std::make_shared<StepLoop>();
    step.loop->number = ++loops_;
    step.loop->iterations = iterations;
    recording_->loops.push_back(std::move(step));
    return {loops_, iterations, number_, true};
}

void KernelBuilder::end_recorded_loop() {
    if (recording_->loops.empty()) throw Error("loop: it has not begun");
    Step step = std::move(recording_->loops.back());
    recording_->loops.pop_back();
    std::vector<Step>& list =
        recording_->loops.empty() ? recording_->steps : recording_->loops.back().loop->body;
    list.push_back(std::move(step));
}

bool KernelBuilder::is_recording_loops_of(const TensorView& view) const {
    const auto is_open = [this](std::uint32_t number) {
        return std::ranges::any_of(recording_->loops,
                                   [=](const Step& step) { return step.loop->number == number; });
    };
    return recording_ && is_open(view.loop) &&
           std::ranges::all_of(view.others, [&](const TensorView::Move& move) { return is_open(move.loop); });
}

std::uint64_t KernelBuilder::iterations_around() const {
    if (!recording_) return body_ ? body_->iterations : 1;
    std::uint64_t iterations = 1;
    for (const Step& step : recording_->loops)
        iterations = std::min<std::uint64_t>(iterations * step.loop->iterations,
                                             std::numeric_limits<std::uint32_t>::max());
    return iterations;
}

std::pair<std::string, std::uint32_t> KernelBuilder::place(std::uint32_t number) const {
    if (number == neff::Sources::None) return {};
    const neff::Sources::Line& found = program_.sources().places.at(number - 1);
    return {program_.sources().files.at(found.file), found.line};
}

std::string KernelBuilder::name_of_place(std::uint32_t number) const {
    const auto [file, line] = place(number);
    return neff::place_name(file, line);
}

}  // namespace trnsim::builder
