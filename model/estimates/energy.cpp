#include "model/estimates/energy.hpp"

#include "base/numbers/numbers.hpp"
#include "base/time/time.hpp"

namespace trnsim::estimates {
namespace {

using isa::Dtype;

constexpr double Pico = 1e-12;
constexpr double AccessBytes = 8;  // the published SRAM figures are for 64 bits

double mac_energy(const EnergyTable& table, Dtype dtype) {
    switch (dtype) {
        case Dtype::Bf16:
            return table.mac_bf16;
        case Dtype::Fp16:
            return table.mac_fp16;
        case Dtype::Tf32:
            return table.mac_tf32;
        case Dtype::Fp32:
            return table.mac_fp32;
        default:
            return table.mac_fp8;
    }
}

// Returns the pJ a byte of an array of this size: those of the smallest published one that is not smaller.
double sram_energy(const EnergyTable& table, std::uint64_t bytes) {
    for (const SramPoint& point : table.sram) {
        if (point.capacity >= as_double(bytes)) return point.energy / AccessBytes;
    }
    return table.sram.back().energy / AccessBytes;
}

}  // namespace

Energy estimate_energy(const Activity& activity, const config::Config& config, const Tables& tables) {
    const EnergyTable& table = tables.energy;
    const OperationCounts& work = activity.work;
    const double seconds = as_double(activity.time) / FsPerSecond;
    double tensor = 0;
    for (std::size_t d = 0; d < work.macs.size(); ++d)
        tensor += as_double(work.macs[d]) * mac_energy(table, static_cast<Dtype>(d));
    const double joules[] = {
        Pico * tensor,
        Pico * (as_double(work.additions) * table.addition +
                as_double(work.multiplications) * table.multiplication),
        Pico * as_double(work.sbuf_bytes + activity.window_bytes) *
            sram_energy(table, config.core.sbuf_partition),
        Pico * as_double(work.psum_bytes) * sram_energy(table, config.core.psum_partition),
        Pico * as_double(activity.hbm_bytes) * BitsPerByte * table.hbm,
        Pico * as_double(activity.moved_bytes) * BitsPerByte * table.wire * table.wire_length,
        estimate_area(config, tables.area).mm2() * table.static_power * seconds,
    };
    Energy energy;
    static_assert(std::size(joules) == std::tuple_size_v<decltype(energy.components)>);
    for (std::size_t c = 0; c < energy.components.size(); ++c) {
        energy.components[c].joules = joules[c];
        energy.joules += joules[c];
    }
    if (seconds > 0) energy.average_watts = energy.joules / seconds;
    if (const auto macs = work.all_macs(); macs > 0) energy.joules_per_mac = energy.joules / as_double(macs);
    return energy;
}

}  // namespace trnsim::estimates
