#include "compiler/schedule/lives.hpp"
#include "isa/element_type.hpp"

#include <algorithm>
#include <unordered_map>

namespace trnsim::schedule {

using builder::Access;
using builder::Buffer;
using builder::Role;
using builder::Step;
using builder::Tile;

namespace {

void number_from(std::vector<Step>& steps, std::vector<std::uint32_t>& old) {
    for (Step& step : steps) {
        old.push_back(step.number);
        step.number = static_cast<std::uint32_t>(old.size()) - 1;
        if (step.loop) number_from(step.loop->body, old);
    }
}

void rename(std::vector<Step>& steps, const std::unordered_map<std::uint32_t, std::uint32_t>& names) {
    for (Step& step : steps) {
        for (builder::Event& event : step.after)
            if (event.producer == builder::StepProducer)
                event.index = names.at(static_cast<std::uint32_t>(event.index));
        if (step.loop) rename(step.loop->body, names);
    }
}

// Returns whether a tile is all of its buffer.
bool covers(const Tile& tile, const Buffer& buffer) {
    std::int64_t elements = 1;
    for (auto axis = tile.axes.rbegin(); axis != tile.axes.rend(); ++axis) {
        if (axis->count != 1 && axis->step != elements) return false;
        elements *= axis->count;
    }
    return tile.offset == 0 && tile.partition == 0 && tile.partitions == buffer.partitions &&
           static_cast<std::uint64_t>(elements) * isa::element_size(tile.dtype) == buffer.bytes;
}

// Returns whether the step gives all of the buffer new contents and needs none of the old ones.
bool renews(const Step& step, std::uint32_t number, const Buffer& buffer) {
    bool whole = false;
    for (const Access& access : step.accesses) {
        const Tile* tile = access.tile();
        if (tile == nullptr || tile->buffer != number) continue;
        if (access.role != Role::Write) return false;
        whole = whole || covers(*tile, buffer);
    }
    return whole;
}

// Finds the buffers of a loop's steps. The value is true if their first access in an iteration needs the
// contents from the previous one.
void find_carried(const std::vector<Step>& steps, const std::vector<Buffer>& buffers,
                  std::unordered_map<std::uint32_t, bool>& carried) {
    for (const Step& step : steps) {
        if (step.loop) find_carried(step.loop->body, buffers, carried);
        for (const Access& access : step.accesses) {
            const Tile* tile = access.tile();
            if (tile == nullptr || tile->buffer == 0 || carried.contains(tile->buffer)) continue;
            carried.emplace(tile->buffer, !renews(step, tile->buffer, buffers[tile->buffer - 1]));
        }
    }
}

}  // namespace

void number(std::vector<Step>& steps) {
    std::vector<std::uint32_t> old;
    number_from(steps, old);
    if (std::ranges::is_sorted(old) && (old.empty() || old.back() == old.size() - 1)) return;
    std::unordered_map<std::uint32_t, std::uint32_t> names;
    for (std::size_t i = 0; i < old.size(); ++i) names.emplace(old[i], static_cast<std::uint32_t>(i));
    rename(steps, names);
}

Lives::Lives(const std::vector<Step>& steps, const std::vector<Buffer>& buffers)
    : buffers_(buffers), current_(buffers.size() + 1, NoLife), pins_(buffers.size() + 1, 0) {
    walk(steps);
    set_extents(steps);
}

void Lives::walk(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        begins_.push_back(static_cast<std::uint32_t>(lives_.size()));
        if (step.loop) {
            enter_loop(step);
        } else {
            enter(step);
        }
    }
}

void Lives::enter(const Step& step) {
    const std::size_t begin = lives_.size();
    for (std::size_t i = 0; i < step.accesses.size(); ++i) {
        const Tile* tile = step.accesses[i].tile();
        if (tile == nullptr || tile->buffer == 0) {
            lives_.push_back(NoLife);
            continue;
        }
        const auto same =
            std::find_if(step.accesses.begin(), step.accesses.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const Access& other) {
                             return other.tile() != nullptr && other.tile()->buffer == tile->buffer;
                         });
        const auto before = static_cast<std::size_t>(same - step.accesses.begin());
        lives_.push_back(before < i
                             ? lives_[begin + before]
                             : life_of(tile->buffer, renews(step, tile->buffer, buffers_[tile->buffer - 1])));
    }
}

void Lives::enter_loop(const Step& step) {
    std::unordered_map<std::uint32_t, bool> carried;
    find_carried(step.loop->body, buffers_, carried);
    std::vector<std::uint32_t> pinned;
    for (const auto& [buffer, carries] : carried)
        if (carries) pinned.push_back(buffer);
    std::ranges::sort(pinned);
    for (const std::uint32_t buffer : pinned) {
        carried_.push_back({step.number, life_of(buffer, false)});
        ++pins_[buffer];
    }
    walk(step.loop->body);
    for (const std::uint32_t buffer : pinned) --pins_[buffer];
}

std::uint32_t Lives::life_of(std::uint32_t buffer, bool anew) {
    std::uint32_t& life = current_[buffer];
    if (life == NoLife || (anew && pins_[buffer] == 0)) {
        life = static_cast<std::uint32_t>(all_.size());
        all_.push_back({.buffer = buffer});
    }
    return life;
}

void Lives::set_extents(const std::vector<Step>& steps) {
    for (Life& life : all_) life.first = NoLife, life.last = 0;
    std::uint32_t at = 0;
    extend(steps, at);
}

void Lives::extend(const std::vector<Step>& steps, std::uint32_t& at) {
    const auto touch = [this](std::uint32_t number, std::uint32_t first, std::uint32_t last) {
        all_[number].first = std::min(all_[number].first, first);
        all_[number].last = std::max(all_[number].last, last);
    };
    for (const Step& step : steps) {
        const std::uint32_t here = at++;
        if (!step.loop) {
            for (const std::uint32_t life : of(step))
                if (life != NoLife) touch(life, here, here);
            continue;
        }
        extend(step.loop->body, at);
        const auto begin = std::ranges::lower_bound(carried_, step.number, {}, &Carried::loop);
        for (auto carried = begin; carried != carried_.end() && carried->loop == step.number; ++carried)
            touch(carried->life, here, at - 1);
    }
}

}  // namespace trnsim::schedule
