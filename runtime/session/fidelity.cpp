#include "runtime/session/fidelity.hpp"

#include <array>

namespace trnsim::runtime {
namespace {

constexpr std::array<std::string_view, 2> Names{"rtl", "fast"};

}  // namespace

std::string_view name_of(Fidelity fidelity) {
    return Names.at(static_cast<std::size_t>(fidelity));
}

std::optional<Fidelity> fidelity_of(std::string_view name) {
    for (std::size_t i = 0; i < Names.size(); ++i)
        if (Names[i] == name) return static_cast<Fidelity>(i);
    return std::nullopt;
}

}  // namespace trnsim::runtime
