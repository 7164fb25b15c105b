#include "compiler/builder/kernel_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/lane_instruction.hpp"
#include "compiler/builder/patterns.hpp"
#include "compiler/builder/rules.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;

namespace {

BuilderNumber next_number() {
    static std::atomic<BuilderNumber> numbers = NoBuilder;
    return ++numbers;
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name, std::string arguments, const target::Chip& target, Waits waits,
                             Sink sink)
    : number_(next_number()),
      hbm_stacks_(target.hbm_stacks),
      hbm_stack_(target.hbm_stack),
      max_instructions_(target.max_instructions),
      sbuf_(target),
      dependences_(waits) {
    const bool usable = target.rows > 0 && target.columns > 0 &&
                        target.partitions >= std::max(target.rows, target.columns) &&
                        target.sbuf_partition > 0 && target.psum_banks > 0 &&
                        target.psum_partition >= 4ULL * static_cast<unsigned>(target.psum_banks) &&
                        target.dma_engines > 0 && target.dma_rings > 0;
    if (!usable) throw Error(fmt::format("kernel '{}': the target is not usable", name));
    package_.name = std::move(name);
    package_.arguments = std::move(arguments);
    package_.origin.builder = TRNSIM_VERSION;
    package_.target = target;
    if (sink == Sink::Steps) recording_.emplace();
}

TensorView KernelBuilder::tensor(const std::string& name, neff::TensorKind kind, isa::Dtype dtype,
                                 const std::vector<std::uint64_t>& shape, Where where) try {
    check_unfinished();
    if (has_tensor(name)) {
        throw Error(fmt::format("tensor '{}' is declared twice", name));
    }
    if (shape.empty() || std::ranges::find(shape, 0u) != shape.end()) {
        throw Error(fmt::format("tensor '{}' is empty", name));
    }
    take_memory(name, dtype, shape);
    TensorView view{static_cast<std::uint32_t>(package_.tensors.size()), name, dtype, 0, {}};
    view.axes.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        view.axes[i] = {shape[i], step};
        step *= static_cast<std::int64_t>(shape[i]);
    }
    package_.tensors.push_back({name, kind, dtype, shape});
    dependences_.add_tensor(dtype, shape);
    return own(view);
} catch (const Error&) {
    throw_at(where);
}

bool KernelBuilder::has_tensor(const std::string& name) const {
    return std::ranges::find(package_.tensors, name, &neff::Tensor::name) != package_.tensors.end();
}

void KernelBuilder::take_memory(const std::string& name, isa::Dtype dtype,
                                const std::vector<std::uint64_t>& shape) {
    const std::uint64_t stack = hbm_stack_ == 0 ? neff::MaxTensorBytes : hbm_stack_;
    const std::uint64_t all = hbm_stack_ == 0 ? neff::MaxTensorBytes : hbm_stacks_ * hbm_stack_;
    std::uint64_t bytes = isa::element_size(dtype);
    if (bytes == 0)
        throw Error(
            fmt::format("tensor '{}': undefined element type {}", name, static_cast<unsigned>(dtype)));
    bool fits = true;
    for (const std::uint64_t count : shape) fits = fits && !__builtin_mul_overflow(bytes, count, &bytes);
    if (!fits || bytes > stack || bytes > all - tensor_bytes_) {
        throw Error(fmt::format(
            "tensor '{}' of {} {} takes {} bytes, those before it {}: HBM has {} bytes, {} for one tensor",
            name, fmt::join(shape, "x"), isa::name_of(dtype), fits ? std::to_string(bytes) : "more than 2^64",
            tensor_bytes_, all, stack));
    }
    tensor_bytes_ += bytes;
}

void KernelBuilder::check_unfinished() const {
    if (finished_) throw Error(fmt::format("kernel '{}' is finished", package_.name));
}

void KernelBuilder::count_instruction() {
    check_unfinished();
    if (++instructions_ > max_instructions_) {
        throw Error(
            fmt::format("kernel '{}' has more than {} instructions", package_.name, max_instructions_));
    }
}

Tile KernelBuilder::psum(Bank bank, std::uint32_t partitions, std::uint32_t columns, Where where) const try {
    return own(psum_tile(target(), bank, partitions, columns));
} catch (const Error&) {
    throw_at(where);
}

Queue KernelBuilder::queue(const std::string& name, isa::Engine owner, Where where) try {
    check_unfinished();
    if (package_.queues.size() >= static_cast<std::size_t>(target().dma_rings)) {
        throw Error(fmt::format("queue '{}': the target has {} DMA rings", name, target().dma_rings));
    }
    package_.queues.push_back({name, owner});
    has_transfers_.push_back(false);
    return own(program_.add_queue(owner));
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::check_own(const Tile& tile) const {
    if (are_of_two_builders(tile.builder, number_))
        throw Error(fmt::format("{}: a tile of another kernel", tile.describe()));
}

void KernelBuilder::check_own(const TensorView& view) const {
    if (are_of_two_builders(view.builder, number_))
        throw Error(fmt::format("{}: a tensor of another kernel", view.describe()));
}

void KernelBuilder::check_own(const After& after) const {
    for (const Event& event : after)
        if (are_of_two_builders(event.builder, number_)) throw Error("after: an event of another kernel");
}

void KernelBuilder::check_queue(Queue queue) const {
    if (are_of_two_builders(queue.builder, number_))
        throw Error(fmt::format("queue {}: a queue of another kernel", queue.number));
    if (queue.number >= package_.queues.size())
        throw Error(fmt::format("there is no queue {}", queue.number));
}

Event KernelBuilder::load(Queue queue, const Tile& to, const TensorView& from, const After& after,
                          Where where) try {
    return transfer(queue, to, from, true, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::store(Queue queue, const TensorView& to, const Tile& from, const After& after,
                           Where where) try {
    return transfer(queue, from, to, false, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::combine(Queue queue, const TensorView& to, isa::AluOp op, const Tile& from,
                             const After& after, Where where) try {
    return transfer(queue, from, to, false, after, where, op);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::load_transposed(Queue queue, const Tile& to, const TensorView& from, const After& after,
                                     Where where) try {
    return transfer(queue, to, from.swapped(0, from.axes.size() - 1), true, after, where, isa::AluOp::Bypass,
                    true);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::store_transposed(Queue queue, const TensorView& to, const Tile& from, const After& after,
                                      Where where) try {
    return transfer(queue, from, to.swapped(0, to.axes.size() - 1), false, after, where, isa::AluOp::Bypass,
                    true);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::transfer(Queue queue, const Tile& tile, const TensorView& view, bool load,
                              const After& after, const Where& where, isa::AluOp combine, bool transposes) {
    check_queue(queue);
    check_own(tile);
    check_own(view);
    check_own(after);
    check_operand(target(), "transfer", tile);
    check_no_collectives(queue);
    check_in_loop(view);
    const PatternPair pair = transfer_patterns(target(), tile, view);
    neff::Transfer transfer;
    transfer.queue = queue.number;
    transfer.element_bytes = isa::element_size(tile.dtype);
    transfer.from = load ? pair.tensor : pair.core;
    transfer.to = load ? pair.core : pair.tensor;
    transfer.name =
        fmt::format("{}{} {}", load ? "load" : "store", transposes ? "_transposed" : "", view.describe());
    // A row or a column is its own transpose.
    transfer.transposes = transposes && neff::outermost(transfer.from) != 0;
    combine_by(transfer, combine, tile.dtype);
    Step step = transfer_step(queue, std::move(transfer), after);
    if (load) {
        step.write(tile).named_in(Mention::In::To);
        step.read(view);
    } else {
        step.write(view, combine == isa::AluOp::Bypass ? Role::Write : Role::Update);
        step.read(tile).named_in(Mention::In::From);
    }
    return take(std::move(step), where);
}

Step KernelBuilder::transfer_step(Queue queue, neff::Transfer transfer, const After& after) const {
    Step step(program_.owner(queue), isa::Instruction(Opcode::DmaTrigger), after);
    step.data_path = false;
    step.queue = queue;
    step.transfer = std::make_shared<neff::Transfer>(std::move(transfer));
    return step;
}

Event KernelBuilder::append_lanes(Engine engine, LaneInstruction& lanes, const After& after,
                                  const Where& where, std::optional<isa::Activation> function) {
    Step step = lanes.finish(engine, after);
    for (const Access& access : step.accesses) check_own(*access.tile());
    check_own(after);
    step.function = function;
    return take(std::move(step), where);
}

Event KernelBuilder::load_stationary(const Tile& stationary, const Stationary& options, Where where) try {
    constexpr std::string_view Name = "load_stationary";
    check_operand(target(), Name, stationary);
    check_array_rows(target(), Name, stationary, options.row_tile);
    const std::uint64_t columns =
        static_cast<std::uint64_t>(target().columns) / (options.column_group ? isa::array::ColumnGroups : 1);
    if (stationary.elements() > columns) {
        throw Error(fmt::format("{}: {}: the {} {} columns", Name, stationary.describe(),
                                options.column_group ? "column group has" : "array has", columns));
    }
    if (options.column_group.value_or(0) >= isa::array::ColumnGroups) {
        throw Error(fmt::format("{}: there is no column group {}", Name, *options.column_group));
    }
    Instruction instruction(Opcode::LoadStationary);
    set_shape(instruction, stationary);
    set_operand(instruction, isa::Role::A, target(), stationary);
    instruction.set(field::Partitions, stationary.partitions)
        .set(field::RowTile, options.row_tile ? 1u : 0u)
        .set(field::ColumnTile, options.column_group ? 1u : 0u)
        .set(field::ColumnGroup, options.column_group.value_or(0))
        .set(field::Onezero, options.onezero ? 1u : 0u);
    check_own(stationary);
    check_own(options.after);
    Step step(Engine::Tensor, instruction, options.after);
    step.read(stationary).named_in(Mention::In::Field, isa::fields_of(isa::Role::A).address);
    const Event loaded = take(std::move(step), where);
    stationary_ = Loaded{stationary, options.row_tile, options.column_group};
    return loaded;
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::multiply_moving(const Tile& dst, const Tile& moving, const Moving& options,
                                     Where where) try {
    constexpr std::string_view Name = "multiply_moving";
    if (!stationary_) throw Error(fmt::format("{}: no stationary operand is loaded", Name));
    const auto& [stationary, row_tile, column_group] = *stationary_;
    check_operand(target(), Name, dst);
    check_operand(target(), Name, moving);
    check_array_rows(target(), Name, moving, row_tile);
    check_accumulator(target(), Name, dst);
    if (moving.partition != stationary.partition || moving.partitions > stationary.partitions) {
        throw Error(fmt::format("{}: {} does not begin at the first row of {} or goes beyond its rows", Name,
                                moving.describe(), stationary.describe()));
    }
    if (!target::multiplies(stationary.dtype, moving.dtype)) {
        throw Error(fmt::format("{}: {} does not go with {}: fp32 and tf32 only go with each other", Name,
                                isa::name_of(moving.dtype), isa::name_of(stationary.dtype)));
    }
    Tile rows = dst;
    rows.partitions = moving.partitions;  // the free axes have to agree, the partitions are K and M
    check_same_shape(Name, rows, moving);
    if (dst.partitions > stationary.elements()) {
        throw Error(fmt::format("{}: {} goes beyond the {} columns of {}", Name, dst.describe(),
                                stationary.elements(), stationary.describe()));
    }
    if (moving.elements() > target::bank_columns(target())) {
        throw Error(fmt::format("{}: {}: a PSUM bank holds {} elements", Name, moving.describe(),
                                target::bank_columns(target())));
    }
    Instruction instruction(Opcode::MultiplyMoving);
    set_shape(instruction, moving);
    set_operand(instruction, isa::Role::Dst, target(), dst);
    set_operand(instruction, isa::Role::A, target(), moving);
    instruction.set(field::Partitions, moving.partitions)
        .set(field::Columns, dst.partitions)
        .set(field::RowTile, row_tile ? 1u : 0u)
        .set(field::ColumnTile, column_group ? 1u : 0u)
        .set(field::ColumnGroup, column_group.value_or(0))
        .set(field::Accumulate, options.accumulate ? 1u : 0u)
        .set(field::Onezero, options.onezero ? 1u : 0u);
    check_own(dst);
    check_own(moving);
    check_own(options.after);
    Step step(Engine::Tensor, instruction, options.after);
    step.write(dst, options.accumulate ? Role::Update : Role::Write)
        .named_in(Mention::In::Field, isa::fields_of(isa::Role::Dst).address);
    step.read(moving).named_in(Mention::In::Field, isa::fields_of(isa::Role::A).address);
    return take(std::move(step), where);
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::wait(isa::Engine engine, const After& after, Where where) try {
    check_own(after);
    Step step(engine, Instruction(Opcode::EventSemaphore), after);
    step.data_path = false;
    take(std::move(step), where);
} catch (const Error&) {
    throw_at(where);
}

neff::Package KernelBuilder::finish() {
    if (body_) throw Error(fmt::format("finish: the loop of {} has not ended", body_->name));
    check_unfinished();
    if (recording_)
        throw Error(
            fmt::format("kernel '{}' records steps, which schedule::compile() finishes", package_.name));
    program_.assign(package_);
    finished_ = true;
    return package_;  // not moved: messages of later calls name its contents
}

}  // namespace trnsim::builder
