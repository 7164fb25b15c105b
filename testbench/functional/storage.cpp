#include "testbench/functional/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/target/memory.hpp"
#include "compiler/neff/images.hpp"
#include "compiler/neff/unwritten.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

using target::Memory;
using Space = neff::Pattern::Space;

namespace {

constexpr std::size_t MaxRaces = 20;

RaceCheck race_check(const target::Core& target, Memory memory) {
    return RaceCheck(target::partition_bytes(target, memory) * static_cast<std::uint64_t>(target.partitions));
}

}  // namespace

Storage::Storage(const neff::Package& package, std::vector<std::vector<std::uint8_t>> contents,
                 const Journal& journal, std::vector<std::string>* races, Watcher* watcher)
    : core(package.target, races == nullptr),
      tensors(std::move(contents)),
      package_(package),
      journal_(journal),
      races_(races),
      watcher_(watcher),
      core_races_{race_check(package.target, Memory::Sbuf), race_check(package.target, Memory::Psum)},
      gpsimd_(package.images.empty()
                  ? 0
                  : std::size_t{target::gpsimd_cores(package.target)} * isa::window::GpsimdTcmStride),
      gpsimd_races_(gpsimd_.size()) {
    for (const neff::GpsimdImage& image : package.images) images_.push_back(neff::contents_of(image).bytes);
    for (const std::vector<std::uint8_t>& bytes : tensors) tensor_races_.emplace_back(bytes.size());
}

void Storage::report(bool write, const std::string& place, const RaceCheck::Race& race, const Actor& actor) {
    const auto name_of = [](bool is_write) { return is_write ? "write" : "read"; };
    const std::string text =
        fmt::format("race: a {} of {} is not ordered with a {} of {}", name_of(write), place,
                    name_of(race.write), journal_.describe(race.agent, race.time));
    if (races_ == nullptr) throw Error(text);
    const bool is_new =
        reported_
            .insert(fmt::format("{} {} {} {}", name_of(write), journal_.key(actor.agent, actor.time),
                                name_of(race.write), journal_.key(race.agent, race.time)))
            .second;
    if (is_new && races_->size() < MaxRaces)
        races_->push_back(fmt::format("{}: {}", journal_.describe(actor.agent, actor.time), text));
}

void Storage::tell(const Place& to, std::uint64_t bytes, const Actor& actor,
                   const std::optional<Place>& from) const {
    if (watcher_ != nullptr)
        watcher_->writes({to, bytes, actor.agent, actor.time, journal_.work(actor.agent, actor.time), from});
}

void Storage::note(bool write, std::uint64_t address, std::uint64_t bytes, const Actor& actor) {
    note_core(write, address, bytes, actor);
    if (write) tell({Space::Core, 0, address}, bytes, actor, {});
}

void Storage::note_core(bool write, std::uint64_t address, std::uint64_t bytes, const Actor& actor) {
    accessed_ += bytes;
    const auto window = static_cast<std::uint32_t>(address);
    if (const auto byte = gpsimd_byte(address, bytes)) {
        const auto race = write ? gpsimd_races_.write(*byte, *byte + bytes, actor)
                                : gpsimd_races_.read(*byte, *byte + bytes, actor);
        if (race) {
            report(write,
                   fmt::format("byte 0x{:x} of the memory of GpSimd core {}",
                               race->byte % isa::window::GpsimdTcmStride,
                               race->byte / isa::window::GpsimdTcmStride),
                   *race, actor);
        }
        return;
    }
    const target::Location location = functional::locate(package_.target, window);
    const std::uint64_t partition = target::partition_bytes(package_.target, location.memory);
    if (location.offset + bytes > partition) {
        throw Error(fmt::format("bytes {} to {} are outside a partition of {}", location.offset,
                                location.offset + bytes - 1, target::name_of(location.memory)));
    }
    RaceCheck& races = core_races_[static_cast<std::size_t>(location.memory)];
    const std::uint64_t first = location.partition * partition + location.offset;
    const auto race =
        write ? races.write(first, first + bytes, actor) : races.read(first, first + bytes, actor);
    if (!race) return;
    report(write,
           isa::format_address(window + static_cast<std::uint32_t>(race->byte - first),
                               target::sbuf_partition_stride(package_.target)),
           *race, actor);
}

std::optional<std::uint64_t> Storage::gpsimd_byte(std::uint64_t address, std::uint64_t bytes) const {
    if (address < isa::window::GpsimdTcmBase || address >= isa::window::EventBase) return std::nullopt;
    const std::uint64_t byte = address - isa::window::GpsimdTcmBase;
    if (byte + bytes > gpsimd_.size())
        throw Error(fmt::format("there is no GpSimd memory at 0x{:x}", address));
    return byte;
}

std::span<std::uint8_t> Storage::gpsimd(std::uint32_t core, std::uint32_t address, std::size_t bytes) {
    const std::uint64_t first = neff::gpsimd_place(core, address) - isa::window::GpsimdTcmBase;
    if (first + bytes > gpsimd_.size()) return {};
    return std::span(gpsimd_).subspan(first, bytes);
}

void Storage::note_tensor(bool write, std::uint32_t tensor, std::uint64_t first, std::uint64_t bytes,
                          const Actor& actor) {
    accessed_ += bytes;
    RaceCheck& races = tensor_races_[tensor];
    const auto race =
        write ? races.write(first, first + bytes, actor) : races.read(first, first + bytes, actor);
    if (race)
        report(write, fmt::format("byte {} of tensor '{}'", race->byte, package_.tensors[tensor].name), *race,
               actor);
    if (write || races_ != nullptr || neff::is_input(package_.tensors[tensor].kind)) return;
    if (const auto byte = races.unwritten(first, first + bytes)) {
        throw Error(fmt::format("reads byte {} of tensor '{}', which nothing has written", *byte,
                                package_.tensors[tensor].name));
    }
}

void Storage::expect_outputs(const std::vector<bool>& given) const {
    for (std::size_t i = 0; races_ == nullptr && i < tensors.size(); ++i) {
        const neff::Tensor& tensor = package_.tensors[i];
        if (!neff::is_output(tensor.kind) || neff::is_input(tensor.kind) || given[i]) continue;
        const auto first = tensor_races_[i].unwritten(0, tensors[i].size());
        if (!first) continue;
        const std::uint64_t bytes = isa::element_size(tensor.dtype), elements = tensors[i].size() / bytes;
        std::uint64_t missing = 0;
        for (std::uint64_t element = *first / bytes; element < elements; ++element)
            missing += tensor_races_[i].unwritten(element * bytes, (element + 1) * bytes) ? 1 : 0;
        throw Error(neff::describe(package_, {i, missing, *first / bytes}));
    }
}

void Storage::read(const neff::Pattern& side, std::uint64_t place, std::span<std::uint8_t> data,
                   const Actor& actor) {
    if (side.place == Space::Image) {
        std::ranges::copy(std::span(images_[side.tensor]).subspan(place, data.size()), data.begin());
        return;
    }
    if (side.place == Space::Core) {
        note(false, place, data.size(), actor);
        if (const auto byte = gpsimd_byte(place, data.size())) {
            std::ranges::copy(std::span(gpsimd_).subspan(*byte, data.size()), data.begin());
            return;
        }
        core.copy_out(static_cast<std::uint32_t>(place), data);
        return;
    }
    note_tensor(false, side.tensor, place, data.size(), actor);
    std::ranges::copy(std::span(tensors[side.tensor]).subspan(place, data.size()), data.begin());
}

void Storage::keep(const neff::Pattern& side, std::uint64_t bytes, const Actor& actor) {
    note_tensor(true, side.tensor, side.offset, bytes, actor);
}

void Storage::write(const neff::Pattern& side, std::uint64_t place, std::span<const std::uint8_t> data,
                    const Actor& actor, const std::optional<Place>& from) {
    if (side.place == Space::Core) {
        note_core(true, place, data.size(), actor);
        tell({Space::Core, 0, place}, data.size(), actor, from);
        if (const auto byte = gpsimd_byte(place, data.size())) {
            std::ranges::copy(data, gpsimd_.begin() + static_cast<std::ptrdiff_t>(*byte));
            return;
        }
        core.copy_in(static_cast<std::uint32_t>(place), data);
        return;
    }
    note_tensor(true, side.tensor, place, data.size(), actor);
    tell({Space::Tensor, side.tensor, place}, data.size(), actor, from);
    std::ranges::copy(data, std::span(tensors[side.tensor]).subspan(place, data.size()).begin());
}

}  // namespace trnsim::functional
