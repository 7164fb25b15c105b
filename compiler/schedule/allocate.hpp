// Places in SBUF and PSUM for the lives of buffers.
#pragma once

#include <optional>
#include <vector>

#include "compiler/schedule/lives.hpp"
#include "compiler/schedule/memory.hpp"

namespace trnsim::schedule {

// Finds places for all lives, whose extents are those of the order of issue. Places that the author chose
// stay free all the time: all bytes below their end. Returns a life without a place, if there is one; then
// the places of the others have no meaning. It first assigns bytes in turns, so that no life waits for the
// previous owner of its bytes; if that does not fit, the largest lives first.
std::optional<std::uint32_t> allocate(const std::vector<builder::Step>& steps, Lives& lives,
                                      const Limits& limits);

}  // namespace trnsim::schedule
