// Transfers of KernelBuilder that select rows by indices.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/patterns.hpp"
#include "compiler/builder/rules.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

// Returns the view without the indexed axis, for all partitions: they have an axis of their own or none.
TensorView without_rows(const Tile& tile, const TensorView& view) {
    TensorView row = view;
    if (row.axes.size() == tile.axes.size() + 1) {
        row.axes.front() = {tile.partitions, 0};
    } else if (!row.axes.empty()) {
        row.axes.erase(row.axes.begin());
    }
    return row;
}

void check_index(const target::Core& target, std::string_view name, const Tile& index, const Tile& tile,
                 bool one_for_all) {
    check_operand(target, name, index);
    const bool fits = index.memory == target::Memory::Sbuf && index.dtype == isa::Dtype::I32 &&
                      index.elements() == 1 &&
                      (index.partitions == tile.partitions || (one_for_all && index.partitions == 1));
    if (fits) return;
    throw Error(
        fmt::format("{}: index {}: expected i32 [{}, 1] in SBUF", name, index.describe(), tile.partitions));
}

}  // namespace

Event KernelBuilder::gather(Queue queue, const Tile& to, const TensorView& from, const Tile& index,
                            const Indexed& options, Where where) try {
    return transfer_rows(queue, to, from, index, true, options, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::scatter(Queue queue, const TensorView& to, const Tile& from, const Tile& index,
                             const Indexed& options, Where where) try {
    return transfer_rows(queue, from, to, index, false, options, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::transfer_rows(Queue queue, const Tile& tile, const TensorView& view, const Tile& index,
                                   bool gather, const Indexed& options, const Where& where) {
    const std::string_view name = gather ? "gather" : "scatter";
    check_queue(queue);
    check_own(tile);
    check_own(view);
    check_own(index);
    check_own(options.after);
    check_operand(target(), name, tile);
    check_no_collectives(queue);
    check_in_loop(view);
    const TensorView row = without_rows(tile, view);
    check_index(target(), name, index, tile, view.axes.size() == tile.axes.size() + 2);
    PatternPair pair = transfer_patterns(target(), tile, row);
    const std::int64_t apart =
        view.axes.front().step * static_cast<std::int64_t>(isa::element_size(view.dtype));
    const std::int64_t last =
        std::int64_t{options.first} + static_cast<std::int64_t>(view.axes.front().count) - 1;
    if (last != static_cast<std::int32_t>(last))
        throw Error(
            fmt::format("{}: {}: rows up to {}, expected indices of 32 bits", name, view.describe(), last));
    neff::Transfer transfer;
    transfer.queue = queue.number;
    transfer.element_bytes = isa::element_size(tile.dtype);
    neff::Indirect& indirect = transfer.indirect.emplace();
    indirect.scatter = !gather;
    indirect.index.place = neff::Pattern::Space::Core;
    indirect.index.offset = address_of(target(), index.memory, index.partition, index.offset);
    indirect.index.step[0] = partition_stride(target(), index.memory);
    indirect.index.count[0] = index.partitions;
    indirect.step = apart;
    indirect.first = options.first;
    indirect.last = static_cast<std::int32_t>(last);
    indirect.skip = options.skip;
    transfer.from = gather ? pair.tensor : pair.core;
    transfer.to = gather ? pair.core : pair.tensor;
    transfer.name = fmt::format("{} {}", name, view.describe());
    if (options.combine != isa::AluOp::Bypass && (gather || options.skip))
        throw Error(
            fmt::format("{}: combines, expected a scatter with every index in bounds", transfer.name));
    combine_by(transfer, options.combine, tile.dtype);
    Step step = transfer_step(queue, std::move(transfer), options.after);
    if (gather) {
        step.write(tile, options.skip ? Role::Some : Role::Write).named_in(Mention::In::To);
        step.read(view);
    } else {
        step.write(view, Role::Some);
        step.read(tile).named_in(Mention::In::From);
    }
    step.read(index).named_in(Mention::In::Index);
    return take(std::move(step), where);
}

}  // namespace trnsim::builder
