#include "testbench/functional/race_check.hpp"

#include <algorithm>

namespace trnsim::functional {

RaceCheck::RaceCheck(std::uint64_t bytes) : pages_((bytes + PageBytes - 1) / PageBytes) {}

RaceCheck::Cell& RaceCheck::cell(std::uint64_t byte) {
    std::unique_ptr<Page>& page = pages_[byte / PageBytes];
    if (page == nullptr) page = std::make_unique<Page>();
    return (*page)[byte % PageBytes];
}

std::uint32_t RaceCheck::number_of(const Actor& actor) {
    const Access& newest = accesses_.back();
    if (accesses_.size() == 1 || newest.agent != actor.agent || newest.time != actor.time) {
        accesses_.push_back({actor.agent, actor.time});
        added_.clear();
    }
    return static_cast<std::uint32_t>(accesses_.size() - 1);
}

// Drops the reads that the actor knows: an access that is ordered after this read is ordered after them.
std::uint32_t RaceCheck::with_read(std::uint32_t set, std::uint32_t access, const Actor& actor) {
    const auto [found, fresh] = added_.try_emplace(set);
    if (fresh) {
        Set reads;
        for (const std::uint32_t other : sets_[set]) {
            if (other != access && !known(other, actor)) reads.push_back(other);
        }
        reads.push_back(access);
        found->second = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back(std::move(reads));
    }
    return found->second;
}

std::optional<std::uint32_t> RaceCheck::unknown_in(std::uint32_t set, const Actor& actor) const {
    const auto other =
        std::ranges::find_if(sets_[set], [&](std::uint32_t access) { return !known(access, actor); });
    return other == sets_[set].end() ? std::nullopt : std::optional(*other);
}

std::optional<RaceCheck::Race> RaceCheck::unordered_write(std::uint64_t byte, const Cell& cell,
                                                          const Actor& actor) const {
    if (cell.write == 0 || known(cell.write, actor)) return std::nullopt;
    return Race{byte, accesses_[cell.write].agent, accesses_[cell.write].time, true};
}

std::optional<RaceCheck::Race> RaceCheck::read(std::uint64_t first, std::uint64_t end, const Actor& actor) {
    const std::uint32_t access = number_of(actor);
    std::optional<Race> race;
    Cell before{}, after{};  // of the previous byte: neighbours are mostly alike
    for (std::uint64_t byte = first; byte < end; ++byte) {
        Cell& here = cell(byte);
        if (byte == first || here.write != before.write || here.reads != before.reads) {
            if (!race) race = unordered_write(byte, here, actor);
            before = here;
            after = {here.write, with_read(here.reads, access, actor)};
        }
        here = after;
    }
    return race;
}

std::optional<RaceCheck::Race> RaceCheck::write(std::uint64_t first, std::uint64_t end, const Actor& actor) {
    const std::uint32_t access = number_of(actor);
    std::optional<Race> race;
    Cell before{};
    for (std::uint64_t byte = first; byte < end; ++byte) {
        Cell& here = cell(byte);
        if (byte == first || here.write != before.write || here.reads != before.reads) {
            if (!race) race = unordered_write(byte, here, actor);
            if (const auto reader = unknown_in(here.reads, actor); reader && !race)
                race = Race{byte, accesses_[*reader].agent, accesses_[*reader].time, false};
            before = here;
        }
        here = {access, 0};
    }
    return race;
}

std::optional<std::uint64_t> RaceCheck::unwritten(std::uint64_t first, std::uint64_t end) const {
    for (std::uint64_t byte = first; byte < end; ++byte) {
        const std::unique_ptr<Page>& page = pages_[byte / PageBytes];
        if (page == nullptr || (*page)[byte % PageBytes].write == 0) return byte;
    }
    return std::nullopt;
}

}  // namespace trnsim::functional
