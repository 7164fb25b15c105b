#include "compiler/neff/check_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compiler/collectives/error.hpp"
#include "compiler/collectives/generate.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"

namespace trnsim::neff {
namespace {

// Bytes [begin, end) of a tensor.
struct ByteRange {
    std::uint32_t tensor = 0;
    std::uint64_t begin = 0, end = 0;

    bool meets(const ByteRange& other) const {
        return tensor == other.tensor && begin < other.end && other.begin < end;
    }
};

// Input or output of a collective.
class Part {
  public:
    Part(const Package& package, const Pattern& first, std::uint64_t bytes, std::string where)
        : first_(first), bytes_(bytes), where_(std::move(where)) {
        constexpr std::array<std::uint32_t, 4> One{1, 1, 1, 1};
        constexpr std::array<std::int64_t, 4> Nothing{};
        if (first.place != Pattern::Space::Tensor || first.count != One || first.step != Nothing)
            throw Error(fmt::format("{}: expected the first element of a tensor's part", where_));
        if (first.tensor >= package.tensors.size())
            throw Error(fmt::format("{}: tensor {} of {}", where_, first.tensor, package.tensors.size()));
        tensor_ = &package.tensors[first.tensor];
        size_ = tensor_bytes(*tensor_);
    }

    ByteRange in(std::uint32_t iteration) const {
        const std::uint64_t offset = at_iteration(first_, iteration).offset;
        if (offset > size_ || bytes_ > size_ - offset)
            throw Error(fmt::format("{}: {} bytes at {} are out of bounds of tensor '{}' of {} bytes", where_,
                                    bytes_, static_cast<std::int64_t>(offset), tensor_->name, size_));
        return {first_.tensor, offset, offset + bytes_};
    }

  private:
    const Pattern& first_;
    std::uint64_t bytes_;
    std::string where_;
    const Tensor* tensor_ = nullptr;
    std::uint64_t size_ = 0;
};

void check_number(std::uint64_t collectives, const std::string& where) {
    if (collectives > MaxCollectives)
        throw Error(fmt::format("{}{} collectives, expected at most {} in a kernel", where, collectives,
                                MaxCollectives));
}

// In one place, or in two that do not meet.
void check_places(const ByteRange& from, const ByteRange& to, bool in_place, const std::string& where) {
    const bool same = from.tensor == to.tensor && from.begin == to.begin && from.end == to.end;
    if (in_place != same || (!same && from.meets(to)))
        throw Error(fmt::format("{}: input and output are {}, expected {}", where,
                                same             ? "the same"
                                : from.meets(to) ? "partly the same"
                                                 : "apart",
                                in_place ? "one place" : "two that do not meet"));
}

// Checks that sizes are the same on all ranks, so that one kernel serves all of them.
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

void check_collective(const Package& package, const Transfer& transfer, std::uint32_t iterations,
                      const std::string& where) {
    const Collective& collective = *transfer.collective;
    if (transfer.indirect || transfer.combination || transfer.transposes)
        throw Error(fmt::format(
            "{}: a collective with indices, combined or transposed, expected none of these", where));
    check_number(iterations, where + ": ");
    try {
        check_request(collective, where);
        const collectives::Request& request = collective.request;
        const collectives::Sizes sizes = collectives::sizes_of(request, members_of(collective));
        const std::uint64_t element = isa::element_size(request.dtype);
        if (transfer.element_bytes != element)
            throw Error(fmt::format("{}: elements of {} bytes, expected those of {}", where,
                                    transfer.element_bytes, isa::name_of(request.dtype)));
        const Part from(package, transfer.from, sizes.input * element, where + ", from");
        const Part to(package, transfer.to, sizes.output * element, where + ", to");
        for (std::uint32_t i = 0; i < iterations; ++i)
            check_places(from.in(i), to.in(i), request.in_place,
                         i == 0 ? where : fmt::format("{}, iteration {}", where, i));
    } catch (const collectives::Error& error) {
        throw Error(fmt::format("{}: {}", where, error.what()));
    }
}

void check_collectives(const Package& package) {
    const Transfer* first = nullptr;
    std::uint64_t all = 0;
    for (const Transfer& transfer : package.transfers) {
        if (!transfer.collective) continue;
        all += iterations_of(package, transfer);
        if (first == nullptr) first = &transfer;
        if (transfer.queue != first->queue)
            throw Error(fmt::format("collectives in queues '{}' and '{}', expected one",
                                    package.queues[first->queue].name, package.queues[transfer.queue].name));
        if (transfer.collective->request.ranks != first->collective->request.ranks)
            throw Error(fmt::format("collectives of {} and {} ranks, expected one number of them",
                                    first->collective->request.ranks, transfer.collective->request.ranks));
    }
    if (first == nullptr) return;
    check_number(all, "");
    for (const Transfer& transfer : package.transfers) {
        if (!transfer.collective && transfer.queue == first->queue)
            throw Error(
                fmt::format("queue '{}': transfer '{}' among collectives, expected nothing else there",
                            package.queues[first->queue].name, transfer.name));
    }
}

}  // namespace trnsim::neff
