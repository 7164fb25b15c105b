#include "testbench/functional/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/disassembler.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

using builder::Memory;
using Place = neff::Pattern::Place;

namespace {

RaceCheck race_check(const neff::Target& target, Memory memory) {
    return RaceCheck(builder::partition_bytes(target, memory) *
                     static_cast<std::uint64_t>(target.partitions));
}

}  // namespace

Storage::Storage(const neff::Package& package, std::vector<std::vector<std::uint8_t>> contents)
    : core(package.target),
      tensors(std::move(contents)),
      package_(package),
      agents_(package),
      core_races_{race_check(package.target, Memory::Sbuf), race_check(package.target, Memory::Psum)} {
    for (const std::vector<std::uint8_t>& bytes : tensors) tensor_races_.emplace_back(bytes.size());
}

void Storage::report(bool write, const std::string& place, const RaceCheck::Race& race) const {
    throw Error(fmt::format("race: a {} of {} is not ordered with a {} of {}", write ? "write" : "read",
                            place, race.write ? "write" : "read", agents_.name(race.agent)));
}

void Storage::note(bool write, std::uint64_t address, std::uint64_t bytes, const Actor& actor) {
    const auto window = static_cast<std::uint32_t>(address);
    const builder::Location location = locate(package_.target, window);
    const std::uint64_t partition = builder::partition_bytes(package_.target, location.memory);
    if (location.offset + bytes > partition) {
        throw Error(fmt::format("bytes {} to {} are outside a partition of {}", location.offset,
                                location.offset + bytes - 1, builder::name_of(location.memory)));
    }
    RaceCheck& races = core_races_[static_cast<std::size_t>(location.memory)];
    const std::uint64_t first = location.partition * partition + location.offset;
    const auto race =
        write ? races.write(first, first + bytes, actor) : races.read(first, first + bytes, actor);
    if (!race) return;
    report(write,
           isa::format_address(window + static_cast<std::uint32_t>(race->byte - first),
                               builder::sbuf_partition_stride(package_.target)),
           *race);
}

void Storage::note_tensor(bool write, std::uint32_t tensor, std::uint64_t first, std::uint64_t bytes,
                          const Actor& actor) {
    RaceCheck& races = tensor_races_[tensor];
    const auto race =
        write ? races.write(first, first + bytes, actor) : races.read(first, first + bytes, actor);
    if (race)
        report(write, fmt::format("byte {} of tensor '{}'", race->byte, package_.tensors[tensor].name),
               *race);
    if (write || neff::is_input(package_.tensors[tensor].kind)) return;
    if (const auto byte = races.unwritten(first, first + bytes)) {
        throw Error(fmt::format("reads byte {} of tensor '{}', which nothing has written", *byte,
                                package_.tensors[tensor].name));
    }
}

void Storage::read(const neff::Pattern& side, std::uint64_t place, std::span<std::uint8_t> data,
                   const Actor& actor) {
    if (side.place == Place::Core) {
        note(false, place, data.size(), actor);
        core.copy_out(static_cast<std::uint32_t>(place), data);
        return;
    }
    note_tensor(false, side.tensor, place, data.size(), actor);
    std::ranges::copy(std::span(tensors[side.tensor]).subspan(place, data.size()), data.begin());
}

void Storage::write(const neff::Pattern& side, std::uint64_t place, std::span<const std::uint8_t> data,
                    const Actor& actor) {
    if (side.place == Place::Core) {
        note(true, place, data.size(), actor);
        core.copy_in(static_cast<std::uint32_t>(place), data);
        return;
    }
    note_tensor(true, side.tensor, place, data.size(), actor);
    std::ranges::copy(data, std::span(tensors[side.tensor]).subspan(place, data.size()).begin());
}

}  // namespace trnsim::functional
