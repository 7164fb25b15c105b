#include "testbench/functional/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

using Place = neff::Pattern::Place;

// Dimensions of both patterns that are dense on both sides are moved as one piece.
std::uint32_t dense_bytes(const neff::Transfer& transfer) {
    const auto bytes = static_cast<std::int64_t>(transfer.element_bytes);
    const bool dense = transfer.from.step[0] == bytes && transfer.to.step[0] == bytes &&
                       transfer.from.count[0] == transfer.to.count[0];
    return dense ? transfer.element_bytes * transfer.from.count[0] : transfer.element_bytes;
}

std::vector<std::int64_t> piece_offsets(const neff::Pattern& pattern, bool dense) {
    neff::Pattern pieces = pattern;
    if (dense) pieces.count[0] = 1;
    std::vector<std::int64_t> offsets;
    for_each_element(pieces, [&](std::int64_t offset) { offsets.push_back(offset); });
    return offsets;
}

std::span<std::uint8_t> tensor_bytes(std::vector<std::vector<std::uint8_t>>& tensors,
                                     const neff::Pattern& pattern, std::int64_t offset, std::uint32_t bytes) {
    std::vector<std::uint8_t>& tensor = tensors.at(pattern.tensor);
    const auto first = static_cast<std::uint64_t>(static_cast<std::int64_t>(pattern.offset) + offset);
    if (first > tensor.size() || bytes > tensor.size() - first) {
        throw Error(fmt::format("bytes {}+{} are outside tensor {} of {} bytes", first, bytes, pattern.tensor,
                                tensor.size()));
    }
    return std::span(tensor).subspan(first, bytes);
}

}  // namespace

void for_each_element(const neff::Pattern& pattern, const std::function<void(std::int64_t)>& visit) {
    const auto& [c0, c1, c2, c3] = pattern.count;
    for (std::int64_t i3 = 0; i3 < c3; ++i3) {
        for (std::int64_t i2 = 0; i2 < c2; ++i2) {
            for (std::int64_t i1 = 0; i1 < c1; ++i1) {
                const std::int64_t outer = i3 * pattern.step[3] + i2 * pattern.step[2] + i1 * pattern.step[1];
                for (std::int64_t i0 = 0; i0 < c0; ++i0) visit(outer + i0 * pattern.step[0]);
            }
        }
    }
}

void run_transfer(const neff::Transfer& transfer, std::vector<std::vector<std::uint8_t>>& tensors,
                  CoreMemory& memory) {
    const std::uint32_t bytes = dense_bytes(transfer);
    const bool dense = bytes != transfer.element_bytes;
    const std::vector<std::int64_t> from = piece_offsets(transfer.from, dense);
    const std::vector<std::int64_t> to = piece_offsets(transfer.to, dense);
    if (from.size() != to.size())
        throw Error(fmt::format("{} elements to {} places", from.size(), to.size()));
    std::vector<std::uint8_t> piece(bytes);
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (transfer.from.place == Place::Tensor) {
            std::ranges::copy(tensor_bytes(tensors, transfer.from, from[i], bytes), piece.begin());
        } else {
            memory.copy_out(
                static_cast<std::uint32_t>(static_cast<std::int64_t>(transfer.from.offset) + from[i]), piece);
        }
        if (transfer.to.place == Place::Tensor) {
            std::ranges::copy(piece, tensor_bytes(tensors, transfer.to, to[i], bytes).begin());
        } else {
            memory.copy_in(static_cast<std::uint32_t>(static_cast<std::int64_t>(transfer.to.offset) + to[i]),
                           piece);
        }
    }
}

}  // namespace trnsim::functional
