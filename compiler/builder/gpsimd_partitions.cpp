// Commands of the GpSimd microcode between partitions.
#include <fmt/format.h>

#include <algorithm>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/gpsimd_command.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/rules.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using firmware::Command;

Event KernelBuilder::local_gather(const Tile& dst, const Tile& a, const Tile& index, const After& after,
                                  Where where) try {
    constexpr std::uint32_t MostElements = 32, MostIndices = 4096;
    GpsimdCommand command(target(), "local_gather");
    command.write(dst).read(a).read(index);
    for (const Tile* tile : {&a, &index}) {
        command.require_partitions_of(dst, *tile);
        command.check_overlap(dst, *tile);
    }
    command.require(
        dst.partition % GpsimdCommand::CorePartitions == 0 &&
            dst.partitions % GpsimdCommand::CorePartitions == 0,
        fmt::format("{}: takes whole cores of {} partitions", dst.describe(), GpsimdCommand::CorePartitions));
    command.require(dst.dtype == a.dtype && index.dtype == isa::Dtype::U16,
                    "dst and a are of one type, indices u16");
    command.require(dst.axes.size() == 2 && a.axes.size() == 2 && dst.axes[1].count == a.axes[1].count &&
                        std::has_single_bit(dst.axes[1].count) && dst.axes[1].count <= MostElements &&
                        dst.axes[0].count <= MostIndices,
                    fmt::format("{} and {}: are [indices, elements] and [groups, elements], 1, 2, 4 ... {} "
                                "elements, {} indices at most",
                                dst.describe(), a.describe(), MostElements, MostIndices));
    const std::uint32_t indices = dst.axes[0].count;
    const std::uint32_t columns =
        (indices + GpsimdCommand::CorePartitions - 1) / GpsimdCommand::CorePartitions;
    using Arguments = firmware::LocalGatherArguments;
    command.set_arguments(
        Arguments{dst.partition, dst.partitions, command.row(dst, dst.elements()),
                  command.row(a, a.elements()), command.row(index, columns),
                  static_cast<firmware::Dtype>(dst.dtype), a.axes[0].count, dst.axes[1].count, indices},
        {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}, {offsetof(Arguments, index), index}});
    return append_microcode(static_cast<std::uint32_t>(Command::LocalGather), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                                      const PartitionReduced& options, Where where) try {
    using enum isa::AluOp;
    GpsimdCommand command(target(), "partition_reduce");
    command.write(dst, dst.partitions == 1 ? Role::Write : Role::Update).read(a);
    const bool floats = target::is_float(a.dtype);
    command.require_row_of_cores(dst, a);
    command.require(dst.partition % GpsimdCommand::CorePartitions == 0,
                    fmt::format("{}: the result is in the first partition of a core", dst.describe()));
    Tile shaped = dst;
    shaped.partitions = a.partitions;
    check_same_shape(command.name(), shaped, a);
    command.check_overlap(dst, a);
    command.require(target::is_float(dst.dtype) == floats, "takes floats to floats, integers to integers");
    const bool has = op == Add || op == Max || op == Min || (!floats && op >= BitwiseAnd && op <= BitwiseXor);
    command.require(has, fmt::format("GpSimd does not reduce {} by {}", floats ? "floats" : "integers",
                                     isa::name_of(op)));
    command.require(options.divisor == 0 || floats, "the result of integers is not divided");
    using Arguments = firmware::PartitionReduceArguments;
    command.set_arguments(
        Arguments{command.shape(a), command.tensor(dst), command.tensor(a), alu(op), options.divisor},
        {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}});
    return append_microcode(static_cast<std::uint32_t>(Command::PartitionReduce), command, options.after,
                            where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::partition_broadcast(const Tile& dst, const Tile& a, const After& after,
                                         Where where) try {
    GpsimdCommand command(target(), "partition_broadcast");
    command.write(dst).read(a);
    command.require_row_of_cores(a, dst);
    Tile shaped = a;
    shaped.partitions = dst.partitions;
    check_same_shape(command.name(), shaped, dst);
    command.check_overlap(dst, a);
    command.require(dst.dtype == a.dtype, "dst and a are of one type");
    using Arguments = firmware::PartitionBroadcastArguments;
    command.set_arguments(Arguments{command.shape(dst), command.tensor(dst), command.tensor(a),
                                    a.partition % GpsimdCommand::CorePartitions},
                          {{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}});
    return append_microcode(static_cast<std::uint32_t>(Command::PartitionBroadcast), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

// Moves one row a core. The rows of a side are `to_apart` or `from_apart` partitions apart; the elements are
// dense.
Event KernelBuilder::move_rows(const Tile& to, std::uint32_t to_apart, const Tile& from,
                               std::uint32_t from_apart, std::uint32_t rows, const Where& where) {
    const std::uint32_t stride = partition_stride(target(), target::Memory::Sbuf);
    const auto elements = static_cast<std::uint32_t>(from.elements());
    neff::Transfer transfer;
    transfer.queue = gpsimd_queue().number;
    transfer.element_bytes = isa::element_size(from.dtype);
    const auto side = [&](const Tile& tile, std::uint32_t apart) {
        neff::Pattern pattern;
        pattern.place = neff::Pattern::Space::Core;
        pattern.offset = address_of(target(), target::Memory::Sbuf, tile.partition, tile.offset);
        pattern.step = {isa::element_size(tile.dtype), std::int64_t{apart} * stride, 0, 0};
        pattern.count = {elements, rows, 1, 1};
        return pattern;
    };
    transfer.from = side(from, from_apart);
    transfer.to = side(to, to_apart);
    transfer.name = fmt::format("move rows of {}", from.describe());
    Tile written = to, read = from;
    written.partitions = to_apart * (rows - 1) + 1;
    read.partitions = from_apart * (rows - 1) + 1;
    Step step = transfer_step(*gpsimd_.queue, std::move(transfer), {});
    step.write(written, to_apart == 1 ? Role::Write : Role::Update).named_in(Mention::In::To);
    step.read(read).named_in(Mention::In::From);
    return take(std::move(step), where);
}

Event KernelBuilder::all_partition_reduce(const Tile& dst, const Tile& a, isa::AluOp op,
                                          const PartitionReduced& options, Where where) try {
    constexpr std::uint32_t Apart = GpsimdCommand::CorePartitions;
    check_own(dst);
    check_own(a);
    const GpsimdCommand checks(target(), "all_partition_reduce");
    checks.require(
        dst.partition == 0 && dst.partitions == 1 && a.partition == 0,
        fmt::format("{}, {}: both begin at partition 0, the result has one", dst.describe(), a.describe()));
    checks.require_reached(a);
    const std::uint32_t cores = checks.cores(a);
    if (cores == 1) return partition_reduce(dst, a, op, options, where);
    std::vector<std::uint32_t> counts;
    for (const Axis& axis : a.axes) counts.push_back(axis.count);
    isa::Dtype type = a.dtype == isa::Dtype::U32 ? isa::Dtype::U32 : isa::Dtype::I32;
    if (target::is_float(a.dtype)) type = isa::Dtype::Fp32;
    const std::uint64_t mark = sbuf_mark();
    Tile sums = sbuf(Apart * (cores - 1) + 1, type, counts);
    Tile rows = sbuf(cores, type, counts);
    partition_reduce(sums, a, op, {.divisor = 0, .after = options.after}, where);
    const Event moved = move_rows(rows, 1, sums, Apart, cores, where);
    const Event done = partition_reduce(dst, rows, op, {.divisor = options.divisor, .after = {moved}}, where);
    sbuf_release(mark);
    return done;
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::all_partition_broadcast(const Tile& dst, const Tile& a, const After& after,
                                             Where where) try {
    constexpr std::uint32_t Apart = GpsimdCommand::CorePartitions;
    check_own(dst);
    check_own(a);
    const GpsimdCommand checks(target(), "all_partition_broadcast");
    checks.require(a.partitions == 1 && dst.dtype == a.dtype,
                   fmt::format("{}: is one partition of the type of {}", a.describe(), dst.describe()));
    checks.require_reached(dst);
    checks.row(a, a.elements());
    Tile shaped = a;
    shaped.partitions = dst.partitions;
    check_same_shape(checks.name(), shaped, dst);
    const std::uint32_t cores = checks.cores(dst);
    std::vector<std::uint32_t> counts;
    for (const Axis& axis : a.axes) counts.push_back(axis.count);
    const std::uint64_t mark = sbuf_mark();
    Tile rows = sbuf(Apart * (checks.first_core(dst) + cores - 1) + 1, a.dtype, counts);
    rows = rows.partition_slice(Apart * checks.first_core(dst), Apart * (cores - 1) + 1);
    if (!after.empty()) wait(Engine::Gpsimd, after, where);
    const Event moved = move_rows(rows, Apart, a, 0, cores, where);
    const Event done = partition_broadcast(dst, rows, {moved}, where);
    sbuf_release(mark);
    return done;
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
