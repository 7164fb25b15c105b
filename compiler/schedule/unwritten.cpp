#include "compiler/schedule/unwritten.hpp"

#include <algorithm>

namespace trnsim::schedule {

using builder::Box;
using builder::Span;

namespace {

// Adds the parts of a box that are not in another one that it meets.
void add_rest(std::vector<Box>& rest, const Box& box, const Box& gone) {
    const Span along{std::max(box.along.first, gone.along.first), std::min(box.along.end, gone.along.end)};
    const auto add = [&](const Span& a, const Span& b) {
        if (a.first < a.end && b.first < b.end) rest.push_back({a, b});
    };
    add({box.along.first, along.first}, box.across);
    add({along.end, box.along.end}, box.across);
    add(along, {box.across.first, std::min(box.across.end, gone.across.first)});
    add(along, {std::max(box.across.first, gone.across.end), box.across.end});
}

}  // namespace

void Unwritten::write(const builder::Tile& tile) {
    if (boxes_.empty()) return;
    const builder::Footprint footprint = builder::footprint_of(tile);
    if (!footprint.exact) return;
    for (const Box& gone : footprint.boxes) {
        std::vector<Box> rest;
        for (const Box& box : boxes_) {
            if (box.along.meets(gone.along) && box.across.meets(gone.across)) {
                add_rest(rest, box, gone);
            } else {
                rest.push_back(box);
            }
        }
        boxes_ = std::move(rest);
    }
}

}  // namespace trnsim::schedule
