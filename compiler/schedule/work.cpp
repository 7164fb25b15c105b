#include "compiler/schedule/work.hpp"
#include "isa/element_type.hpp"

#include <algorithm>
#include <array>

namespace trnsim::schedule {

using builder::Access;
using builder::Role;
using builder::Step;
using builder::Tile;
using isa::Engine;

namespace {

// Cycles of an instruction before its first element, and of an element; only their proportions matter.
struct Rate {
    Engine engine;
    double start, each;
};
constexpr std::array Rates{Rate{Engine::Tensor, 64, 1.0}, Rate{Engine::Vector, 150, 2.5},
                           Rate{Engine::Scalar, 440, 2.0}, Rate{Engine::Gpsimd, 3000, 20.0},
                           Rate{Engine::Sync, 64, 0.0}};
constexpr double TransferLatency = 5600, TransferByte = 1.0 / 77;  // at the rate of all DMA engines
constexpr double ArrayLatency = 190, WidePasses = 4;

}  // namespace

Work cycles(const Step& step) {
    std::uint64_t elements = 1, bytes = 0;
    bool wide = false;
    for (const Access& access : step.accesses) {
        const Tile* tile = access.tile();
        if (tile == nullptr) continue;
        elements = std::max(elements, tile->elements());
        bytes = std::max(bytes, tile->elements() * isa::element_size(tile->dtype) * tile->partitions);
        wide = wide || (access.role == Role::Read && tile->dtype == isa::Dtype::Fp32);
    }
    if (step.queue) {
        const double busy = static_cast<double>(bytes) * TransferByte;
        return {busy, busy + TransferLatency};
    }
    const Rate& rate = *std::ranges::find(Rates, step.engine, &Rate::engine);
    const bool array = step.engine == Engine::Tensor;
    const double busy =
        rate.start + (array && wide ? WidePasses : 1) * rate.each * static_cast<double>(elements);
    return {busy, busy + (array ? ArrayLatency : 0)};
}

}  // namespace trnsim::schedule
