#include "runtime/session/figures.hpp"

#include "base/numbers/numbers.hpp"

namespace trnsim::runtime {
namespace {

tlm::Traffic difference(const tlm::Traffic& before, const tlm::Traffic& after) {
    return {after.reads - before.reads, after.writes - before.writes, after.bytes_read - before.bytes_read,
            after.bytes_written - before.bytes_written};
}

tlm::MemoryCounts difference(const tlm::MemoryCounts& before, const tlm::MemoryCounts& after) {
    return {after.moving_waits - before.moving_waits,
            after.vector_waits - before.vector_waits,
            after.scalar_waits - before.scalar_waits,
            after.bus_waits - before.bus_waits,
            after.sequencer_waits - before.sequencer_waits,
            after.unfounded - before.unfounded,
            after.corrected - before.corrected,
            after.uncorrected - before.uncorrected,
            after.unwritten - before.unwritten,
            after.unwritten_address,
            after.unwritten_reader,
            after.gpsimd_waits - before.gpsimd_waits};
}

tlm::EngineStatistics difference(const tlm::EngineStatistics& before, const tlm::EngineStatistics& after) {
    tlm::EngineStatistics result = after;
    for (std::size_t s = 0; s < result.cycles_in_state.size(); ++s)
        result.cycles_in_state[s] -= before.cycles_in_state[s];
    result.busy_cycles -= before.busy_cycles;
    result.issued -= before.issued;
    result.completed -= before.completed;
    return result;
}

tlm::GpsimdCoreCounters difference(const tlm::GpsimdCoreCounters& before,
                                   const tlm::GpsimdCoreCounters& after) {
    tlm::GpsimdCoreCounters result = after;
    result.cycles -= before.cycles;
    for (std::size_t c = 0; c < result.in_class.size(); ++c) result.in_class[c] -= before.in_class[c];
    return result;
}

}  // namespace

double Figures::engine_utilisation(std::size_t index) const {
    return ratio(as_double(engine[index].busy_cycles), as_double(cycles));
}

double Figures::tensor_utilisation() const {
    return ratio(as_double(matmul.ideal_cycles), as_double(matmul.last_cycle - matmul.first_cycle));
}

double Figures::dma_utilisation(std::size_t index) const {
    return ratio(as_double(dma[index].busy_time), as_double(time));
}

double Figures::simulated_khz() const {
    return ratio(as_double(cycles) / 1e3, wall_seconds);
}

double Figures::mmacs_per_second() const {
    return ratio(as_double(matmul.macs) / 1e6, wall_seconds);
}

std::uint64_t Figures::dma_bytes() const {
    std::uint64_t bytes = 0;
    for (const tlm::DmaStatistics& statistics : dma) bytes += statistics.data.bytes_written;
    return bytes;
}

Figures difference(const tlm::Statistics& before, const tlm::Statistics& after) {
    Figures figures;
    figures.start = before.time;
    figures.time = after.time - before.time;
    figures.cycles = after.core.cycles - before.core.cycles;
    figures.evaluated_cycles = after.core.evaluated_cycles - before.core.evaluated_cycles;
    for (std::size_t e = 0; e < figures.engine.size(); ++e) {
        figures.engine[e] = difference(before.core.engine[e], after.core.engine[e]);
    }
    figures.window = difference(before.core.window, after.core.window);
    figures.manager = difference(before.core.manager, after.core.manager);
    figures.memories = difference(before.core.memories, after.core.memories);
    figures.tables = difference(before.core.tables, after.core.tables);
    for (std::size_t k = 0; k < figures.gpsimd.size(); ++k)
        figures.gpsimd[k] = difference(before.core.gpsimd[k], after.core.gpsimd[k]);
    figures.numeric = after.core.numeric;
    figures.matmul_cycles = after.core.matmul_cycles - before.core.matmul_cycles;
    figures.fast_load_cycles = after.core.fast_load_cycles - before.core.fast_load_cycles;
    figures.normal_load_cycles = after.core.normal_load_cycles - before.core.normal_load_cycles;
    for (std::size_t s = 0; s < after.hbm.size(); ++s)
        figures.hbm.push_back(difference(before.hbm[s], after.hbm[s]));
    figures.dram.reserve(after.dram.size());
    for (std::size_t s = 0; s < after.dram.size(); ++s)
        figures.dram.push_back(tlm::difference(before.dram[s], after.dram[s]));
    for (std::size_t e = 0; e < after.dma.size(); ++e) {
        const tlm::DmaStatistics &a = before.dma[e], &b = after.dma[e];
        figures.dma.push_back({difference(a.data, b.data), b.descriptor_bytes - a.descriptor_bytes,
                               b.packets - a.packets, b.busy_time - a.busy_time});
    }
    return figures;
}

}  // namespace trnsim::runtime
