// The order in which steps are issued: that of the author, with steps brought forward to where their engine would
// stand.
//
// Engines work in the order of their steps. An author's order has the Tensor engine wait for the exponential of a
// block before it begins the next block; here the next block comes first. Steps keep their order where one needs what
// another writes, and where they share what lies in an engine. Nothing moves into a loop, out of it or past it; its body
// is put in order like the rest.
#pragma once

#include "compiler/schedule/depend.hpp"
#include "compiler/schedule/room.hpp"
#include "compiler/schedule/timeline.hpp"

namespace trnsim::schedule {

// Steps ahead of the first one that has not been issued: of engines, and of loads, which need nothing but room.
constexpr std::uint32_t Window = 96, LoadsWindow = 320;

// Puts numbered steps that stand in their author's order into that of issue. `timeline`: of a kernel that begins.
void order(std::vector<builder::Step>& steps, const Lives& lives, const Rows& rows, Room& room,
           Timeline timeline);

// Puts them back.
void restore(std::vector<builder::Step>& steps);

}  // namespace trnsim::schedule
