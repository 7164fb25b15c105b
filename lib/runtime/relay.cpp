#include "lib/runtime/relay.hpp"

namespace trnsim::runtime {

void Relay::attach(tlm::trace::Sink* listener) {
    listener_ = listener;
    if (listener_ == nullptr) return;
    for (Track& track : tracks_) track.handle = listener_->add_track(track.group, track.name);
}

std::uint32_t Relay::add_track(std::string_view group, std::string_view name) {
    const std::uint32_t handle = listener_ == nullptr ? 0 : listener_->add_track(group, name);
    tracks_.push_back({std::string(group), std::string(name), handle});
    return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void Relay::slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
                  std::span<const tlm::trace::Argument> arguments) {
    if (listener_ != nullptr) listener_->slice(tracks_[track].handle, name, start, end, arguments);
}

void Relay::instruction(const tlm::trace::Instruction& instruction) {
    if (listener_ != nullptr) listener_->instruction(instruction);
}

}  // namespace trnsim::runtime
