// Commands of the GpSimd microcode that sort and search.
#include <fmt/format.h>

#include "compiler/builder/error.hpp"
#include "compiler/builder/gpsimd_command.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/rules.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using firmware::Command;

namespace {

// Checks the tiles of sorts and selections.
void check_order(const GpsimdCommand& command, const Tile& tile) {
    command.require(isa::element_size(tile.dtype) == 4,
                    fmt::format("{}: has i32, u32 and fp32", tile.describe()));
}

}  // namespace

Event KernelBuilder::sequence_bounds(const Tile& first, const Tile& end, const Tile& ids, const After& after,
                                     Where where) try {
    GpsimdCommand command(target(), "sequence_bounds");
    command.write(first).write(end).read(ids);
    for (const Tile* tile : {&first, &end, &ids}) {
        command.require(tile->partitions == 1 && tile->axes.size() == 1,
                        fmt::format("{}: is one row", tile->describe()));
        command.require_partitions_of(ids, *tile);
        command.require(tile->dtype == isa::Dtype::I32 || tile->dtype == isa::Dtype::Fp32,
                        fmt::format("{}: is i32 or fp32", tile->describe()));
        check_same_shape(command.name(), *tile, ids);
    }
    for (const Tile* source : {&ids, &end}) {
        command.require(first.is_apart_from(*source),
                        fmt::format("{}: overlaps {}", first.describe(), source->describe()));
    }
    command.require(end.is_apart_from(ids), fmt::format("{}: overlaps {}", end.describe(), ids.describe()));
    using Arguments = firmware::SequenceBoundsArguments;
    command.set_arguments(Arguments{ids.partition, ids.axes[0].count, command.tensor(first),
                                    command.tensor(end), command.tensor(ids)},
                          {{offsetof(Arguments, first), first},
                           {offsetof(Arguments, end), end},
                           {offsetof(Arguments, a), ids}});
    return append_microcode(static_cast<std::uint32_t>(Command::SequenceBounds), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::sort(const Tile& dst, const Tile& a, const Sorted& options, Where where) try {
    using Arguments = firmware::SortArguments;
    GpsimdCommand command(target(), "sort");
    command.write(dst).read(a);
    check_same_shape(command.name(), dst, a);
    command.require_partitions_of(dst, a);
    command.check_overlap(dst, a);
    check_order(command, a);
    command.require(dst.dtype == a.dtype, "dst and a are of one type");
    Arguments arguments{a.partition,
                        a.partitions,
                        command.row(dst, dst.elements()),
                        command.row(a, a.elements()),
                        0,
                        static_cast<firmware::Dtype>(a.dtype),
                        static_cast<std::uint32_t>(a.elements()),
                        options.descending ? Arguments::Descending : 0};
    std::vector<GpsimdCommand::TileWord> places{{offsetof(Arguments, dst), dst}, {offsetof(Arguments, a), a}};
    if (options.indices) {
        command.write(*options.indices);
        check_same_shape(command.name(), *options.indices, a);
        command.require_partitions_of(dst, *options.indices);
        for (const Tile* other : {&dst, &a}) {
            command.require(options.indices->is_apart_from(*other),
                            fmt::format("{}: overlaps {}", options.indices->describe(), other->describe()));
        }
        command.require(options.indices->dtype == isa::Dtype::U32, "indices are u32");
        arguments.indices = command.row(*options.indices, a.elements());
        arguments.flags |= Arguments::WithIndices;
        places.push_back({offsetof(Arguments, indices), *options.indices});
    }
    command.set_arguments(arguments, places);
    return append_microcode(static_cast<std::uint32_t>(Command::Sort), command, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::top_k(const Tile& dst, const Tile& indices, const Tile& a, const After& after,
                           Where where) try {
    constexpr std::uint64_t Most = 64;
    GpsimdCommand command(target(), "top_k");
    command.write(dst).write(indices).read(a);
    check_order(command, a);
    command.require(dst.dtype == a.dtype && indices.dtype == isa::Dtype::U32,
                    "dst and a are of one type, indices u32");
    command.require(
        dst.elements() <= std::min(Most, a.elements()),
        fmt::format("{}: selects {} elements at most, and no more than there are", dst.describe(), Most));
    check_same_shape(command.name(), dst, indices);
    for (const Tile* other : {&a, &indices}) command.require_partitions_of(dst, *other);
    for (const auto& [one, other] :
         {std::pair{&dst, &a}, std::pair{&indices, &a}, std::pair{&dst, &indices}}) {
        command.require(one->is_apart_from(*other),
                        fmt::format("{}: overlaps {}", one->describe(), other->describe()));
    }
    using Arguments = firmware::TopKArguments;
    command.set_arguments(
        Arguments{a.partition, a.partitions, command.row(dst, dst.elements()), command.row(a, a.elements()),
                  command.row(indices, dst.elements()), static_cast<firmware::Dtype>(a.dtype),
                  static_cast<std::uint32_t>(a.elements()), static_cast<std::uint32_t>(dst.elements())},
        {{offsetof(Arguments, dst), dst},
         {offsetof(Arguments, a), a},
         {offsetof(Arguments, indices), indices}});
    return append_microcode(static_cast<std::uint32_t>(Command::TopK), command, after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
