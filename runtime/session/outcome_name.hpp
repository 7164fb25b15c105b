// The outcome of a run as text for people.
#pragma once

#include <array>
#include <string_view>

#include "model/system/system.hpp"

namespace trnsim::runtime {

constexpr std::array<std::string_view, 5> OutcomeNames{"done", "core error", "dma error", "hang",
                                                       "stopped"};  // index: Outcome

constexpr std::string_view name_of(tlm::Outcome outcome) {
    return OutcomeNames[static_cast<std::size_t>(outcome)];
}

}  // namespace trnsim::runtime
