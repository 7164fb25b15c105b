#include "testbench/functional/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/neff/sizes.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

std::uint64_t elements(const neff::Pattern& pattern) {
    const auto& [c0, c1, c2, c3] = pattern.count;
    return std::uint64_t{c0} * c1 * c2 * c3;
}

// Returns the number of elements that one index moves.
std::uint64_t row_of(const neff::Transfer& transfer) {
    const std::uint64_t all = elements(transfer.from), indices = elements(transfer.indirect->index);
    if (all % indices != 0) throw Error(fmt::format("{} indices of {} elements", indices, all));
    return all / indices;
}

// Returns whether the innermost dimensions of both patterns are one run of bytes, within a row if there are
// rows.
bool is_dense(const neff::Transfer& transfer) {
    const auto bytes = static_cast<std::int64_t>(transfer.element_bytes);
    if (transfer.indirect && row_of(transfer) % transfer.from.count[0] != 0) return false;
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
    if (!transfer.indirect) return pieces;
    const std::vector<std::uint64_t> indices = places_of(transfer.indirect->index, false);
    const std::uint64_t pieces_of_row = pieces.size() / indices.size();
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].index = indices[i / pieces_of_row];
    return pieces;
}

std::uint64_t number_of_pieces(const neff::Transfer& transfer) {
    if (transfer.collective) return 1;
    const bool dense = is_dense(transfer) && !(transfer.indirect && transfer.combination);
    return elements(transfer.from) / (dense ? std::max<std::uint64_t>(transfer.from.count[0], 1) : 1);
}

bool may_write(const neff::Transfer& transfer, std::uint64_t place) {
    if (transfer.collective) {
        const std::uint64_t begin = transfer.to.offset;
        return begin <= place && place - begin < neff::written_bytes(transfer);
    }
    const bool rows = transfer.indirect && transfer.indirect->scatter;
    const std::int64_t step = rows ? transfer.indirect->step : 0;
    const std::int64_t last =
        step == 0 ? 0 : std::int64_t{transfer.indirect->last} - transfer.indirect->first;
    for (const Piece& piece : pieces_of(transfer)) {
        for (std::int64_t row = 0; row <= last; ++row) {
            const std::uint64_t begin = piece.to + static_cast<std::uint64_t>(row * step);
            if (begin <= place && place - begin < piece.bytes) return true;
        }
    }
    return false;
}

}  // namespace trnsim::functional
