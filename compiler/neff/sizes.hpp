// Sizes that follow from a package.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

constexpr std::uint64_t MaxTensorBytes = std::uint64_t{1} << 40;

constexpr std::uint32_t IndexBytes = 4;  // bytes of an element of Indirect::index

// Throws Error for a code that is no type and when the size exceeds MaxTensorBytes.
std::uint64_t tensor_bytes(const Tensor& tensor);
// Returns the elements that a pattern visits.
std::uint64_t element_count(const Pattern& pattern);
// Returns the outermost dimension of more than one element; 0: there is none except the innermost.
std::size_t outermost(const Pattern& pattern);
// Returns the members of each group of a collective's ranks: all groups have the same number.
std::size_t members_of(const Collective& collective);
// Returns the ranks of the kernel's collectives; nothing: it has no collectives.
std::optional<std::uint32_t> ranks_of(const Package& package);
// Return the bytes of `from` that a transfer moves in an iteration, and those it writes; for a collective,
// the bytes of a rank's input and output.
std::uint64_t moved_bytes(const Transfer& transfer);
std::uint64_t written_bytes(const Transfer& transfer);
// Returns the elements of a transfer that one index moves.
std::uint64_t row_elements(const Transfer& transfer);
// Returns the position of an element in its tensor, e.g. "[1, 3]".
std::string position(const Tensor& tensor, std::size_t index);

}  // namespace trnsim::neff
