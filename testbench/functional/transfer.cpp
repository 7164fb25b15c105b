#include "testbench/functional/transfer.hpp"

#include <fmt/format.h>

#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

// Whether the innermost dimensions of both patterns are one run of bytes.
bool is_dense(const neff::Transfer& transfer) {
    const auto bytes = static_cast<std::int64_t>(transfer.element_bytes);
    return transfer.from.step[0] == bytes && transfer.to.step[0] == bytes &&
           transfer.from.count[0] == transfer.to.count[0];
}

std::vector<std::uint64_t> places_of(neff::Pattern pattern, bool dense) {
    if (dense) pattern.count[0] = 1;
    const auto& [c0, c1, c2, c3] = pattern.count;
    const auto& step = pattern.step;
    std::vector<std::uint64_t> places;
    for (std::int64_t i3 = 0; i3 < c3; ++i3) {
        for (std::int64_t i2 = 0; i2 < c2; ++i2) {
            for (std::int64_t i1 = 0; i1 < c1; ++i1) {
                const std::int64_t outer = i3 * step[3] + i2 * step[2] + i1 * step[1];
                for (std::int64_t i0 = 0; i0 < c0; ++i0)
                    places.push_back(pattern.offset + static_cast<std::uint64_t>(outer + i0 * step[0]));
            }
        }
    }
    return places;
}

}  // namespace

std::vector<Piece> pieces_of(const neff::Transfer& transfer) {
    const bool dense = is_dense(transfer);
    const std::vector<std::uint64_t> from = places_of(transfer.from, dense);
    const std::vector<std::uint64_t> to = places_of(transfer.to, dense);
    if (from.size() != to.size())
        throw Error(fmt::format("{} elements to {} places", from.size(), to.size()));
    const std::uint32_t bytes = transfer.element_bytes * (dense ? transfer.from.count[0] : 1);
    std::vector<Piece> pieces;
    pieces.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) pieces.push_back({from[i], to[i], bytes});
    return pieces;
}

}  // namespace trnsim::functional
