// How large a module may be. Modules come from strangers: every reader holds these limits before it asks for
// memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trnsim::hlo {

inline constexpr std::size_t MaxBytes = std::size_t{1} << 29;         // of a file, after inflation
inline constexpr std::size_t MaxMessages = std::size_t{1} << 22;      // instructions, shapes, and all else
inline constexpr std::size_t MaxInstructions = std::size_t{1} << 20;  // of a module
inline constexpr std::size_t MaxDepth = 32;                           // of tuples, shardings and messages
inline constexpr std::size_t MaxCallDepth = 64;                       // computations that call each other
inline constexpr std::size_t MaxRank = 64;                            // dimensions of an array
inline constexpr std::int64_t MaxElements = std::int64_t{1} << 40;    // of an array
inline constexpr std::size_t MaxLeaves = std::size_t{1} << 20;        // arrays in a tuple
inline constexpr std::int64_t MaxDevices = std::int64_t{1} << 20;     // in the replica groups of a collective

}  // namespace trnsim::hlo
