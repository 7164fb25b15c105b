#include "tools/profile/recorder.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace trnsim::profile {
namespace {

// The number in a text of the form "dma 3".
std::optional<std::uint32_t> number_after(std::string_view word, std::string_view text) {
    if (!text.starts_with(word)) return std::nullopt;
    text.remove_prefix(word.size());
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::uint64_t value_of(std::span<const tlm::trace::Argument> arguments, std::string_view name) {
    for (const tlm::trace::Argument& argument : arguments) {
        if (argument.name != name) continue;
        const auto* value = std::get_if<std::uint64_t>(&argument.value);
        return value == nullptr ? 0 : *value;
    }
    return 0;
}

}  // namespace

std::uint32_t Recorder::add_track(std::string_view group, std::string_view name) {
    Track track{next_ == nullptr ? 0 : next_->add_track(group, name)};
    const auto engine = number_after("dma ", group), ring = number_after("ring ", name);
    if (engine && ring) track = {track.next, true, *engine, *ring};
    tracks_.push_back(track);
    return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void Recorder::slice(std::uint32_t number, std::string_view name, std::uint64_t start, std::uint64_t end,
                     std::span<const tlm::trace::Argument> arguments) {
    const Track& track = tracks_.at(number);
    if (next_ != nullptr) next_->slice(track.next, name, start, end, arguments);
    if (!track.dma) return;
    packets_.push_back({track.engine, track.ring, start, end, value_of(arguments, "bytes"),
                        value_of(arguments, "descriptors")});
}

void Recorder::instruction(const tlm::trace::Instruction& instruction) {
    if (next_ != nullptr) next_->instruction(instruction);
    if (instruction.engine < instructions_.size()) instructions_[instruction.engine].push_back(instruction);
}

}  // namespace trnsim::profile
