// Shape rules of collectives.
#include <algorithm>
#include <set>

#include "compiler/hlo/groups.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

Shape one_or_tuple_of(const Site& site, std::vector<Shape> shapes) {
    // A collective of one operand may also have its result in a tuple.
    if (shapes.size() == 1 && !site.shape().is_tuple()) return std::move(shapes.front());
    return tuple_of(std::move(shapes));
}

// The size of the groups; 0: one group of all devices. All have the same.
std::int64_t group_size(const Site& site) {
    const std::vector<Integers> groups = replica_groups(site.attributes());
    (void)group_mode(site.instruction);
    for (const Integers& group : groups) {
        Site::check(group.size() == groups.front().size() && !group.empty(),
                    "the replica groups have different sizes");
    }
    return groups.empty() ? 0 : static_cast<std::int64_t>(groups.front().size());
}

void check_reduction(const Site& site) {
    for (std::size_t i = 0; i < site.operands(); ++i) {
        const Shape scalar = array(site.array(i).type, {});
        const Shape& root = site.called(0).root_instruction().shape;
        // One computation serves operands of several types: XLA takes its opcode.
        const bool fits = parameter_shapes(site.called(0)).size() == 2 && root.is_scalar();
        Site::check(fits,
                    fmt::format("to_apply %{} does not reduce {}", site.called(0).name, format(scalar)));
    }
}

Shape all_reduce(const Site& site) {
    // Groups of an all-reduce may have different sizes.
    (void)replica_groups(site.attributes());
    (void)group_mode(site.instruction);
    check_reduction(site);
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < site.operands(); ++i) shapes.push_back(site.array(i));
    return one_or_tuple_of(site, std::move(shapes));
}

std::size_t the_dimension(const Site& site) {
    Site::check(site.attributes().dimensions.size() == 1, "has one dimension");
    return checked_dimension(site.attributes().dimensions.front(), site.array(0).rank(), "dimension");
}

// The factor between a result and its operand in a dimension: the size of the groups, or what the instruction says where
// all devices are one group.
std::int64_t factor(const Site& site, std::size_t operand, std::size_t dimension, bool grows) {
    const std::int64_t size = group_size(site);
    if (size != 0 && group_mode(site.instruction) != GroupMode::ReplicasAndPartitions) return size;
    const Shape& result = site.shape().is_tuple() && operand < site.shape().tuple.size()
                              ? site.shape().tuple[operand]
                              : site.shape();
    Site::check(result.is_array() && dimension < result.rank(),
                fmt::format("{} has no dimension {}", format(result), dimension));
    const std::int64_t a = site.operand(operand).dimensions[dimension], b = result.dimensions[dimension];
    const std::int64_t small = grows ? a : b, large = grows ? b : a;
    if (small == 0) return 1;
    Site::check(large % small == 0, fmt::format("{} becomes {}", a, b));
    return std::max<std::int64_t>(large / small, 1);
}

Shape all_gather(const Site& site) {
    const std::size_t dimension = the_dimension(site);
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < site.operands(); ++i) {
        Shape shape = site.array(i);
        Site::check(dimension < shape.rank() && shape.dimensions[dimension] <= MaxElements,
                    fmt::format("gathers {} along dimension {}", format(shape), dimension));
        shape.dimensions[dimension] *= factor(site, i, dimension, true);
        shapes.push_back(std::move(shape));
    }
    return one_or_tuple_of(site, std::move(shapes));
}

Shape reduce_scatter(const Site& site) {
    const std::size_t dimension = the_dimension(site);
    check_reduction(site);
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < site.operands(); ++i) {
        Shape shape = site.array(i);
        Site::check(dimension < shape.rank(),
                    fmt::format("scatters {} along dimension {}", format(shape), dimension));
        const std::int64_t parts = factor(site, i, dimension, false);
        Site::check(shape.dimensions[dimension] % parts == 0,
                    fmt::format("dimension {} of {} has no {} equal parts", dimension, format(shape), parts));
        shape.dimensions[dimension] /= parts;
        shapes.push_back(std::move(shape));
    }
    return one_or_tuple_of(site, std::move(shapes));
}

// With a dimension it splits one operand, without it it exchanges as many operands as a group has devices.
Shape all_to_all(const Site& site) {
    const std::int64_t size = group_size(site);
    if (!site.attributes().dimensions.empty()) {
        const std::size_t dimension = the_dimension(site);
        Site::check(site.operands() == 1, "splits one operand");
        Site::check(size == 0 || site.operand(0).dimensions[dimension] % size == 0,
                    fmt::format("dimension {} of {} has no {} equal parts", dimension,
                                format(site.operand(0)), size));
        return site.operand(0);
    }
    Site::check(size == 0 || size == static_cast<std::int64_t>(site.operands()),
                fmt::format("exchanges {} operands in groups of {}", site.operands(), size));
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < site.operands(); ++i) {
        Site::check(
            is_compatible(site.array(i), site.operand(0)),
            fmt::format("operands {} and {} differ", format(site.operand(0)), format(site.operand(i))));
        shapes.push_back(site.operand(i));
    }
    return tuple_of(std::move(shapes));
}

Shape collective_permute(const Site& site) {
    (void)group_mode(site.instruction);
    std::set<std::int64_t> sources, targets;
    for (const SourceTarget& pair : site.attributes().source_target_pairs) {
        Site::check(
            pair.source >= 0 && pair.target >= 0 && pair.source < MaxDevices && pair.target < MaxDevices,
            fmt::format("the pair {{{},{}}} names no devices", pair.source, pair.target));
        Site::check(sources.insert(pair.source).second && targets.insert(pair.target).second,
                    fmt::format("a device of the pair {{{},{}}} appears twice", pair.source, pair.target));
    }
    return site.array(0);
}

Shape collective_broadcast(const Site& site) {
    (void)replica_groups(site.attributes());
    (void)group_mode(site.instruction);
    Site::check(site.operands() == 1, "broadcasts one operand");
    return site.array(0);
}

}  // namespace

Rule collective_rule(Opcode opcode) {
    switch (opcode) {
        case Opcode::AllReduce:
            return all_reduce;
        case Opcode::AllGather:
            return all_gather;
        case Opcode::ReduceScatter:
            return reduce_scatter;
        case Opcode::AllToAll:
            return all_to_all;
        case Opcode::CollectivePermute:
            return collective_permute;
        case Opcode::CollectiveBroadcast:
            return collective_broadcast;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo
