// Places in SBUF and PSUM for the lives of buffers.
#pragma once

#include <optional>
#include <vector>

#include "compiler/schedule/lives.hpp"
#include "compiler/schedule/memory.hpp"

namespace trnsim::schedule {

// Places for all lives, whose extents are those of the order of issue; places that the author chose stay free for the whole
// time: all of the bytes below the end of them. Returns a life that found none, if there is one; then the others have no
// meaning. First in turns, so that nobody waits for who had the bytes before; where that does not fit the largest first.
std::optional<std::uint32_t> allocate(const std::vector<builder::Step>& steps, Lives& lives,
                                      const Limits& limits);

}  // namespace trnsim::schedule
