#include "compiler/hlo/groups.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"

namespace trnsim::hlo {
namespace {

std::int64_t checked_product(const Integers& sizes, std::string_view what) {
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1; }))
        throw Error(fmt::format("{} [{}] has a size below 1", what, format(sizes)));
    const std::int64_t product = elements(sizes);
    if (product > MaxDevices)
        throw Error(fmt::format("{} [{}] has more than {} devices", what, format(sizes), MaxDevices));
    return product;
}

// Returns the numbers from 0 in the order of an iota of this shape after its transpose.
Integers transposed_iota(const Integers& reshape, const Integers& given) {
    const std::int64_t count = checked_product(reshape, "the iota");
    Integers permutation = given;
    if (permutation.empty()) {
        permutation.resize(reshape.size());
        std::iota(permutation.begin(), permutation.end(), 0);
    }
    Integers sorted = permutation;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i))
            throw Error(fmt::format("({}) is no permutation", format(permutation)));
    }
    if (permutation.size() != reshape.size())
        throw Error(fmt::format("({}) does not permute [{}]", format(permutation), format(reshape)));
    const std::size_t rank = reshape.size();
    Integers stride(rank, 1), sizes(rank), strides(rank), index(rank, 0), order;
    for (std::size_t d = rank; d-- > 1;) stride[d - 1] = stride[d] * reshape[d];
    for (std::size_t d = 0; d < rank; ++d) {
        sizes[d] = reshape[static_cast<std::size_t>(permutation[d])];
        strides[d] = stride[static_cast<std::size_t>(permutation[d])];
    }
    order.reserve(static_cast<std::size_t>(count));
    for (std::int64_t n = 0; n < count; ++n) {
        order.push_back(std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0}));
        for (std::size_t d = rank; d-- > 0;) {
            if (++index[d] < sizes[d]) break;
            index[d] = 0;
        }
    }
    return order;
}

std::vector<Integers> rows(const Integers& order, std::int64_t groups, std::int64_t size) {
    if (groups < 1 || size < 1 || groups > MaxDevices || size > MaxDevices ||
        groups * size != static_cast<std::int64_t>(order.size())) {
        throw Error(
            fmt::format("{} groups of {} are not the {} devices of the iota", groups, size, order.size()));
    }
    std::vector<Integers> result;
    for (auto at = order.begin(); at != order.end(); at += size) result.emplace_back(at, at + size);
    return result;
}

std::vector<Integers> from_iota(const IotaGroups& groups) {
    return rows(transposed_iota(groups.reshape, groups.permutation), groups.groups, groups.size);
}

// The axes of a group vary fastest, in their order; the others number the groups.
std::vector<Integers> from_mesh(const MeshGroups& groups) {
    if (!groups.mesh) throw Error("the replica groups name no mesh");
    // Axes are split where a part of them is meant, so that each part is meant as a whole or not at all.
    struct Part {
        std::int64_t size;
        std::size_t place;  // among the axes of a group, or NotInGroup
    };
    constexpr std::size_t NotInGroup = std::size_t{1} << 32;
    std::vector<Part> parts;
    Integers sizes;
    for (const MeshAxis& axis : groups.mesh->axes) sizes.push_back(axis.size);
    const std::int64_t devices = checked_product(sizes, "the mesh");
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        std::vector<std::pair<std::int64_t, std::size_t>> cuts;  // first factor before the part, place
        for (std::size_t place = 0; place < groups.axes.size(); ++place) {
            if (groups.axes[place].axis == static_cast<std::int64_t>(a))
                cuts.emplace_back(groups.axes[place].sub_axis ? groups.axes[place].sub_axis->pre_size : 1,
                                  place);
        }
        std::ranges::sort(cuts);
        std::int64_t before = 1;
        for (const auto& [pre, place] : cuts) {
            const std::int64_t size =
                groups.axes[place].sub_axis ? groups.axes[place].sub_axis->size : sizes[a];
            if (pre < before || size < 1 || pre % before != 0 || size > sizes[a] || pre > sizes[a] ||
                sizes[a] % (pre * size) != 0) {
                throw Error(fmt::format("'{}' of size {} has no part ({}){}", groups.mesh->axes[a].name,
                                        sizes[a], pre, size));
            }
            if (pre != before) parts.push_back({pre / before, NotInGroup});
            parts.push_back({size, place});
            before = pre * size;
        }
        if (before != sizes[a]) parts.push_back({sizes[a] / before, NotInGroup});
    }
    for (const AxisReference& reference : groups.axes) {
        if (reference.axis < 0 || reference.axis >= static_cast<std::int64_t>(sizes.size()))
            throw Error(fmt::format("the mesh has no axis {}", reference.axis));
    }
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const bool a_outside = parts[a].place == NotInGroup, b_outside = parts[b].place == NotInGroup;
        return a_outside != b_outside ? a_outside : !a_outside && parts[a].place < parts[b].place;
    });
    Integers reshape, permutation;
    std::int64_t size = 1;
    for (const Part& part : parts) reshape.push_back(part.size);
    for (const std::size_t at : order) {
        permutation.push_back(static_cast<std::int64_t>(at));
        if (parts[at].place != NotInGroup) size *= parts[at].size;
    }
    Integers ids = transposed_iota(reshape, permutation);
    if (groups.mesh->order) {
        const Integers named = transposed_iota(groups.mesh->order->reshape, groups.mesh->order->permutation);
        if (static_cast<std::int64_t>(named.size()) != devices)
            throw Error(
                fmt::format("the order of the mesh has {} devices, the mesh {}", named.size(), devices));
        for (std::int64_t& id : ids) id = named[static_cast<std::size_t>(id)];
    }
    return rows(ids, devices / size, size);
}

std::vector<Integers> from_lists(const std::vector<ReplicaGroup>& lists) {
    std::vector<Integers> groups;
    for (const ReplicaGroup& group : lists) groups.push_back(group.ids);
    // One empty group means all devices.
    if (groups.size() == 1 && groups.front().empty()) groups.clear();
    return groups;
}

std::vector<Integers> decoded(const Attributes& a) {
    if (a.mesh_groups) return from_mesh(*a.mesh_groups);
    if (a.iota_groups) return from_iota(*a.iota_groups);
    if (a.device_list && a.device_list->iota) return from_iota(*a.device_list->iota);
    if (a.device_list && !a.device_list->groups.empty()) return from_lists(a.device_list->groups);
    return from_lists(a.replica_groups);
}

}  // namespace

std::vector<Integers> replica_groups(const Attributes& attributes) {
    std::vector<Integers> groups = decoded(attributes);
    Integers ids;
    for (const Integers& group : groups) ids.insert(ids.end(), group.begin(), group.end());
    std::ranges::sort(ids);
    if (!ids.empty() && (ids.front() < 0 || ids.back() >= MaxDevices))
        throw Error(
            fmt::format("the replica groups have the id {}", ids.front() < 0 ? ids.front() : ids.back()));
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end()) throw Error(fmt::format("the replica groups have the id {} twice", *twice));
    return groups;
}

GroupMode group_mode(const Instruction& instruction) {
    const bool channel = instruction.attributes.channel > 0,
               global = instruction.attributes.use_global_device_ids;
    if (global && !channel) throw Error("use_global_device_ids asks for a channel_id");
    switch (instruction.opcode) {
        case Opcode::AllToAll:
        case Opcode::CollectivePermute:
        case Opcode::CollectiveBroadcast:
            if (global) throw Error("has no global device ids");
            return channel ? GroupMode::Partitions : GroupMode::Replicas;
        default:
            if (global) return GroupMode::Devices;
            return channel ? GroupMode::ReplicasAndPartitions : GroupMode::Replicas;
    }
}

}  // namespace trnsim::hlo
