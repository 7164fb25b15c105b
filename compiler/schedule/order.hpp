// The order in which steps are issued: that of the author, with steps brought forward to cycles in which
// their engine would be idle.
//
// Engines work in the order of their steps. An author's order makes the Tensor engine wait for the
// exponential of a block before it begins the next block; here the next block comes first. Steps keep their
// order if one needs data that another writes, and if they share state in an engine. Nothing moves into a
// loop, out of it or past it; its body is ordered like the rest.
//
// A step that Vector and Scalar may both execute goes to the one on which it ends first when it is issued; a
// little later on Scalar, if Vector has more left that no other engine can execute.
#pragma once

#include "compiler/schedule/depend.hpp"
#include "compiler/schedule/room.hpp"
#include "compiler/schedule/timeline.hpp"

namespace trnsim::schedule {

// Largest distance from the first step that has not been issued: for engines, and for loads, which need
// nothing but room.
constexpr std::uint32_t Window = 96, LoadsWindow = 320;

// Puts numbered steps, which are in their author's order, into the order of issue. `timeline` is at the start
// of the kernel. Returns the estimated cycle in which all is done, with one iteration of each loop.
std::uint64_t order(std::vector<builder::Step>& steps, const Lives& lives, const Rows& rows, Room& room,
                    Timeline timeline);

// Restores the author's order. Engines that have been chosen stay.
void restore(std::vector<builder::Step>& steps);

}  // namespace trnsim::schedule
