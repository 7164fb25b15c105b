// The kind of model of a core.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim::runtime {

// Rtl: the verilated core. Fast: a model with the same bits and cycles that computes no signals
// (docs/fast-core.md).
enum class Fidelity : std::uint8_t { Rtl, Fast };

std::string_view name_of(Fidelity fidelity);
std::optional<Fidelity> fidelity_of(std::string_view name);

}  // namespace trnsim::runtime
