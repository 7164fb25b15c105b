// Sizes that follow from a package.
#pragma once

#include <cstdint>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

constexpr std::uint64_t MaxTensorBytes = std::uint64_t{1} << 40;

constexpr std::uint32_t IndexBytes = 4;  // of an element of Indirect::index

// Throws Error for a type that is none and when the size exceeds MaxTensorBytes.
std::uint64_t tensor_bytes(const Tensor& tensor);
// Elements a pattern visits.
std::uint64_t element_count(const Pattern& pattern);
// The outermost dimension of more than one element; 0: there is none but the innermost.
std::size_t outermost(const Pattern& pattern);
// Members of the group that a collective's ranks are in. Groups have as many each.
std::size_t members_of(const Collective& collective);
// That the kernel's collectives are for; none: it has no collectives.
std::optional<std::uint32_t> ranks_of(const Package& package);
// Bytes of `from` that a transfer moves in an iteration, and those it writes; of a collective: of a rank's input and
// output.
std::uint64_t moved_bytes(const Transfer& transfer);
std::uint64_t written_bytes(const Transfer& transfer);
// Elements of a transfer that one index moves.
std::uint64_t row_elements(const Transfer& transfer);

}  // namespace trnsim::neff
