#include "lib/runtime/fidelity.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace trnsim::runtime {
namespace {

constexpr std::array<std::string_view, 2> Names{"rtl", "fast"};
constexpr unsigned FirstDataPath = 0x10;  // opcodes below are the sequencer's own

}  // namespace

std::string_view name_of(Fidelity fidelity) {
    return Names.at(static_cast<std::size_t>(fidelity));
}

std::optional<Fidelity> fidelity_of(std::string_view name) {
    for (std::size_t i = 0; i < Names.size(); ++i)
        if (Names[i] == name) return static_cast<Fidelity>(i);
    return std::nullopt;
}

void check_fidelity(Fidelity fidelity, const neff::Package& package) {
    if (fidelity == Fidelity::Rtl) return;
    if (!package.images.empty())
        throw std::runtime_error(fmt::format(
            "kernel '{}' has an image for the GpSimd cores, which fidelity fast does not have, expected rtl",
            package.name));
    const auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)];
    for (std::size_t i = 0; i < program.size(); ++i) {
        if (static_cast<unsigned>(program[i].opcode()) < FirstDataPath) continue;
        throw std::runtime_error(fmt::format(
            "kernel '{}', gpsimd instruction {}: fidelity fast does not have {}, expected rtl", package.name,
            i, program[i].info() != nullptr ? program[i].info()->name : "this opcode"));
    }
}

}  // namespace trnsim::runtime
