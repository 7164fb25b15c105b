#include "lib/neff/check_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "lib/collectives/error.hpp"
#include "lib/collectives/generate.hpp"
#include "lib/neff/sizes.hpp"

namespace trnsim::neff {
namespace {

// Bytes [begin, end) of a tensor.
struct Bytes {
    std::uint32_t tensor = 0;
    std::uint64_t begin = 0, end = 0;

    bool meets(const Bytes& other) const {
        return tensor == other.tensor && begin < other.end && other.begin < end;
    }
};

Bytes bytes_of(const Package& package, const Pattern& first, std::uint64_t bytes, const std::string& where) {
    constexpr std::array<std::uint32_t, 4> One{1, 1, 1, 1};
    constexpr std::array<std::int64_t, 4> Nothing{};
    if (first.place != Pattern::Place::Tensor || first.count != One || first.step != Nothing)
        throw Error(fmt::format("{}: expected the first element of a tensor's part", where));
    if (first.tensor >= package.tensors.size())
        throw Error(fmt::format("{}: tensor {} of {}", where, first.tensor, package.tensors.size()));
    const Tensor& tensor = package.tensors[first.tensor];
    const std::uint64_t size = tensor_bytes(tensor);
    if (first.offset > size || bytes > size - first.offset)
        throw Error(fmt::format("{}: {} bytes at {} are out of bounds of tensor '{}' of {} bytes", where,
                                bytes, first.offset, tensor.name, size));
    return {first.tensor, first.offset, first.offset + bytes};
}

// Sizes are the same on all ranks, so that a kernel is one for all of them.
void check_request(const Collective& collective, const std::string& where) {
    const collectives::Request& request = collective.request;
    const auto groups = collectives::checked_groups(request);
    for (const auto& group : groups) {
        if (group.size() != groups.front().size())
            throw Error(fmt::format("{}: groups of {} and {} ranks, expected as many in each", where,
                                    groups.front().size(), group.size()));
    }
    const auto known = collectives::algorithms(request.operation);
    if (collective.algorithm && std::ranges::find(known, *collective.algorithm) == known.end())
        throw Error(fmt::format("{}: {} of {}, which has no such algorithm", where,
                                collectives::name(*collective.algorithm),
                                collectives::name(request.operation)));
}

}  // namespace

void check_collective(const Package& package, const Transfer& transfer, const std::string& where) {
    const Collective& collective = *transfer.collective;
    if (transfer.loop || transfer.indirect || transfer.combination || transfer.transposes)
        throw Error(
            fmt::format("{}: a collective in a loop, with indices, combined or transposed, expected "
                        "none of these",
                        where));
    try {
        check_request(collective, where);
        const collectives::Request& request = collective.request;
        const collectives::Sizes sizes = collectives::sizes_of(request, members_of(collective));
        const std::uint64_t element = element_bytes(request.dtype);
        if (transfer.element_bytes != element)
            throw Error(fmt::format("{}: elements of {} bytes, expected those of {}", where,
                                    transfer.element_bytes, isa::name_of(request.dtype)));
        const Bytes from = bytes_of(package, transfer.from, sizes.input * element, where + ", from");
        const Bytes to = bytes_of(package, transfer.to, sizes.output * element, where + ", to");
        const bool same = from.tensor == to.tensor && from.begin == to.begin && from.end == to.end;
        if (request.in_place != same || (!same && from.meets(to)))
            throw Error(fmt::format("{}: input and output are {}, expected {}", where,
                                    same             ? "the same"
                                    : from.meets(to) ? "partly the same"
                                                     : "apart",
                                    request.in_place ? "one place" : "two that do not meet"));
    } catch (const collectives::Error& error) {
        throw Error(fmt::format("{}: {}", where, error.what()));
    }
}

void check_collectives(const Package& package) {
    const Transfer* first = nullptr;
    for (const Transfer& transfer : package.transfers) {
        if (!transfer.collective) continue;
        if (first == nullptr) first = &transfer;
        if (transfer.queue != first->queue)
            throw Error(fmt::format("collectives in queues '{}' and '{}', expected one",
                                    package.queues[first->queue].name, package.queues[transfer.queue].name));
        if (transfer.collective->request.ranks != first->collective->request.ranks)
            throw Error(fmt::format("collectives of {} and {} ranks, expected one number of them",
                                    first->collective->request.ranks, transfer.collective->request.ranks));
    }
    if (first == nullptr) return;
    for (const Transfer& transfer : package.transfers) {
        if (!transfer.collective && transfer.queue == first->queue)
            throw Error(
                fmt::format("queue '{}': transfer '{}' among collectives, expected nothing else there",
                            package.queues[first->queue].name, transfer.name));
    }
}

}  // namespace trnsim::neff
