#include "compiler/schedule/room.hpp"

#include <algorithm>

namespace trnsim::schedule {

using builder::Step;

Room::Room(const std::vector<Step>& steps, const Lives& lives, const Limits& limits, double share)
    : lives_(lives),
      limits_{share * static_cast<double>(limits.sbuf), share * static_cast<double>(limits.psum)},
      left_(lives.all().size()),
      open_(lives.all().size()) {
    count(steps);
}

void Room::count(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        if (step.loop) count(step.loop->body);
        const std::span<const std::uint32_t> lives = lives_.of(step);
        for (std::size_t i = 0; i < lives.size(); ++i) {
            if (lives[i] != NoLife) {
                ++left_[lives[i]];
            } else if (const builder::Tile* tile = step.accesses[i].tile()) {
                limits_.at(static_cast<std::size_t>(tile->memory)) = 0;
            }
        }
    }
}

bool Room::fits(std::span<const Step> steps) {
    std::array<std::uint64_t, 2> more = used_;
    begun_.clear();
    for (const Step& step : steps) {
        for (const std::uint32_t life : lives_.of(step)) {
            if (life == NoLife || open_[life] != 0 || std::ranges::find(begun_, life) != begun_.end())
                continue;
            begun_.push_back(life);
            more.at(memory_of(life)) += lives_.buffer_of(life).bytes;
        }
    }
    const auto is_within = [&](std::size_t memory) {
        return more.at(memory) == used_.at(memory) ||
               static_cast<double>(more.at(memory)) <= limits_.at(memory);
    };
    return is_within(0) && is_within(1);
}

void Room::issue(std::span<const Step> steps) {
    for (const Step& step : steps) {
        for (const std::uint32_t life : lives_.of(step)) {
            if (life == NoLife || open_[life] != 0) continue;
            open_[life] = 1;
            used_.at(memory_of(life)) += lives_.buffer_of(life).bytes;
        }
    }
    for (const Step& step : steps) {
        for (const std::uint32_t life : lives_.of(step)) {
            if (life != NoLife && --left_[life] == 0)
                used_.at(memory_of(life)) -= lives_.buffer_of(life).bytes;
        }
    }
}

}  // namespace trnsim::schedule
